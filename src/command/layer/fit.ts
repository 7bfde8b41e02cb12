import type { Buffer } from 'node:buffer';
import { chmodSync, lstatSync, rmSync, type Stats } from 'node:fs';
import { namesIn } from './entries.ts';
import type { Marks } from './marks.ts';
import type { Pause } from './pauses.ts';
import { fileModeBits, folderModeBits } from './plan.ts';
import { deepest, isWhiteout } from './read.ts';

/** Collects the paths in a moved folder that must not land. */
export interface Fitting {
  readonly marks: Marks;
  /** The layer's entry for a path. Paths are bytes, relative to the overlay's folder. */
  readonly upperOf: (path: string) => Buffer;
  readonly isProtected: (path: string) => boolean;
  readonly refuse: (path: string) => void;
  readonly sawName: (path: string, name: string, stat: Stats) => void;
  readonly pause: Pause;
}

/**
 * Makes a moved folder fit to land, down to its last entry: one stat for each, and more only if it needs mending.
 * `mayBeMarked` comes from the parent folder.
 */
export async function makeFit(
  path: string,
  now: Stats,
  mayBeMarked: boolean,
  depth: number,
  fitting: Fitting,
): Promise<void> {
  if (now.isSymbolicLink()) return;
  const { marks, upperOf, pause } = fitting;
  const host = upperOf(path);
  if (!now.isDirectory()) {
    if ((now.mode & 0o7777 & ~fileModeBits) !== 0) chmodSync(host, now.mode & fileModeBits);
    if (mayBeMarked) marks.remove(host);
    return;
  }
  const holdsMarked = marks.read(host, 'user.overlay.impure') !== undefined;
  marks.remove(host);
  if ((now.mode & 0o700) !== 0o700) chmodSync(host, (now.mode & folderModeBits) | 0o700);
  else if ((now.mode & 0o7777 & ~folderModeBits) !== 0) chmodSync(host, now.mode & folderModeBits);
  for (const name of namesIn(host)) {
    const inner = `${path}/${name}`;
    const entry = upperOf(inner);
    const stat = lstatSync(entry);
    const pausing = pause();
    if (pausing) await pausing;
    fitting.sawName(inner, name, stat);
    const isFolder = stat.isDirectory();
    const mayLand = isFolder || stat.isFile() || stat.isSymbolicLink();
    if (isWhiteout(stat)) rmSync(entry);
    else if (!mayLand || depth >= deepest || fitting.isProtected(inner)) fitting.refuse(inner);
    // Most entries are files that need no mending, and there may be very many.
    else if (isFolder || holdsMarked || (stat.mode & 0o7777 & ~fileModeBits) !== 0) {
      await makeFit(inner, stat, holdsMarked, depth + 1, fitting);
      // Restore the folder's own mode; only the outermost folder gets it when it lands.
      if (isFolder && (stat.mode & 0o700) !== 0o700) chmodSync(entry, stat.mode & folderModeBits);
    }
  }
}
