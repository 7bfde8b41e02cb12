import { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join, posix } from 'node:path';
import { asBytes } from '../../ground/byte-paths.ts';
import { defer } from '../../ground/defer.ts';
import { isInside } from '../../ground/inside.ts';
import { type FormerKind, journalName, keptFolder } from '../journal/journal.ts';
import { type FileCalls, type FileStat, here } from './file-calls.ts';
import { place } from './view.ts';

/** A folder in the roots as the server itself sees it, with its path: bytes, one per character. */
export interface HostFolder {
  readonly fd: number;
  readonly path: string;
}

/**
 * Notes each path's state before its first change, and keeps the content before the change is made. A removed name is
 * kept as a hard link, which costs the same at any size; a file written in place is copied first.
 */
export interface Keep {
  /** The same folder outside the sandbox; undefined if it is not below a root, so that nothing of it is kept. */
  hostOf(folder: number): HostFolder | undefined;
  /** The path of an open file, if it is in a root. */
  placeOf(fd: number): string | undefined;
  /** Is this path excluded from the notes? */
  leavesOut(path: string): boolean;
  /** A new entry is about to get this name. */
  noteNew(path: string): void;
  /** The entry of this name is about to lose it. */
  noteGone(folder: HostFolder, name: Buffer, path: string): void;
  /** All entries of a folder are about to get new names. */
  noteMoved(folder: HostFolder, name: Buffer, path: string, newPath: string): void;
  /** An entry's mode, owner, times or attributes are about to change. */
  noteAltered(path: string, stat: FileStat): void;
  /** A file is about to be written in place. */
  noteWritten(path: string, fd: number, stat: FileStat): void;
  /** The command made this file. */
  made(stat: FileStat): void;
  isMade(stat: FileStat): boolean;
  isNoted(path: string): boolean;
  /** The number of the file's names, without our own. */
  namesOf(stat: FileStat): number;
}

interface Kept {
  readonly name: string;
  /** False: it is a hard link to the file. */
  isCopy: boolean;
}

interface Noted extends Pick<FileStat, 'mode' | 'bytes' | 'mtimeMs' | 'number' | 'user' | 'group'> {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

export interface KeepOptions {
  /** The recording's own folder. */
  readonly folder: string;
  /** Host paths. */
  readonly roots: readonly string[];
  /** Names of folders whose content is not noted. */
  readonly ignore: readonly string[];
}

export function createKeep(files: FileCalls, { folder, roots, ignore }: KeepOptions): Keep {
  const contents = join(folder, keptFolder);
  mkdirSync(contents, { recursive: true, mode: 0o700 });
  const into = openSync(contents, constants.O_RDONLY | constants.O_DIRECTORY);
  const journal = openSync(join(folder, journalName), 'a', 0o600);
  const noted = new Set<string>();
  const kept = new Map<string, Kept>();
  const made = new Set<string>();
  const first = new Map<string, Noted>();
  const hosts = new Map<string, number>();
  const ignored = new Set(ignore);
  const tops = roots.map((root) => Buffer.from(root).toString('latin1'));
  let count = 0;

  /** An entry as it was when it was first noted, by whatever name. `fd`: for its attributes. */
  function firstOf(stat: FileStat, fd: number | undefined): Noted {
    const known = first.get(stat.key);
    if (known) return known;
    const own = { ...stat, attributes: fd === undefined ? undefined : files.attributesOf(fd) };
    first.set(stat.key, own);
    return own;
  }

  function write(path: string, kind: FormerKind, stat?: FileStat, more?: string, fd?: number): void {
    noted.add(path);
    const { mode, bytes, mtimeMs, number, user, group, attributes } = stat ? firstOf(stat, fd) : noStat;
    writeSync(
      journal,
      `${JSON.stringify([path, kind, mode, bytes, mtimeMs, number, more, user, group, attributes])}\n`,
    );
  }

  function nextName(): string {
    count += 1;
    return String(count);
  }

  /** Keeps a hard link if the kernel allows one. */
  function keepName(from: number, name: Buffer, stat: FileStat, fd: number): string {
    const known = kept.get(stat.key);
    if (known) return known.name;
    const next = nextName();
    if (files.linkAt(from, name, into, Buffer.from(next)) < 0) return keepCopy(fd, stat);
    // Another program may have replaced the file.
    const linked = files.statAt(into, Buffer.from(next));
    if (typeof linked === 'number' || linked.key !== stat.key) return keepCopy(fd, stat);
    kept.set(stat.key, { name: next, isCopy: false });
    return next;
  }

  function keepCopy(fd: number, stat: FileStat): string {
    const known = kept.get(stat.key);
    if (known?.isCopy) return known.name;
    const fresh = nextName();
    copyFileSync(`/proc/self/fd/${fd}`, join(contents, fresh), constants.COPYFILE_FICLONE);
    if (known) renameSync(join(contents, fresh), join(contents, known.name));
    const name = known?.name ?? fresh;
    kept.set(stat.key, { name, isCopy: true });
    return name;
  }

  function keepLink(from: number, name: Buffer): string {
    const next = nextName();
    const target = readlinkSync(Buffer.concat([Buffer.from(`/proc/self/fd/${from}/`), name]), 'buffer');
    symlinkSync(target, join(contents, next));
    return next;
  }

  function leavesOut(path: string): boolean {
    if (ignored.size === 0) return false;
    return path
      .split('/')
      .slice(0, -1)
      .some((name) => ignored.has(name));
  }

  /** The host's file: for the command another one may be mounted over it. */
  function withItself(from: number, name: Buffer, work: (fd: number, stat: FileStat) => void): void {
    const fd = files.openAt(from, name, placeItself, 0);
    if (fd === -ENOENT) return;
    if (fd < 0) throw new Unkept(-fd);
    using _ = defer(() => closeSync(fd));
    const stat = files.statAt(fd, nothing);
    if (typeof stat === 'number') throw new Unkept(-stat);
    work(fd, stat);
  }

  function noteOne(from: number, name: Buffer, path: string, fd: number, stat: FileStat): void {
    if (leavesOut(path)) return;
    // Another program's file now has a name that the command's had.
    const isOthers = stat.isFile && !made.has(stat.key) && !kept.has(stat.key);
    if (noted.has(path) && !isOthers) return;
    if (stat.isFolder) write(path, 'folder', stat, undefined, fd);
    else if (stat.isLink) write(path, 'symlink', stat, keepLink(from, name));
    else if (stat.isFile) write(path, 'file', stat, keepName(from, name, stat, fd), fd);
    else write(path, 'other', stat);
  }

  return {
    hostOf(inside) {
      const seen = files.statAt(inside, nothing);
      if (typeof seen === 'number') return undefined;
      let fd = hosts.get(seen.key);
      if (fd === undefined) {
        const path = readlinkSync(`/proc/self/fd/${inside}`, 'latin1');
        if (!tops.some((top) => isInside(path, top))) return undefined;
        fd = files.openAt(here, asBytes(path), folderPlace, 0);
        if (fd < 0) return undefined;
        const own = files.statAt(fd, nothing);
        // Another entry is mounted there for the command.
        if (typeof own === 'number' || own.key !== seen.key) {
          closeSync(fd);
          return undefined;
        }
        hosts.set(seen.key, fd);
        if (hosts.size > mostHosts) {
          const [oldest, other] = hosts.entries().next().value ?? ['', -1];
          hosts.delete(oldest);
          closeSync(other);
        }
      }
      const path = readlinkSync(`/proc/self/fd/${fd}`, 'latin1');
      return tops.some((top) => isInside(path, top)) ? { fd, path } : undefined;
    },
    placeOf(fd) {
      const path = readlinkSync(`/proc/self/fd/${fd}`, 'latin1');
      return tops.some((top) => isInside(path, top)) ? path : undefined;
    },
    leavesOut,
    noteNew(path) {
      if (!noted.has(path) && !leavesOut(path)) write(path, 'absent');
    },
    noteGone: ({ fd: from }, name, path) =>
      withItself(from, name, (fd, stat) => noteOne(from, name, path, fd, stat)),
    noteMoved({ fd: top }, topName, path, newPath) {
      const walk = (folder: number, at: string, to: string) => {
        for (const entry of readdirSync(`/proc/self/fd/${folder}`, {
          encoding: 'latin1' as BufferEncoding,
        })) {
          const name = Buffer.from(entry, 'latin1');
          withItself(folder, name, (fd, stat) => {
            noteOne(folder, name, `${at}/${entry}`, fd, stat);
            if (!noted.has(`${to}/${entry}`) && !leavesOut(`${to}/${entry}`))
              write(`${to}/${entry}`, 'absent');
            if (stat.isFolder && !ignored.has(entry)) walk(fd, `${at}/${entry}`, `${to}/${entry}`);
          });
        }
      };
      withItself(top, topName, (fd) => walk(fd, path, newPath));
    },
    noteAltered(path, stat) {
      if (made.has(stat.key) || noted.has(path)) return;
      const [above, name] = [posix.dirname(path), Buffer.from(posix.basename(path), 'latin1')];
      withItself(here, asBytes(above), (folder) =>
        withItself(folder, name, (fd, own) => {
          if (own.key === stat.key) noteOne(folder, name, path, fd, own);
        }),
      );
    },
    noteWritten(path, fd, stat) {
      if (made.has(stat.key) || leavesOut(path)) return;
      const isOthers = !kept.has(stat.key);
      const name = keepCopy(fd, stat);
      if (!noted.has(path) || isOthers) write(path, 'file', stat, name, fd);
    },
    made: (stat) => void made.add(stat.key),
    isMade: (stat) => made.has(stat.key),
    isNoted: (path) => noted.has(path),
    namesOf: (stat) => stat.links - (kept.get(stat.key)?.isCopy === false ? 1 : 0),
  };
}

/** The content could not be kept, so the call is not performed. */
export class Unkept extends Error {
  readonly errno: number;
  constructor(errno: number) {
    super('what was there could not be kept');
    this.errno = errno;
  }
}

const noStat: Noted = { mode: 0, bytes: 0, mtimeMs: 0, number: 0, user: 0, group: 0 };
const nothing = Buffer.alloc(0);
const folderPlace = place | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const placeItself = place | constants.O_NOFOLLOW;
const ENOENT = 2;
/** Folders that stay open. */
const mostHosts = 256;
