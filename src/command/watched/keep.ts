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
import { constants as os } from 'node:os';
import { join, posix } from 'node:path';
import { isInside } from '../../ground/inside.ts';
import { asBytes } from '../../ground/machine/byte-paths.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { type Former, type FormerKind, journalName, keptFolder } from '../journal/journal.ts';
import { type FileCalls, type FileStat, here, place } from './file-calls.ts';

/** A folder in the roots as the server itself sees it, with its path: bytes, one per character. */
export interface HostFolder {
  readonly fd: number;
  readonly path: string;
}

interface Kept {
  readonly name: string;
  /** False: it is a hard link to the file. */
  isCopy: boolean;
}

type Noted = Omit<Former, 'path' | 'kind' | 'kept'>;

export interface KeepOptions {
  /** The recording's own folder. */
  readonly folder: string;
  /** Host paths. */
  readonly roots: readonly string[];
  /** Names of folders whose content is not noted. */
  readonly ignore: readonly string[];
}

/**
 * Notes each path's state before its first change, and keeps the content before the change is made. A removed name is
 * kept as a hard link, which costs the same at any size; a file written in place is copied first.
 */
export class Keep {
  readonly #files: FileCalls;
  readonly #contents: string;
  /** The folder of the contents, and the journal. */
  readonly #into: number;
  readonly #journal: number;
  readonly #noted = new Set<string>();
  readonly #kept = new Map<string, Kept>();
  readonly #made = new Set<string>();
  readonly #first = new Map<string, Noted>();
  readonly #hosts = new Map<string, number>();
  readonly #ignored: ReadonlySet<string>;
  readonly #tops: readonly string[];
  #count = 0;

  constructor(files: FileCalls, { folder, roots, ignore }: KeepOptions) {
    this.#files = files;
    this.#contents = join(folder, keptFolder);
    mkdirSync(this.#contents, { recursive: true, mode: 0o700 });
    this.#into = openSync(this.#contents, constants.O_RDONLY | constants.O_DIRECTORY);
    this.#journal = openSync(join(folder, journalName), 'a', 0o600);
    this.#ignored = new Set(ignore);
    this.#tops = roots.map((root) => Buffer.from(root).toString('latin1'));
  }

  /** The same folder outside the sandbox; undefined if it is not below a root, so that nothing of it is kept. */
  hostOf(inside: number): HostFolder | undefined {
    const seen = this.#files.statAt(inside, nothing);
    if (typeof seen === 'number') return undefined;
    const fd = this.#hosts.get(seen.key) ?? this.#openHost(inside, seen);
    if (fd === undefined) return undefined;
    // The least recently used one is closed first: a call uses two.
    this.#hosts.delete(seen.key);
    this.#hosts.set(seen.key, fd);
    const path = this.placeOf(fd);
    return path === undefined ? undefined : { fd, path };
  }

  /** The path of an open file, if it is in a root. */
  placeOf(fd: number): string | undefined {
    const path = readlinkSync(`/proc/self/fd/${fd}`, 'latin1');
    return this.#tops.some((top) => isInside(path, top)) ? path : undefined;
  }

  /** Is this path excluded from the notes? */
  leavesOut(path: string): boolean {
    if (this.#ignored.size === 0) return false;
    const above = path.split('/').slice(0, -1);
    return above.some((name) => this.#ignored.has(name));
  }

  /** A new entry is about to get this name. */
  noteNew(path: string): void {
    if (!this.#noted.has(path) && !this.leavesOut(path)) this.#write(path, 'absent');
  }

  /** The entry of this name is about to lose it. */
  noteGone({ fd: from }: HostFolder, name: Buffer, path: string): void {
    this.#withItself(from, name, (fd, stat) => this.#noteOne(from, name, path, fd, stat));
  }

  /** All entries of a folder are about to get new names. */
  noteMoved({ fd: top }: HostFolder, topName: Buffer, path: string, newPath: string): void {
    const walk = (folder: number, at: string, to: string) => {
      const encoding = 'latin1' as BufferEncoding;
      for (const entry of readdirSync(`/proc/self/fd/${folder}`, { encoding })) {
        const name = Buffer.from(entry, 'latin1');
        this.#withItself(folder, name, (fd, stat) => {
          this.#noteOne(folder, name, `${at}/${entry}`, fd, stat);
          this.noteNew(`${to}/${entry}`);
          if (stat.isFolder && !this.#ignored.has(entry)) walk(fd, `${at}/${entry}`, `${to}/${entry}`);
        });
      }
    };
    this.#withItself(top, topName, (fd) => walk(fd, path, newPath));
  }

  /** An entry's mode, owner, times or attributes are about to change. */
  noteAltered(path: string, stat: FileStat): void {
    if (this.#made.has(stat.key) || this.#noted.has(path)) return;
    const [above, name] = [posix.dirname(path), Buffer.from(posix.basename(path), 'latin1')];
    this.#withItself(here, asBytes(above), (folder) =>
      this.#withItself(folder, name, (fd, own) => {
        if (own.key === stat.key) this.#noteOne(folder, name, path, fd, own);
      }),
    );
  }

  /** A file is about to be written in place. */
  noteWritten(path: string, fd: number, stat: FileStat): void {
    if (this.#made.has(stat.key) || this.leavesOut(path)) return;
    const isOthers = !this.#kept.has(stat.key);
    const name = this.#keepCopy(fd, stat);
    if (!this.#noted.has(path) || isOthers) this.#write(path, 'file', stat, name, fd);
  }

  /** The command made this file. */
  made(stat: FileStat): void {
    this.#made.add(stat.key);
  }

  isMade(stat: FileStat): boolean {
    return this.#made.has(stat.key);
  }

  isNoted(path: string): boolean {
    return this.#noted.has(path);
  }

  /** The number of the file's names, without our own. */
  namesOf(stat: FileStat): number {
    return stat.links - (this.#kept.get(stat.key)?.isCopy === false ? 1 : 0);
  }

  #openHost(inside: number, seen: FileStat): number | undefined {
    const path = this.placeOf(inside);
    const fd = path === undefined ? -1 : this.#files.openAt(here, asBytes(path), folderPlace);
    if (fd < 0) return undefined;
    const own = this.#files.statAt(fd, nothing);
    // Another entry is mounted there for the command.
    if (typeof own === 'number' || own.key !== seen.key) {
      closeSync(fd);
      return undefined;
    }
    if (this.#hosts.size >= mostHosts) {
      const [oldest, other] = this.#hosts.entries().next().value ?? ['', -1];
      this.#hosts.delete(oldest);
      closeSync(other);
    }
    return fd;
  }

  /** An entry as it was when it was first noted, by whatever name. `fd`: for its attributes. */
  #firstOf(stat: FileStat, fd: number | undefined): Noted {
    const known = this.#first.get(stat.key);
    if (known) return known;
    const own = { ...stat, attributes: fd === undefined ? undefined : this.#files.attributesOf(fd) };
    this.#first.set(stat.key, own);
    return own;
  }

  /** `kept`: the name of the copy. */
  #write(path: string, kind: FormerKind, stat?: FileStat, kept?: string, fd?: number): void {
    this.#noted.add(path);
    const { mode, bytes, mtimeMs, number, user, group, attributes } = stat ? this.#firstOf(stat, fd) : noStat;
    const former: Former = { path, kind, mode, bytes, mtimeMs, number, user, group, attributes, kept };
    writeSync(this.#journal, `${JSON.stringify(former)}\n`);
  }

  #nextName(): string {
    this.#count += 1;
    return String(this.#count);
  }

  /** Keeps a hard link if the kernel allows one. */
  #keepName(from: number, name: Buffer, stat: FileStat, fd: number): string {
    const known = this.#kept.get(stat.key);
    if (known) return known.name;
    const next = this.#nextName();
    if (this.#files.linkAt(from, name, this.#into, Buffer.from(next)) < 0) return this.#keepCopy(fd, stat);
    // Another program may have replaced the file.
    const linked = this.#files.statAt(this.#into, Buffer.from(next));
    if (typeof linked === 'number' || linked.key !== stat.key) return this.#keepCopy(fd, stat);
    this.#kept.set(stat.key, { name: next, isCopy: false });
    return next;
  }

  #keepCopy(fd: number, stat: FileStat): string {
    const known = this.#kept.get(stat.key);
    if (known?.isCopy) return known.name;
    const fresh = this.#nextName();
    const path = join(this.#contents, fresh);
    copyFileSync(`/proc/self/fd/${fd}`, path, constants.COPYFILE_FICLONE);
    if (known) renameSync(path, join(this.#contents, known.name));
    const name = known?.name ?? fresh;
    this.#kept.set(stat.key, { name, isCopy: true });
    return name;
  }

  #keepLink(from: number, name: Buffer): string {
    const next = this.#nextName();
    const target = readlinkSync(Buffer.concat([Buffer.from(`/proc/self/fd/${from}/`), name]), 'buffer');
    symlinkSync(target, join(this.#contents, next));
    return next;
  }

  /** The host's file: for the command another one may be mounted over it. */
  #withItself(from: number, name: Buffer, work: (fd: number, stat: FileStat) => void): void {
    const fd = this.#files.openAt(from, name, placeItself);
    if (fd === -os.errno.ENOENT) return;
    if (fd < 0) throw new Unkept(-fd);
    using _ = defer(() => closeSync(fd));
    const stat = this.#files.statAt(fd, nothing);
    if (typeof stat === 'number') throw new Unkept(-stat);
    work(fd, stat);
  }

  #noteOne(from: number, name: Buffer, path: string, fd: number, stat: FileStat): void {
    if (this.leavesOut(path)) return;
    // Another program's file now has a name that the command's had.
    const isOthers = stat.isFile && !this.#made.has(stat.key) && !this.#kept.has(stat.key);
    if (this.#noted.has(path) && !isOthers) return;
    if (stat.isFolder) this.#write(path, 'folder', stat, undefined, fd);
    else if (stat.isLink) this.#write(path, 'symlink', stat, this.#keepLink(from, name));
    else if (stat.isFile) this.#write(path, 'file', stat, this.#keepName(from, name, stat, fd), fd);
    else this.#write(path, 'other', stat);
  }
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
/** Folders that stay open. */
const mostHosts = 256;
