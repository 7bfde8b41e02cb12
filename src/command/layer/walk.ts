import { closeSync, lstatSync, type Stats } from 'node:fs';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Lent } from '../../files/lent.ts';
import { entryOf, itself, openFolderIn, openRootFolder } from '../../files/walk.ts';
import { asBytes } from '../../ground/machine/byte-paths.ts';
import { namesIn, statOf } from './entries.ts';
import type { Marks } from './marks.ts';
import type { Overlay } from './overlay.ts';

/** A name on a layer or below it, as the command left it and as it was. Paths are bytes, one per character. */
export interface Entry {
  /** Relative to the overlay's folder. */
  readonly path: string;
  readonly name: string;
  /** On the layer; undefined: the command removed it, or nothing is there. */
  readonly now: Stats | undefined;
  /** Below the layer. */
  readonly before: Stats | undefined;
  /** It is not on the layer, and a folder above covers it. */
  readonly isCovered: boolean;
  /** Paths for reading the two, as long as their folder is open. */
  readonly upper: string;
  readonly lower: string;
}

/**
 * A folder of a layer and the one below it, both open; either may be missing. The kernel keeps changed and new files
 * whole, a removal as a character device 0/0, and marks a folder that hides the one below. Others may still write below
 * the layer, so both sides are walked through open folders.
 */
export class Level implements Disposable {
  readonly path: string;
  readonly depth: number;
  /** Nothing of the folder below shows through. */
  readonly covers: boolean;
  readonly lower: number | undefined;
  readonly #upper: number | undefined;
  readonly #marks: Pick<Marks, 'read'>;
  readonly #lent: Lent;

  private constructor(
    { upper, lower }: Readonly<Record<'upper' | 'lower', number | undefined>>,
    at: Pick<Level, 'path' | 'depth' | 'covers'>,
    marks: Pick<Marks, 'read'>,
    lent: Lent,
  ) {
    this.#upper = upper;
    this.lower = lower;
    ({ path: this.path, depth: this.depth, covers: this.covers } = at);
    this.#marks = marks;
    this.#lent = lent;
  }

  static open(overlay: Pick<Overlay, 'on' | 'upper'>, marks: Pick<Marks, 'read'>, lent: Lent): Level {
    for (const folder of [overlay.upper, overlay.on]) lent.take(folder, lstatSync(folder));
    const open = bothOpen(
      () => openRootFolder(overlay.upper),
      () => openRootFolder(overlay.on),
    );
    return new Level(open, { path: '', depth: 0, covers: false }, marks, lent);
  }

  /** The entries on the layer, and those below it that they cover. */
  *entries(): Generator<Entry> {
    const names = this.#upper === undefined ? [] : namesIn(itself(this.#upper));
    for (const name of names) {
      const now = lstatSync(asBytes(entryOf(this.#upper ?? -1, name)));
      const entry = this.#entry(name, isWhiteout(now) ? undefined : now, false);
      // Others may have removed below what the command removed.
      if (entry.now || entry.before) yield entry;
    }
    if (!this.covers || this.lower === undefined) return;
    const own = new Set(names);
    for (const name of namesIn(itself(this.lower))) {
      const entry = own.has(name) ? undefined : this.#entry(name, undefined, true);
      if (entry?.before) yield entry;
    }
  }

  /** Opens those sides of an entry that are folders. */
  inside({ path, name, now, before, upper }: Entry): Level {
    const isOn = now?.isDirectory() === true;
    if (isOn) this.#lent.take(asBytes(upper), now);
    const covers = this.covers || !isOn || this.#marks.read(asBytes(upper), 'user.overlay.opaque') === 'y';
    const open = bothOpen(
      () => (isOn ? openFolderIn(this.#upper ?? -1, name, 'latin1') : undefined),
      () => (before?.isDirectory() ? openFolderIn(this.lower ?? -1, name, 'latin1') : undefined),
    );
    return new Level(open, { path, depth: this.depth + 1, covers }, this.#marks, this.#lent);
  }

  [Symbol.dispose](): void {
    for (const fd of [this.#upper, this.lower]) if (fd !== undefined) closeSync(fd);
  }

  #entry(name: string, now: Stats | undefined, isCovered: boolean): Entry {
    const before = this.lower === undefined ? undefined : statOf(this.lower, name);
    const lower = entryOf(this.lower ?? -1, name);
    this.#lent.folder(asBytes(lower), before);
    const path = this.path === '' ? name : `${this.path}/${name}`;
    return { path, name, now, before, isCovered, upper: entryOf(this.#upper ?? -1, name), lower };
  }
}

function bothOpen<T extends number | undefined>(openUpper: () => T, openLower: () => T) {
  const upper = openUpper();
  try {
    return { upper, lower: openLower() };
  } catch (error) {
    if (upper !== undefined) closeSync(upper);
    throw error;
  }
}

export function isWhiteout(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0;
}

/** Each level keeps two folders open. Deeper changes are on the layer, but are neither reported nor landed. */
export const deepest = 200;

/** Called for each of very many entries; now and then returns a promise to await, so that other work runs. */
export type Pause = () => Promise<void> | undefined;

export function createPause(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < atOnceMs) return undefined;
    return giveWay().then(() => {
      since = performance.now();
    });
  };
}

const atOnceMs = 8;
