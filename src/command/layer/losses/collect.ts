import { closeSync, lstatSync, type Stats } from 'node:fs';
import type { Lent } from '../../../files/lent.ts';
import { entryOf, itself, openFolderIn, openRootFolder } from '../../../files/walk.ts';
import { asBytes, fromText } from '../../../ground/byte-paths.ts';
import { defer } from '../../../ground/defer.ts';
import { generatedFolders } from '../../../ground/generated-folders.ts';
import { namesIn, statOf } from '../entries.ts';
import { isGits } from '../git-refs.ts';
import type { Marks } from '../marks.ts';
import type { Overlay } from '../overlay.ts';
import type { Pause } from '../pauses.ts';
import { deepest, isWhiteout } from '../read.ts';

/** A file that a command touched. Paths are bytes, one per character, relative to the overlay's folder. */
export interface Touched {
  readonly overlay: Overlay;
  readonly path: string;
  /** The former state; undefined if there was none. */
  readonly before?: Stats | undefined;
  /** The state on the layer; undefined if it was removed. */
  readonly now?: Stats | undefined;
  /** Path of the former content, if it differs from the file's own. */
  readonly lower?: string | undefined;
  /** Path of the present content, if it differs from the file's own. */
  readonly upper?: string | undefined;
}

/** A command's changes to files, except files that programs generate and can generate again. */
export interface Collected {
  /** Removed files. */
  readonly gone: Touched[];
  readonly changed: Touched[];
  /** New files in existing folders. */
  readonly created: Touched[];
  /** New folders; their content is not read. */
  readonly folders: Touched[];
  /** All changes in git's own folders, including folders. */
  readonly git: Touched[];
  /** Lends the rights to read what a layer holds; what was watched lies in the roots themselves, and is not changed. */
  readonly lent?: Lent | undefined;
}

/**
 * Walks a command's changes. The cost grows with the changes in existing folders and the content of removed folders;
 * new folders are not read.
 */
export async function collect(overlay: Overlay, marks: Marks, lent: Lent, pause: Pause): Promise<Collected> {
  const found: Collected = { gone: [], changed: [], created: [], folders: [], git: [], lent };
  const top = fromText(overlay.upper);
  const upperOf = (path: string) => asBytes(path === '' ? top : `${top}/${path}`);

  function tell(path: string, before: Stats | undefined, now: Stats | undefined): void {
    const touched = { overlay, path, before, now };
    if (isGits(path)) found.git.push(touched);
    else if (now?.isDirectory()) found.folders.push(touched);
    else if (!now) found.gone.push(touched);
    else (before ? found.changed : found.created).push(touched);
  }

  async function tellGone(path: string, name: string, lower: number, before: Stats, depth: number) {
    await pause();
    if (!before.isDirectory()) return tell(path, before, undefined);
    if (isGits(path)) tell(path, before, undefined);
    if (depth >= deepest) return;
    const folder = openFolderIn(lower, name, 'latin1');
    using _ = defer(() => closeSync(folder));
    for (const each of namesIn(asBytes(itself(folder)))) {
      const inner = statOf(folder, each);
      lent.folder(asBytes(entryOf(folder, each)), inner);
      if (inner && (isGits(path) || !isMadeAnew(each, inner)))
        await tellGone(`${path}/${each}`, each, folder, inner, depth + 1);
    }
  }

  async function walk(path: string, lower: number, covers: boolean, depth: number): Promise<void> {
    const names = namesIn(upperOf(path));
    for (const name of names) {
      await pause();
      const inner = path === '' ? name : `${path}/${name}`;
      const now = lstatSync(upperOf(inner));
      const before = statOf(lower, name);
      lent.take(upperOf(inner), now);
      lent.folder(asBytes(entryOf(lower, name)), before);
      if (!isGits(inner) && isMadeAnew(name, before ?? now)) continue;
      if (before?.isDirectory() && now.isDirectory()) {
        if (depth >= deepest) continue;
        const below = openFolderIn(lower, name, 'latin1');
        try {
          const hides = covers || marks.read(upperOf(inner), 'user.overlay.opaque') === 'y';
          await walk(inner, below, hides, depth + 1);
        } finally {
          closeSync(below);
        }
        continue;
      }
      if (isWhiteout(now)) {
        if (before) await tellGone(inner, name, lower, before, depth);
      } else if (before && before.isDirectory() !== now.isDirectory()) {
        await tellGone(inner, name, lower, before, depth);
        tell(inner, undefined, now);
      } else tell(inner, before, now);
    }
    if (!covers) return;
    const own = new Set(names);
    for (const name of namesIn(asBytes(itself(lower)))) {
      const before = own.has(name) ? undefined : statOf(lower, name);
      lent.folder(asBytes(entryOf(lower, name)), before);
      const inner = path === '' ? name : `${path}/${name}`;
      if (before && (isGits(inner) || !isMadeAnew(name, before)))
        await tellGone(inner, name, lower, before, depth);
    }
  }

  for (const folder of [overlay.upper, overlay.on]) lent.take(folder, lstatSync(folder));
  const lower = openRootFolder(overlay.on);
  try {
    await walk('', lower, false, 0);
  } finally {
    closeSync(lower);
  }
  return found;
}

/** Yields the files below a new folder of the layer. */
export async function* filesInNew(
  folder: Touched,
  lent: Lent | undefined,
  pause: Pause,
): AsyncGenerator<Touched> {
  for (const inner of entriesInNew(folder, lent)) {
    await pause();
    if (inner.now?.isDirectory()) yield* filesInNew(inner, lent, pause);
    else if (inner.now?.isFile()) yield inner;
  }
}

/** Yields the entries of a new folder of the layer, except those that programs generate and can generate again. */
export function* entriesInNew({ overlay, path }: Touched, lent: Lent | undefined): Generator<Touched> {
  for (const name of namesIn(asBytes(`${fromText(overlay.upper)}/${path}`))) {
    const inner = { overlay, path: `${path}/${name}` };
    const now = lstatSync(asBytes(upperPath(inner)));
    lent?.take(asBytes(upperPath(inner)), now);
    if (isGits(inner.path) || !isMadeAnew(name, now)) yield { ...inner, now };
  }
}

/** Path of the former content, which stays there until the landing. */
export function lowerPath({ overlay, path, lower }: Pick<Touched, 'overlay' | 'path' | 'lower'>): string {
  return lower ?? `${fromText(overlay.on)}/${path}`;
}

export function upperPath({ overlay, path, upper }: Pick<Touched, 'overlay' | 'path' | 'upper'>): string {
  return upper ?? `${fromText(overlay.upper)}/${path}`;
}

export function isMadeAnew(name: string, stat: Stats): boolean {
  return stat.isDirectory() && (generatedFolders.has(name) || name.endsWith('.egg-info'));
}
