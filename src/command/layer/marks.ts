/** File information that Node cannot read, above all overlayfs's extended attributes. No link is followed. */
export interface Marks {
  /** Undefined if it has no such mark. */
  read(path: string | Buffer, name: Mark): string | undefined;
  /** The access list and extended attributes in a form to compare, without marks. */
  attributes(path: Buffer): string;
  /** Has a process this file open for writing, as far as the kernel tells? */
  isBeingWritten(path: Buffer): boolean;
  /** Removes the marks of an entry that lands. */
  remove(path: string | Buffer): void;
}

/** `opaque`: a folder that hides the one below. `origin`: an entry copied up. `impure`: with copied entries. */
export type Mark = `user.overlay.${'opaque' | 'origin' | 'impure'}`;

export const allMarks: readonly Mark[] = [
  'user.overlay.opaque',
  'user.overlay.origin',
  'user.overlay.impure',
];
