import type { Buffer } from 'node:buffer';
import { chmodSync, lstatSync, rmSync, type Stats } from 'node:fs';
import { namesIn } from './entries.ts';
import type { Marks } from './marks.ts';
import type { Pause } from './pauses.ts';
import { fileModeBits, folderModeBits } from './plan.ts';
import { deepest, isWhiteout } from './read.ts';

/** What must not land of a folder that is moved as a whole. */
export interface Fitting {
  readonly marks: Marks;
  /** What an entry of the layer is found by. Paths are bytes, relative to the folder of the overlay. */
  readonly upperOf: (path: string) => Buffer;
  readonly isProtected: (path: string) => boolean;
  readonly refuse: (path: string) => void;
  readonly sawName: (path: string, name: string, stat: Stats) => void;
  readonly pause: Pause;
}

/**
 * Makes what is to be moved fit to land, down to its last entry: a look at each, and nothing more where there is nothing
 * to mend. `mayBeMarked`: as the folder that it lies in says.
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
    // Most are files with nothing to mend, of which there may be very many.
    else if (isFolder || holdsMarked || (stat.mode & 0o7777 & ~fileModeBits) !== 0) {
      await makeFit(inner, stat, holdsMarked, depth + 1, fitting);
      // Its rights are its own again; only the outermost is given them where it lands.
      if (isFolder && (stat.mode & 0o700) !== 0o700) chmodSync(entry, stat.mode & folderModeBits);
    }
  }
}
