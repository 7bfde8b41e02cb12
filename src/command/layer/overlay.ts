import { join } from 'node:path';
import { isBelow, isInside } from '../../ground/inside.ts';

/** A folder that a command sees through a layer: it reads the folder, and its writes go to `upper`. */
export interface Overlay {
  /** Host path of the folder, and mount point of the overlay. */
  readonly on: string;
  /** Host path of the command's changes. */
  readonly upper: string;
  /** The path of a host path's former content, if it is elsewhere. Bytes, one per character. */
  readonly lowerOf?: ((hostPath: string) => string | undefined) | undefined;
  /** Options of mount(2) for overlayfs. */
  readonly data: string;
}

/** `at` contains only this overlay's two folders, on one file system. */
export function overlayOn(folder: string, at: string): Overlay & { readonly work: string } {
  const upper = join(at, 'upper');
  const work = join(at, 'work');
  const data = [
    `lowerdir=${escaped(folder)}`,
    `upperdir=${escaped(upper)}`,
    `workdir=${escaped(work)}`,
    // These marks need no privilege; a user namespace cannot set the others.
    'userxattr',
    // The layer is not needed after a crash.
    'volatile',
  ].join(',');
  return { on: folder, upper, work, data };
}

/** Drops folders inside others: the outer folder's layer covers them. */
export function outermost(folders: readonly string[]): readonly string[] {
  return [...new Set(folders)].filter((folder) => !folders.some((other) => isBelow(folder, other)));
}

/** Finds the innermost root of a host path. */
export function rootOf(path: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isInside(path, root)).sort((a, b) => b.length - a.length)[0];
}

/** overlayfs reads a colon as the end of a folder and a comma as the end of an option. */
function escaped(path: string): string {
  return path.replace(/[\\:,]/g, '\\$&');
}
