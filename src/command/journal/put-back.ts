import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { relative } from 'node:path';
import { temporaryName } from '../../files/names.ts';
import { kindOf } from '../../files/reading.ts';
import { entryOf, openFolderIn, openRootFolder } from '../../files/walk.ts';
import { isBelow } from '../../ground/inside.ts';
import { asBytes, fromText } from '../../ground/machine/byte-paths.ts';
import { statAt } from '../layer/entries.ts';
import { type Former, firstOf } from './journal.ts';

/**
 * Restores each path to its state before a command first changed it: the same file if it was kept by a hard link,
 * otherwise its content. Paths are walked through open folders, so that no link leads elsewhere. Entries that cannot be
 * restored are left; a later look finds them.
 */
export function putBack(formers: readonly Former[], roots: readonly string[]): void {
  const byDepth = [...firstOf(formers).values()].toSorted((a, b) => depthOf(a) - depthOf(b));
  const each = (
    some: readonly Former[],
    work: (entry: string, former: Former, now: Stats | undefined) => void,
  ) => {
    for (const former of some) inFolder(former.path, roots, (entry) => work(entry, former, statAt(entry)));
  };
  // Into a folder that the command made read-only nothing could be put back.
  each(byDepth, (entry, { mode }, now) => {
    if (now?.isDirectory() && (now.mode & 0o700) !== 0o700) chmodSync(asBytes(entry), mode | 0o700);
  });
  each(byDepth.filter(isNew).toReversed(), (entry, _, now) => {
    if (now) remove(entry, now);
  });
  each(
    byDepth.filter((former) => !isNew(former)),
    (entry, former, now) => {
      if (former.kind === 'folder') {
        if (now && !now.isDirectory()) remove(entry, now);
        if (!now?.isDirectory()) mkdirSync(asBytes(entry), 0o700);
        return;
      }
      if (former.kept === undefined || isThere(former, now, entry)) return;
      if (now?.isDirectory()) rmdirSync(asBytes(entry));
      if (former.kind === 'symlink') makeLink(former.kept, entry, now);
      else restoreFile(former, former.kept, entry, now);
    },
  );
  // These come last: a read-only folder would refuse its entries, and a change in it renews its time.
  each(byDepth.toReversed(), (entry, former, now) => {
    if (now && kindOf(now) === former.kind) restoreProperties(former, entry, now);
  });
}

/** The owner comes before the mode, as its change takes rights away. */
function restoreProperties({ kind, mode, mtimeMs, user, group }: Former, entry: string, now: Stats): void {
  const path = asBytes(entry);
  try {
    if (now.uid !== user || now.gid !== group) lchownSync(path, user, group);
  } catch {
    // Only root may give a file away.
  }
  if (kind !== 'symlink' && (now.mode & 0o7777) !== mode) chmodSync(path, mode);
  if (now.mtimeMs !== mtimeMs) lutimesSync(path, now.atimeMs / 1000, mtimeMs / 1000);
}

function restoreFile({ number }: Former, kept: string, entry: string, now: Stats | undefined): void {
  if (now?.isFile() && now.ino === number) {
    // Its other hard links get the content back too.
    chmodSync(asBytes(entry), 0o600);
    copyFileSync(kept, asBytes(entry));
    return;
  }
  const temporary = `${entry.slice(0, entry.lastIndexOf('/'))}/${temporaryName()}`;
  try {
    // The original file, if it was kept by a hard link.
    linkSync(kept, asBytes(temporary));
  } catch {
    copyFileSync(kept, asBytes(temporary), constants.COPYFILE_FICLONE);
  }
  renameSync(asBytes(temporary), asBytes(entry));
}

function makeLink(kept: string, entry: string, now: Stats | undefined): void {
  if (now && !now.isDirectory()) unlinkSync(asBytes(entry));
  symlinkSync(readlinkSync(kept, 'buffer'), asBytes(entry));
}

function isThere({ kept = '', kind }: Former, now: Stats | undefined, entry: string): boolean {
  if (!now) return false;
  if (kind === 'symlink')
    return (
      now.isSymbolicLink() && readlinkSync(asBytes(entry), 'buffer').equals(readlinkSync(kept, 'buffer'))
    );
  const held = lstatSync(kept);
  return now.isFile() && now.ino === held.ino && now.dev === held.dev;
}

/** A folder that the command made stays if others put files into it. */
function remove(entry: string, now: Stats): void {
  if (now.isDirectory()) rmdirSync(asBytes(entry));
  else unlinkSync(asBytes(entry));
}

/** Calls `work` with the entry of a path, below its open folder. Does nothing if there is no such folder. */
export function inFolder(path: string, roots: readonly string[], work: (entry: string) => void): void {
  const root = roots.find((each) => isBelow(path, fromText(each)));
  if (root === undefined) return;
  const names = relative(fromText(root), path).split('/');
  const last = names.pop() ?? '';
  const open: number[] = [];
  try {
    open.push(openRootFolder(root));
    for (const name of names) open.push(openFolderIn(open.at(-1) ?? -1, name, 'latin1'));
    work(entryOf(open.at(-1) ?? -1, last));
  } catch {
    // The later look at all changes finds it.
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

function isNew({ kind }: Former): boolean {
  return kind === 'absent';
}

function depthOf({ path }: Former): number {
  return path.split('/').length;
}
