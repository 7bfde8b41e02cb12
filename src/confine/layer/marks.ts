import type { Buffer } from 'node:buffer';

/** What the kernel knows of files and Node has no words for; above all overlayfs's own extended attributes. No link is followed. */
export interface Marks {
  /** Undefined where there is none of this name. */
  read(path: string | Buffer, name: Mark): string | undefined;
  /** The access list and the notes that programs gave it, in a form to compare; no marks. */
  attributes(path: Buffer): string;
  /** Has a process this file open for writing, as far as the kernel says? */
  isBeingWritten(path: Buffer): boolean;
  /** What lands is no part of a layer any more. */
  remove(path: string | Buffer): void;
}

/** `opaque`: a folder that hides the one below it. `origin`: what was copied up from below. `impure`: it holds such. */
export type Mark = `user.overlay.${'opaque' | 'origin' | 'impure'}`;

export const allMarks: readonly Mark[] = [
  'user.overlay.opaque',
  'user.overlay.origin',
  'user.overlay.impure',
];
