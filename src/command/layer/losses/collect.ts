import { lstatSync, type Stats } from 'node:fs';
import type { Lent } from '../../../files/lent.ts';
import { generatedFolders } from '../../../ground/generated-folders.ts';
import { asBytes, fromText } from '../../../ground/machine/byte-paths.ts';
import { namesIn } from '../entries.ts';
import { isGits } from '../git-refs.ts';
import type { Marks } from '../marks.ts';
import type { Overlay } from '../overlay.ts';
import { deepest, Level, type Pause } from '../walk.ts';

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

/** Walks a command's changes. The cost grows with changes in existing folders; new folders are not read. */
export async function collect(overlay: Overlay, marks: Marks, lent: Lent, pause: Pause): Promise<Collected> {
  const found: Collected = { gone: [], changed: [], created: [], folders: [], git: [], lent };

  const tell = (path: string, before: Stats | undefined, now: Stats | undefined) =>
    sortIn(found, { overlay, path, before, now });

  async function walk(level: Level): Promise<void> {
    for (const entry of level.entries()) {
      await pause();
      const { path, name, now, before } = entry;
      lent.take(asBytes(entry.upper), now);
      const isInGit = isGits(path);
      if (!isInGit && isMadeAnew(name, before ?? now)) continue;
      const wasFolder = before?.isDirectory() === true;
      const isFolder = now?.isDirectory() === true;
      if (before && (!now || wasFolder !== isFolder)) {
        if (!wasFolder || isInGit) tell(path, before, undefined);
        if (now) tell(path, undefined, now);
      } else if (!wasFolder) tell(path, before, now);
      if (!wasFolder || level.depth >= deepest) continue;
      using inner = level.inside(entry);
      await walk(inner);
    }
  }

  using top = Level.open(overlay, marks, lent);
  await walk(top);
  return found;
}

export function sortIn(found: Collected, touched: Touched): void {
  const { path, before, now } = touched;
  if (isGits(path)) found.git.push(touched);
  else if (now?.isDirectory()) found.folders.push(touched);
  else if (!now) found.gone.push(touched);
  else (before ? found.changed : found.created).push(touched);
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

export function isMadeAnew(name: string, stat: Stats | undefined): boolean {
  return stat?.isDirectory() === true && (generatedFolders.has(name) || name.endsWith('.egg-info'));
}
