import type { Buffer } from 'node:buffer';

/** overlayfs's own extended attributes, on what no link leads to. */
export interface Marks {
  /** Undefined where there is none of this name. */
  read(path: string | Buffer, name: Mark): string | undefined;
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
