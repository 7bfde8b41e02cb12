import { Buffer } from 'node:buffer';
import { closeSync, constants, readFileSync, readlinkSync } from 'node:fs';
import { isInside } from '../../ground/inside.ts';
import type { Calls } from '../sockets/calls.ts';
import { type FileCalls, type FileStat, here } from './file-calls.ts';

/** The last name of a path, with its open folder and an O_PATH descriptor of its entry. */
export interface Found {
  readonly folder: number;
  readonly name: Buffer;
  /** A slash follows the name: the entry must be a folder. A name is never `..`; `.` is the folder itself. */
  readonly mustBeFolder: boolean;
  /** Undefined if there is no entry of this name. */
  readonly file?: { readonly fd: number; readonly stat: FileStat } | undefined;
}

/** Looks up paths as a thread of a command sees them: with its root, folder and descriptors. Made for one call. */
export interface View {
  /** Reads the text of a path, once. */
  read(address: bigint): Buffer | number;
  /**
   * `folder`: the thread's descriptor for relative paths. Returns a negated error number if there is no such folder.
   */
  find(folder: number, path: Buffer, follows: boolean): Found | number;
  close(): void;
}

/**
 * Paths outside `reach` are not found, because the server performs the change; nor is `keep`, which has the kept
 * contents. Host paths.
 */
export function createView(
  calls: Calls,
  files: FileCalls,
  thread: number,
  { reach, keep }: { readonly reach: readonly string[] | undefined; readonly keep: string },
): View {
  const held: number[] = [];
  const hold = (fd: number) => {
    if (fd >= 0) held.push(fd);
    return fd;
  };
  let root: number | undefined;
  const rootOf = () =>
    (root ??= hold(files.openAt(here, Buffer.from(`/proc/${thread}/root`), folderPlace, 0)));

  /** `from`: the folder of relative paths, by its path in our own /proc. */
  function openFolder(from: string, path: Buffer): number {
    if (path[0] !== slash) {
      const base = hold(files.openAt(here, Buffer.from(from), folderPlace, 0));
      if (base < 0) return base;
      if (path.length === 0) return base;
      const opened = hold(files.openIn(base, path, folderPlace, beneath | noMagicLinks));
      if (opened !== -EXDEV) return opened;
    }
    const whole = path[0] === slash ? path : Buffer.concat([readlinkSync(from, 'buffer'), dash, path]);
    return hold(files.openIn(rootOf(), withoutSelf(whole), folderPlace, inRoot | noMagicLinks));
  }

  /** `self` would mean the server. */
  function withoutSelf(path: Buffer): Buffer {
    const [, self, rest = ''] =
      /^\/+proc\/+(self|thread-self)(?=\/|$)(.*)$/s.exec(path.toString('latin1')) ?? [];
    if (self === undefined) return path;
    const { process, own } = numbersOf(thread);
    return Buffer.from(`/proc/${process}${self === 'self' ? '' : `/task/${own}`}${rest}`, 'latin1');
  }

  /** The descriptor of the thread itself that a path in /proc or /dev names. */
  function ownDescriptor(path: Buffer): number | undefined {
    const text = path.toString('latin1').replace(/\/+/g, '/');
    const stream = ['/dev/stdin', '/dev/stdout', '/dev/stderr'].indexOf(text);
    if (stream >= 0) return stream;
    const [, , pid, number] =
      /^\/(dev|proc\/(self|thread-self|\d+)(?:\/task\/\d+)?)\/fd\/(\d+)$/.exec(text) ?? [];
    if (number === undefined) return undefined;
    if (pid !== undefined && /^\d/.test(pid) && pid !== `${numbersOf(thread).process}`) return undefined;
    return Number(number);
  }

  function placeOf(folder: number, name: Buffer, mustBeFolder: boolean): Found | number {
    const fd = hold(files.openAt(folder, name, place | notFollowed, 0));
    if (fd === -ENOENT) return { folder, name, mustBeFolder };
    if (fd < 0) return fd;
    const stat = files.statAt(fd, nothing);
    return typeof stat === 'number' ? stat : { folder, name, mustBeFolder, file: { fd, stat } };
  }

  const inReach = (found: Found) => (isInReach(found) ? found : -EACCES);

  function isInReach({ folder, name, file }: Found): boolean {
    // An open stream need not have a path.
    if (name.length === 0 && file?.stat.isFile === false) return true;
    const at = readlinkSync(`/proc/self/fd/${folder}`, 'latin1');
    const path = name.length === 0 ? at : `${at}/${name.toString('latin1')}`;
    return !isInside(path, keep) && (reach === undefined || reach.some((each) => isInside(path, each)));
  }

  return {
    read(address) {
      const pieces: Buffer[] = [];
      for (let at = address, left = maxPath; left > 0; ) {
        // The next page may not be mapped.
        const piece = Buffer.alloc(Math.min(left, pageBytes - Number(at % BigInt(pageBytes))));
        const bytes = calls.readMemory(thread, at, piece);
        if (bytes <= 0) return -EFAULT;
        const end = piece.subarray(0, bytes).indexOf(0);
        pieces.push(piece.subarray(0, end < 0 ? bytes : end));
        if (end >= 0) return Buffer.concat(pieces);
        at += BigInt(bytes);
        left -= bytes;
      }
      return -ENAMETOOLONG;
    },
    find(base, given, follows) {
      let path = given;
      let from = `/proc/${thread}/${base === here ? 'cwd' : `fd/${base}`}`;
      for (let links = 0; links < maxLinks; links++) {
        if (path.length === 0) return -ENOENT;
        const own = follows ? ownDescriptor(path) : undefined;
        if (own !== undefined) {
          const fd = hold(files.openAt(here, Buffer.from(`/proc/${thread}/fd/${own}`), place, 0));
          if (fd < 0) return fd;
          const stat = files.statAt(fd, nothing);
          return typeof stat === 'number'
            ? stat
            : inReach({ folder: fd, name: nothing, mustBeFolder: false, file: { fd, stat } });
        }
        const end = path.findLastIndex((byte) => byte !== slash) + 1;
        const start = path.lastIndexOf(slash, Math.max(end - 1, 0)) + 1;
        const last = path.subarray(start, end);
        // `..` of the same folder on the host would lead out of the caller's root.
        const isItself = end === 0 || last.equals(dots) || last.equals(dots.subarray(1));
        const name = isItself ? dots.subarray(1) : last;
        const folder = openFolder(from, isItself ? path : path.subarray(0, start));
        if (folder < 0) return folder;
        const found = placeOf(folder, name, end > 0 && end < path.length);
        if (typeof found === 'number') return found;
        if (!found.file?.stat.isLink || !(follows || found.mustBeFolder)) return inReach(found);
        from = `/proc/self/fd/${folder}`;
        path = readlinkSync(Buffer.concat([Buffer.from(`${from}/`), name]), 'buffer');
      }
      return -ELOOP;
    },
    close() {
      for (const fd of held.splice(0)) closeSync(fd);
    },
  };
}

/** The thread's numbers in its own process namespace. */
function numbersOf(thread: number): { readonly process: string; readonly own: string } {
  const status = readFileSync(`/proc/${thread}/status`, 'latin1');
  const last = (name: string) => new RegExp(`^${name}:.*?(\\d+)$`, 'm').exec(status)?.[1] ?? '0';
  return { process: last('NStgid'), own: last('NSpid') };
}

/** O_PATH and O_CLOEXEC. */
export const place = 0o12000000;
const folderPlace = place | constants.O_DIRECTORY;
const notFollowed = constants.O_NOFOLLOW;
const beneath = 8;
const inRoot = 16;
const noMagicLinks = 2;
const slash = 0x2f;
const dots = Buffer.from('..');
const dash = Buffer.from('/');
const nothing = Buffer.alloc(0);
const maxPath = 4096;
const pageBytes = 4096;
const maxLinks = 40;
const ENOENT = 2;
const EACCES = 13;
const EFAULT = 14;
const EXDEV = 18;
const ENAMETOOLONG = 36;
const ELOOP = 40;
