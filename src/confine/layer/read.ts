import type { Buffer } from 'node:buffer';
import { chmodSync, closeSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join, relative } from 'node:path';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import { limits } from '../../contract/limits.ts';
import { asBytes, toText } from '../../ground/byte-paths.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { kindOf } from '../files/kind-of.ts';
import { entryOf, itself, openFolderIn, openRootFolder } from '../files/walk.ts';
import { createDiff, type Diff, hasSameContent } from './diff.ts';
import type { Marks } from './marks.ts';
import type { Overlay } from './overlay.ts';
import { createPause, type Pause } from './pauses.ts';

type ReadMark = Marks['read'];

/**
 * Reads what a command changed off its layers, whose form is overlayfs's: changed and new files whole, what was deleted
 * as a character device 0/0, a folder that hides the one below it with a mark. Costs what was changed, not what is there.
 * The command has ended; others may still write below the layer, so both sides are walked through open folders.
 */
export async function readLayers(
  overlays: readonly Overlay[],
  roots: readonly string[],
  readMark: ReadMark,
  withDiff = true,
): Promise<Omit<DryRun, 'losses'>> {
  const changes: DryRunChange[] = [];
  const diff = withDiff ? createDiff(limits.dryRunDiffBytes) : noDiff;
  const pause = createPause();
  let total = 0;
  const leaveOut = () => {
    total += 1;
  };
  for (const overlay of overlays) {
    // What is kept for commands beside the roots is nobody's file.
    if (!roots.some((root) => isIn(overlay.on, root) || isIn(root, overlay.on))) continue;
    const tell = (path: string, change: Told) => {
      total += 1;
      // A deletion is never left out for what else there is.
      if (changes.length >= limits.dryRunChanges && change.change !== 'deleted') return;
      const hostPath = join(overlay.on, toText(path));
      const root = rootOf(hostPath, roots) ?? overlay.on;
      changes.push({ root, path: relative(root, hostPath), ...change });
    };
    const [upper, lower] = [openRootFolder(overlay.upper), openRootFolder(overlay.on)];
    try {
      await walk(
        { upper, lower, path: '', covers: false, depth: 0 },
        { leaveOut, tell, diff, readMark, pause },
      );
    } finally {
      closeSync(upper);
      closeSync(lower);
    }
  }
  changes.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  return {
    changes: changes.slice(0, limits.dryRunChanges),
    total,
    diff: diff.text(),
    isDiffCut: diff.isCut(),
  };
}

type Told = Omit<DryRunChange, 'root' | 'path'>;

interface Reading {
  /** There is a change that is not told. */
  readonly leaveOut: () => void;
  readonly tell: (path: string, change: Told) => void;
  readonly diff: Diff;
  readonly readMark: ReadMark;
  readonly pause: Pause;
}

/** A folder of the layer, open, and the one that it lies over, where there is one. */
interface Level {
  readonly upper: number;
  readonly lower: number | undefined;
  readonly path: string;
  /** Nothing of the folder below shows through. */
  readonly covers: boolean;
  readonly depth: number;
}

/** Returns how many entries the layer's folder has. */
async function walk(level: Level, reading: Reading): Promise<number> {
  const { upper, lower, path, covers } = level;
  const names = layeredEntriesOf(upper);
  for (const name of names) {
    await reading.pause();
    const now = lstatSync(at(upper, name));
    const before = lower === undefined ? undefined : statIn(lower, name);
    const isNowFolder = now.isDirectory();
    if (before && (isWhiteout(now) || before.isDirectory() !== isNowFolder)) {
      await tellDeleted(lower, name, join(path, name), before, reading);
    }
    if (isNowFolder) await readFolder(level, name, now, before, reading);
    else if (!isWhiteout(now))
      await tellFile(level, name, now, before?.isDirectory() ? undefined : before, reading);
  }
  if (covers && lower !== undefined) {
    const own = new Set(names);
    for (const name of entriesOf(lower)) {
      const before = own.has(name) ? undefined : statIn(lower, name);
      if (before) await tellDeleted(lower, name, join(path, name), before, reading);
    }
  }
  return names.length;
}

async function readFolder(
  { upper, lower, path, covers, depth }: Level,
  name: string,
  now: Stats,
  before: Stats | undefined,
  reading: Reading,
): Promise<void> {
  const inner = join(path, name);
  const hides = covers || reading.readMark(at(upper, name), 'user.overlay.opaque') === 'y';
  let entries = 0;
  // Whoever decides by what is told must know that there is more.
  if (depth >= deepest) reading.leaveOut();
  else {
    const above = openFolderIn(upper, name, 'latin1');
    const below =
      before?.isDirectory() && lower !== undefined ? openFolderIn(lower, name, 'latin1') : undefined;
    try {
      const next = { upper: above, lower: below, path: inner, covers: hides, depth: depth + 1 };
      entries = await walk(next, reading);
    } finally {
      closeSync(above);
      if (below !== undefined) closeSync(below);
    }
  }
  // A new folder shows by what is in it.
  if (!before?.isDirectory()) {
    if (entries === 0) reading.tell(inner, { change: 'created', kind: 'folder' });
  } else if (modeOf(before) !== modeOf(now)) {
    reading.tell(inner, { change: 'changed', kind: 'folder', mode: `${modeOf(before)} → ${modeOf(now)}` });
  }
}

async function tellFile(
  { upper, lower, path }: Level,
  name: string,
  now: Stats,
  before: Stats | undefined,
  { tell, diff }: Reading,
): Promise<void> {
  const inner = join(path, name);
  const change = before ? 'changed' : 'created';
  const kind = kindOf(now);
  const latter = at(upper, name);
  const former = before && lower !== undefined ? at(lower, name) : undefined;
  const isSameKind = before !== undefined && kindOf(before) === kind;
  const mode =
    isSameKind && kind === 'file' && modeOf(before) !== modeOf(now)
      ? { mode: `${modeOf(before)} → ${modeOf(now)}` }
      : {};
  if (kind !== 'file') {
    const isSameLink =
      isSameKind &&
      kind === 'symlink' &&
      former !== undefined &&
      readlinkSync(former, 'buffer').equals(readlinkSync(latter, 'buffer'));
    // Touched, and as it was.
    if (!isSameLink) tell(inner, { change, kind });
    return;
  }
  const formerFile = before?.isFile() ? former : undefined;
  const isSame =
    formerFile !== undefined &&
    before?.size === now.size &&
    (await hasSameContent(formerFile, latter, now.size));
  if (isSame && mode.mode === undefined) return;
  const lines = isSame ? undefined : await diff.add(toText(inner), formerFile, latter);
  tell(inner, { change, kind, bytes: now.size, ...mode, ...(lines && { lines }) });
}

async function tellDeleted(
  lower: number | undefined,
  name: string,
  path: string,
  before: Stats,
  reading: Reading,
): Promise<void> {
  const { tell, diff } = reading;
  if (lower === undefined) return;
  const kind = kindOf(before);
  if (kind === 'folder') {
    const names: string[] = [];
    const files = await countFiles(lower, name, path, names, reading);
    return tell(path, { change: 'deleted', kind, files, names: names.map((each) => relative(path, each)) });
  }
  if (kind !== 'file') return tell(path, { change: 'deleted', kind });
  const lines = await diff.add(toText(path), at(lower, name), undefined);
  tell(path, { change: 'deleted', kind, bytes: before.size, ...(lines && { lines }) });
}

/** Counts the files of a deleted folder. The first of them are named, and shown where they were written by hand. */
async function countFiles(
  parent: number,
  name: string,
  path: string,
  names: string[],
  reading: Reading,
  depth = 0,
): Promise<number> {
  const { diff, pause } = reading;
  const isShown = !generatedFolders.has(name) && name !== '.git';
  let count = 0;
  const folder = openFolderIn(parent, name, 'latin1');
  try {
    for (const inner of entriesOf(folder)) {
      await pause();
      const stat = statIn(folder, inner);
      const innerPath = join(path, inner);
      if (stat?.isDirectory() && depth < deepest) {
        count += await countFiles(
          folder,
          inner,
          innerPath,
          names,
          isShown ? reading : { ...reading, diff: noDiff },
          depth + 1,
        );
        continue;
      }
      count += 1;
      if (names.length < mostNamed) names.push(toText(innerPath));
      if (stat?.isFile() && isShown && !diff.isCut())
        await diff.add(toText(innerPath), at(folder, inner), undefined);
    }
  } finally {
    closeSync(folder);
  }
  return count;
}

function statIn(folder: number, name: string): Stats | undefined {
  return lstatSync(at(folder, name), { throwIfNoEntry: false });
}

/** A command may have taken the right to read its own folder away: the layer's is thrown away, and may be changed. */
function layeredEntriesOf(folder: number): readonly string[] {
  try {
    return namesOf(folder);
  } catch {
    chmodSync(itself(folder), 0o700);
    return namesOf(folder);
  }
}

/** Nothing where it may not be read: then no command could see into it either. */
function entriesOf(folder: number): readonly string[] {
  try {
    return namesOf(folder);
  } catch {
    return [];
  }
}

/** A name that is no UTF-8 is one all the same: names are bytes here, one a character. */
function namesOf(folder: number): readonly string[] {
  return readdirSync(itself(folder), { encoding: 'latin1' as BufferEncoding }) as string[];
}

function at(folder: number, name: string): Buffer {
  return asBytes(entryOf(folder, name));
}

export function isWhiteout(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0;
}

function modeOf(stat: Stats): string {
  return (stat.mode & 0o7777).toString(8).padStart(3, '0');
}

/** Deletions first; what git keeps for itself last. */
function rank({ change, path }: DryRunChange): number {
  if (change === 'deleted') return 0;
  return /(^|\/)\.git\//.test(path) ? 2 : 1;
}

/** The innermost. */
export function rootOf(path: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isIn(path, root)).sort((a, b) => b.length - a.length)[0];
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Who judges what was changed reads no lines of it. */
const noDiff: Diff = { add: async () => undefined, text: () => '', isCut: () => false };

/** Each level keeps two folders open. What lies deeper is in the layer, and not told. */
export const deepest = 200;
/** Of a deleted folder. */
const mostNamed = 100;
