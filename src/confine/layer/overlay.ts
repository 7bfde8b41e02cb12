import { join } from 'node:path';
import { isBelow } from '../../ground/inside.ts';

/** A folder that a command sees through a layer: what it reads is the folder's, what it writes lies in `upper`. */
export interface Overlay {
  /** Host path of the folder, where the overlay is mounted as well. */
  readonly on: string;
  /** Host path of what the command changed. */
  readonly upper: string;
  /** Where the former content of a host path lies, if not there. Bytes, one a character. */
  readonly lowerOf?: ((hostPath: string) => string | undefined) | undefined;
  /** The options of mount(2), as overlayfs reads them. */
  readonly data: string;
}

/** `at` holds nothing but this overlay's two folders, on one file system. */
export function overlayOn(folder: string, at: string): Overlay & { readonly work: string } {
  const upper = join(at, 'upper');
  const work = join(at, 'work');
  const data = [
    `lowerdir=${escaped(folder)}`,
    `upperdir=${escaped(upper)}`,
    `workdir=${escaped(work)}`,
    // Marks that need no right: in a user namespace there is none to set the others.
    'userxattr',
    // Nobody needs it after a crash.
    'volatile',
  ].join(',');
  return { on: folder, upper, work, data };
}

/** Only the outermost: what lies in one of them is in its layer. */
export function outermost(folders: readonly string[]): readonly string[] {
  return [...new Set(folders)].filter((folder) => !folders.some((other) => isBelow(folder, other)));
}

/** overlayfs takes a colon for the end of a folder and a comma for the end of an option. */
function escaped(path: string): string {
  return path.replace(/[\\:,]/g, '\\$&');
}
