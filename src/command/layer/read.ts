import type { Buffer } from 'node:buffer';
import { closeSync, lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join, relative } from 'node:path';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import { limits } from '../../contract/limits.ts';
import { Lent } from '../../files/lent.ts';
import { kindOf } from '../../files/reading.ts';
import { entryOf, itself, openFolderIn, openRootFolder } from '../../files/walk.ts';
import { asBytes, toText } from '../../ground/byte-paths.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { createDiff, type Diff, hasSameContent } from './diff.ts';
import { namesAt, namesIn, statOf } from './entries.ts';
import type { Marks } from './marks.ts';
import type { Overlay } from './overlay.ts';
import { createPause, type Pause } from './pauses.ts';

type ReadMark = Marks['read'];

/**
 * Reads a command's changes from its overlayfs layers: changed and new files are whole, a deletion is a character
 * device 0/0, and a mark makes a folder hide the one below. The cost grows with the changes, not with the folder. The
 * command has ended; others may still write below the layer, so both sides are walked through open folders.
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
    // Folders outside the roots that are kept for commands contain no user files.
    if (!roots.some((root) => isIn(overlay.on, root) || isIn(root, overlay.on))) continue;
    const tell = (path: string, change: Told) => {
      total += 1;
      // A deletion is reported even beyond the limit for other changes.
      if (changes.length >= limits.dryRunChanges && change.change !== 'deleted') return;
      const hostPath = join(overlay.on, toText(path));
      const root = rootOf(hostPath, roots) ?? overlay.on;
      changes.push({ root, path: relative(root, hostPath), ...change });
    };
    using lent = new Lent();
    for (const folder of [overlay.upper, overlay.on]) lent.take(folder, lstatSync(folder));
    const [upper, lower] = [openRootFolder(overlay.upper), openRootFolder(overlay.on)];
    try {
      await walk(
        { upper, lower, path: '', covers: false, depth: 0 },
        { leaveOut, tell, diff, readMark, lent, pause },
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
  /** Called if a change is not reported. */
  readonly leaveOut: () => void;
  readonly tell: (path: string, change: Told) => void;
  readonly diff: Diff;
  readonly readMark: ReadMark;
  readonly lent: Lent;
  readonly pause: Pause;
}

/** An open folder of the layer, and the one below it if there is one. */
interface Level {
  readonly upper: number;
  readonly lower: number | undefined;
  readonly path: string;
  /** Nothing of the folder below shows through. */
  readonly covers: boolean;
  readonly depth: number;
}

/** Returns the number of entries in the layer's folder. */
async function walk(level: Level, reading: Reading): Promise<number> {
  const { upper, lower, path, covers } = level;
  const names = namesIn(itself(upper));
  for (const name of names) {
    await reading.pause();
    const now = lstatSync(at(upper, name));
    const before = lower === undefined ? undefined : statOf(lower, name);
    reading.lent.take(at(upper, name), now);
    if (lower !== undefined) reading.lent.folder(at(lower, name), before);
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
    for (const name of namesAt(itself(lower))) {
      const before = own.has(name) ? undefined : statOf(lower, name);
      reading.lent.folder(at(lower, name), before);
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
  // The result must say that there is more, since decisions depend on it.
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
  // A new folder shows by its content; only an empty one is reported.
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
    // A link that was touched but is unchanged is not reported.
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

/** Counts the files of a deleted folder. Names the first of them, and shows those that were written by hand. */
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
    for (const inner of namesAt(itself(folder))) {
      await pause();
      const stat = statOf(folder, inner);
      reading.lent.folder(at(folder, inner), stat);
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

function at(folder: number, name: string): Buffer {
  return asBytes(entryOf(folder, name));
}

export function isWhiteout(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === 0;
}

function modeOf(stat: Stats): string {
  return (stat.mode & 0o7777).toString(8).padStart(3, '0');
}

/** Puts deletions first, and git's own files last. */
function rank({ change, path }: DryRunChange): number {
  if (change === 'deleted') return 0;
  return /(^|\/)\.git\//.test(path) ? 2 : 1;
}

/** Finds the innermost root. */
export function rootOf(path: string, roots: readonly string[]): string | undefined {
  return roots.filter((root) => isIn(path, root)).sort((a, b) => b.length - a.length)[0];
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** A judgement needs no changed lines. */
const noDiff: Diff = { add: async () => undefined, text: () => '', isCut: () => false };

/** Each level keeps two folders open. Deeper changes are in the layer, but not reported. */
export const deepest = 200;
/** Names per deleted folder. */
const mostNamed = 100;
