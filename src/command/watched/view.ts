import { closeSync, constants, readFileSync, readlinkSync } from 'node:fs';
import { constants as os } from 'node:os';
import { itself } from '../../files/walk.ts';
import { isInside } from '../../ground/inside.ts';
import { type Calls, resolve } from '../sockets/calls.ts';
import { type FileCalls, type FileStat, here, place } from './file-calls.ts';
import type { HostFolder, Keep } from './keep.ts';

/** The last name of a path, with its open folder and an O_PATH descriptor of its entry. */
export interface Found {
  readonly folder: number;
  readonly name: Buffer;
  /** A slash follows the name: the entry must be a folder. A name is never `..`; `.` is the folder itself. */
  readonly mustBeFolder: boolean;
  /** Undefined if there is no entry of this name. */
  readonly file?: { readonly fd: number; readonly stat: FileStat } | undefined;
  /** Its folder and path on the host; undefined if it is in no root. */
  readonly host?: HostFolder | undefined;
  readonly path?: string | undefined;
}

export interface ViewOptions {
  readonly calls: Calls;
  readonly files: FileCalls;
  readonly keep: Keep;
  /** Host paths: others are not found, because the server performs the change. Undefined: all are found. */
  readonly reach: readonly string[] | undefined;
  /** The recording's folder, which has the kept contents and is out of reach. */
  readonly folder: string;
}

/** Looks up paths as a thread of a command sees them: with its root, folder and descriptors. Made for one call. */
export class View {
  readonly #options: ViewOptions;
  readonly #thread: number;
  readonly #held: number[] = [];
  #root: number | undefined;

  constructor(options: ViewOptions, thread: number) {
    this.#options = options;
    this.#thread = thread;
  }

  /** Reads the text of a path, once. */
  read(address: bigint): Buffer | number {
    return this.#options.calls.readPath(this.#thread, address);
  }

  /**
   * `folder`: the thread's descriptor for relative paths. Returns a negated error number if there is no such folder.
   */
  find(folder: number, given: Buffer, follows: boolean): Found | number {
    let path = given;
    let from = `/proc/${this.#thread}/${folder === here ? 'cwd' : `fd/${folder}`}`;
    for (let links = 0; links < maxLinks; links++) {
      if (path.length === 0) return -os.errno.ENOENT;
      const end = path.findLastIndex((byte) => byte !== slash) + 1;
      const start = path.lastIndexOf(slash, Math.max(end - 1, 0)) + 1;
      const last = path.subarray(start, end);
      // `..` of the same folder on the host would lead out of the caller's root.
      const isItself = end === 0 || last.equals(dots) || last.equals(dot);
      const name = isItself ? dot : last;
      const within = this.#openFolder(from, isItself ? path : path.subarray(0, start));
      if (within < 0) return within;
      const mustBeFolder = end > 0 && end < path.length;
      const fd = this.#hold(this.#options.files.openAt(within, name, place | constants.O_NOFOLLOW));
      if (fd < 0 && fd !== -os.errno.ENOENT) return fd;
      const stat = fd < 0 ? undefined : this.#options.files.statAt(fd, nothing);
      if (typeof stat === 'number') return stat;
      const found = { folder: within, name, mustBeFolder, file: stat && { fd, stat } };
      if (!stat?.isLink || !(follows || mustBeFolder)) return this.#inReach(found);
      const link = this.#targetOf(within, name);
      if (typeof link === 'number') return this.descriptor(link);
      from = itself(within);
      path = link;
    }
    return -os.errno.ELOOP;
  }

  /** The file that the thread has open under this number. */
  descriptor(number: number): Found | number {
    const fd = this.#hold(this.#options.files.openAt(here, this.#own(number), place));
    const stat = fd < 0 ? fd : this.#options.files.statAt(fd, nothing);
    if (typeof stat === 'number') return stat;
    return this.#inReach({ folder: fd, name: nothing, mustBeFolder: false, file: { fd, stat } });
  }

  close(): void {
    for (const fd of this.#held) closeSync(fd);
  }

  #hold(fd: number): number {
    if (fd >= 0) this.#held.push(fd);
    return fd;
  }

  #own(number: number): Buffer {
    return Buffer.from(`/proc/${this.#thread}/fd/${number}`);
  }

  /** `from`: the folder of relative paths, by its path in our own /proc. */
  #openFolder(from: string, path: Buffer): number {
    const { calls, files } = this.#options;
    if (path[0] !== slash) {
      const base = this.#hold(files.openAt(here, Buffer.from(from), folderPlace));
      if (base < 0 || path.length === 0) return base;
      const opened = this.#hold(calls.openIn(base, path, folderPlace, resolve.beneath | resolve.noLinks));
      if (opened === -os.errno.ELOOP) return this.#walk(base, path);
      if (opened !== -os.errno.EXDEV) return opened;
      return this.#walk(this.#rootFolder(), Buffer.concat([readlinkSync(from, 'buffer'), separator, path]));
    }
    const root = this.#rootFolder();
    const opened = this.#hold(calls.openIn(root, path, folderPlace, resolve.inRoot | resolve.noLinks));
    return opened === -os.errno.ELOOP ? this.#walk(root, path) : opened;
  }

  #rootFolder(): number {
    const path = Buffer.from(`/proc/${this.#thread}/root`);
    this.#root ??= this.#hold(this.#options.files.openAt(here, path, folderPlace));
    return this.#root;
  }

  /** Opens a folder by each name of its path, following links as the thread would: `/proc/self` is the server to us. */
  #walk(base: number, path: Buffer): number {
    const { files } = this.#options;
    const root = this.#rootFolder();
    const open = (within: number, name: Buffer, flags: number) =>
      this.#hold(files.openAt(within, name, flags | constants.O_NOFOLLOW));
    const left = namesIn(path);
    let folder = path[0] === slash ? root : base;
    for (let links = 0; left.length > 0; ) {
      const name = Buffer.from(left.shift() ?? '', 'latin1');
      if (name.equals(dots) && this.#isSame(folder, root)) continue;
      const next = open(folder, name, folderPlace);
      if (next >= 0) {
        folder = next;
        continue;
      }
      const entry = next === -os.errno.ENOTDIR ? open(folder, name, place) : next;
      if (entry < 0) return entry;
      const stat = files.statAt(entry, nothing);
      if (typeof stat === 'number') return stat;
      if (!stat.isLink) return -os.errno.ENOTDIR;
      links += 1;
      if (links > maxLinks) return -os.errno.ELOOP;
      const link = this.#targetOf(folder, name);
      if (typeof link === 'number') folder = this.#hold(files.openAt(here, this.#own(link), folderPlace));
      else if (link[0] === slash) folder = root;
      if (folder < 0) return folder;
      if (typeof link !== 'number') left.unshift(...namesIn(link));
    }
    return folder;
  }

  #isSame(one: number, other: number): boolean {
    const [a, b] = [one, other].map((fd) => this.#options.files.statAt(fd, nothing));
    return typeof a === 'object' && typeof b === 'object' && a.key === b.key;
  }

  /**
   * The text of a link as the thread reads it, or its own descriptor's number if the link is that in /proc. Links there
   * to the folders and roots of processes are followed by their text, so that they lead nowhere else than paths do.
   */
  #targetOf(folder: number, name: Buffer): Buffer | number {
    const at = readlinkSync(itself(folder), 'latin1');
    const text = name.toString('latin1');
    if (/^\/proc($|\/\d+\/)/.test(at)) {
      const { process, own } = numbersOf(this.#thread);
      if (at === '/proc' && text === 'self') return Buffer.from(process);
      if (at === '/proc' && text === 'thread-self') return Buffer.from(`${process}/task/${own}`);
      const [, holder] = /^\/proc\/(\d+)(?:\/task\/\d+)?\/fd$/.exec(at) ?? [];
      if (holder === process) return Number(text);
    }
    return readlinkSync(Buffer.concat([Buffer.from(`${itself(folder)}/`), name]), 'buffer');
  }

  #inReach(found: Found): Found | number {
    const { keep, reach, folder: kept } = this.#options;
    const { folder, name, file } = found;
    // An open stream need not have a path.
    if (name.length === 0 && file?.stat.isFile === false) return { ...found, path: keep.placeOf(folder) };
    const host = name.length === 0 ? undefined : keep.hostOf(folder);
    const at = host?.path ?? readlinkSync(itself(folder), 'latin1');
    const path = name.length === 0 ? at : `${at}/${name.toString('latin1')}`;
    if (isInside(path, kept) || (reach && !reach.some((each) => isInside(path, each))))
      return -os.errno.EACCES;
    return { ...found, host, path: name.length === 0 ? keep.placeOf(folder) : host && path };
  }
}

function namesIn(path: Buffer): string[] {
  return path
    .toString('latin1')
    .split('/')
    .filter((name) => name !== '' && name !== '.');
}

/** The thread's numbers in its own process namespace. */
function numbersOf(thread: number): { readonly process: string; readonly own: string } {
  const status = readFileSync(`/proc/${thread}/status`, 'latin1');
  const last = (name: string) => new RegExp(`^${name}:.*?(\\d+)$`, 'm').exec(status)?.[1] ?? '0';
  return { process: last('NStgid'), own: last('NSpid') };
}

const folderPlace = place | constants.O_DIRECTORY;
const slash = 0x2f;
const dots = Buffer.from('..');
const dot = Buffer.from('.');
const separator = Buffer.from('/');
const nothing = Buffer.alloc(0);
const maxLinks = 40;
