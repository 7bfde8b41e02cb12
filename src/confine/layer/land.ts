import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import { createProtection } from '../files/protected-names.ts';
import { entryOf, itself, openFolderIn, openRootFolder } from '../files/walk.ts';
import { hasSameContent } from './diff.ts';
import type { Overlay } from './overlay.ts';
import { copyInto, temporaryEntry } from './place-copy.ts';
import { deepest, isWhiteout, type ReadMark, rootOf, statIn } from './read.ts';
import { landingStopped } from './stopped.ts';

export interface LandOptions {
  /** Host paths; what is told is relative to the innermost. */
  readonly roots: readonly string[];
  /** When the command began, in milliseconds: what changed below the layer since is others' doing. */
  readonly beganAtMs: number;
  /** Names that nothing writes, at any depth. */
  readonly protectedNames: readonly string[];
  readonly readMark: ReadMark;
}

/** Paths, relative to their root. */
export interface LandedPaths {
  readonly conflicts: readonly string[];
  readonly refused: readonly string[];
}

/**
 * Puts what lies on the layers in place of what lies below them. Both are walked through open folders, so that whoever
 * swaps a folder for a link meanwhile wins nothing. A file is whole or as it was, at any instant; links are set, not
 * followed; devices, pipes and sockets are refused, and the bits that lend rights are taken off. Throws where the system
 * refuses a step (a full disk): what came before it stands.
 */
export async function landLayers(overlays: readonly Overlay[], options: LandOptions): Promise<LandedPaths> {
  const conflicts: string[] = [];
  const refused: string[] = [];
  const protects = createProtection(options.protectedNames);
  for (const overlay of overlays) {
    const tell = (told: string[], path: string) => {
      const hostPath = join(overlay.on, path);
      const root = rootOf(hostPath, options.roots);
      // What is kept for commands beside the roots is nobody's file.
      if (root !== undefined) told.push(relative(root, hostPath));
    };
    const landing: Landing = {
      ...options,
      at: '',
      isProtected: (path) => protects(join(overlay.on, path).split('/').slice(1)) !== undefined,
      conflict: (path) => tell(conflicts, path),
      refuse: (path) => tell(refused, path),
    };
    const [upper, lower] = [openRootFolder(overlay.upper), openRootFolder(overlay.on)];
    try {
      await landFolder({ upper, lower, path: '', depth: 0 }, landing);
    } catch (error) {
      const hostPath = join(overlay.on, landing.at);
      throw landingStopped(error, relative(rootOf(hostPath, options.roots) ?? overlay.on, hostPath));
    } finally {
      closeSync(upper);
      closeSync(lower);
    }
  }
  return { conflicts, refused };
}

interface Landing extends LandOptions {
  /** What is in hand. */
  at: string;
  readonly isProtected: (path: string) => boolean;
  readonly conflict: (path: string) => void;
  readonly refuse: (path: string) => void;
}

/** A folder of the layer and the one below it, both open. */
interface Level {
  readonly upper: number;
  readonly lower: number;
  readonly path: string;
  readonly depth: number;
}

async function landFolder(level: Level, landing: Landing): Promise<void> {
  const { upper, lower, path } = level;
  for (const [index, name] of readdirSync(itself(upper)).entries()) {
    if (index % entriesAtOnce === 0) await giveWay();
    const inner = join(path, name);
    landing.at = inner;
    const now = lstatSync(entryOf(upper, name));
    const before = statIn(lower, name);
    if (now.isDirectory() && (before === undefined || before.isDirectory() || !landing.isProtected(inner))) {
      await landInnerFolder(level, name, now, before, landing);
    } else if (landing.isProtected(inner)) {
      landing.refuse(inner);
    } else {
      if (before && !before.isDirectory() && before.ctimeMs >= landing.beganAtMs) landing.conflict(inner);
      await landEntry(level, name, now, before, landing);
    }
  }
}

async function landInnerFolder(
  { upper, lower, path, depth }: Level,
  name: string,
  now: Stats,
  before: Stats | undefined,
  landing: Landing,
): Promise<void> {
  const inner = join(path, name);
  // A folder that may not be made is told by its own name; one that is deeper was told to nobody.
  if ((before === undefined && landing.isProtected(inner)) || depth >= deepest) return landing.refuse(inner);
  if (before && !before.isDirectory()) unlinkSync(entryOf(lower, name));
  const isNew = !before?.isDirectory();
  if (isNew) mkdirSync(entryOf(lower, name), 0o700);
  // A command may have taken the right to read its own folder away: the layer's may be changed.
  if ((now.mode & 0o700) !== 0o700) chmodSync(entryOf(upper, name), (now.mode & 0o7777) | 0o700);
  const above = openFolderIn(upper, name);
  const below = openFolderIn(lower, name);
  try {
    if (!isNew && landing.readMark(entryOf(upper, name), 'user.overlay.opaque') === 'y') {
      const kept = new Set(readdirSync(itself(above)));
      for (const each of readdirSync(itself(below))) {
        const gone = join(inner, each);
        if (kept.has(each)) continue;
        if (landing.isProtected(gone)) landing.refuse(gone);
        else removeIn(below, each);
      }
    }
    await landFolder({ upper: above, lower: below, path: inner, depth: depth + 1 }, landing);
    const mode = now.mode & folderModeBits;
    if (isNew || (before !== undefined && (before.mode & 0o7777) !== (now.mode & 0o7777)))
      chmodSync(itself(below), mode);
  } finally {
    closeSync(above);
    closeSync(below);
  }
}

/** What is no folder on the layer: a deletion, a file or a link. */
async function landEntry(
  { upper, lower, path }: Level,
  name: string,
  now: Stats,
  before: Stats | undefined,
  { refuse }: Landing,
): Promise<void> {
  const [from, to] = [entryOf(upper, name), entryOf(lower, name)];
  if (isWhiteout(now)) {
    if (before) removeIn(lower, name);
    return;
  }
  if (!now.isFile() && !now.isSymbolicLink()) return refuse(join(path, name));
  if (before?.isDirectory()) removeIn(lower, name);
  if (now.isSymbolicLink()) {
    const link = temporaryEntry(lower);
    symlinkSync(readlinkSync(from), link);
    renameSync(link, to);
    return;
  }
  if (before?.isFile() && before.size === now.size && (await hasSameContent(to, from))) {
    if ((before.mode & 0o7777) !== (now.mode & 0o7777)) changeMode(to, now.mode & fileModeBits);
    if (before.mtimeMs !== now.mtimeMs) lutimesSync(to, now.atime, now.mtime);
    return;
  }
  const copy = await copyInto(lower, from, { mode: now.mode & fileModeBits, stat: now, former: before });
  renameSync(copy, to);
}

/** Of the file itself: a link in its place keeps what it leads to. */
function changeMode(entry: string, mode: number): void {
  const fd = openSync(entry, openPath | constants.O_NOFOLLOW);
  try {
    if (fstatSync(fd).isFile()) chmodSync(itself(fd), mode);
  } finally {
    closeSync(fd);
  }
}

/** Removes an entry of an open folder with all that is in it, and follows no link. */
function removeIn(folder: number, name: string): void {
  const entry = entryOf(folder, name);
  if (!statIn(folder, name)?.isDirectory()) {
    unlinkSync(entry);
    return;
  }
  const inner = openFolderIn(folder, name);
  try {
    for (const each of readdirSync(itself(inner))) removeIn(inner, each);
  } finally {
    closeSync(inner);
  }
  rmdirSync(entry);
}

// Node does not name it; the value is the same on every architecture that Node runs on under Linux.
const openPath = 0o10000000;
/** Nothing lends its owner's rights. */
const fileModeBits = 0o777;
const folderModeBits = 0o1777;
const entriesAtOnce = 500;
