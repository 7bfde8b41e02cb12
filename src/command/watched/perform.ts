import { Buffer } from 'node:buffer';
import {
  accessSync,
  closeSync,
  constants,
  readdirSync,
  readFileSync,
  readlinkSync,
  statfsSync,
} from 'node:fs';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { syscallNumbers } from '../../ground/syscalls.ts';
import type { Calls, WaitingCall } from '../sockets/calls.ts';
import { createAltering } from './altering.ts';
import type { Arriving, Entrance } from './entrance.ts';
import { type FileCalls, type FileStat, here } from './file-calls.ts';
import { type Gate, namesCommits } from './gate.ts';
import { type HostFolder, type Keep, Unkept } from './keep.ts';
import { createView, type Found, place, type View } from './view.ts';

/** The outcome of a call: its result, a descriptor for the caller, or the order to let the kernel perform it. */
export type Performed =
  | number
  | { readonly descriptor: number; readonly closesOnExec: boolean }
  | 'let-through'
  /** It waits for the other end of a pipe: try again. */
  | 'later';

interface Means {
  readonly calls: Calls;
  readonly files: FileCalls;
  readonly keep: Keep;
  readonly gate: Gate;
  readonly entrance: Entrance;
  /** Host paths that may be written, if the command sees the machine's own files. */
  readonly reach: readonly string[] | undefined;
  /** Does it have the server's own rights? */
  readonly isUnconfined: boolean;
  /** The recording's folder, which is out of reach. */
  readonly folder: string;
}

/**
 * Performs a command's file calls once each, on the entry that its path named when it was read, after keeping the
 * former content. A change by another thread in between cannot change which file is destroyed.
 */
export function createPerforming(
  { calls, files, keep, gate, entrance, reach, isUnconfined, folder }: Means,
  ownMask: number,
): (call: WaitingCall, isWaiting: () => boolean) => Performed {
  const seesMachine = reach !== undefined || isUnconfined;
  const alter = createAltering({ calls, files, keep, seesMachine, isUnconfined });
  /** By thread. */
  const masks = new Map<number, number>();

  function maskOf(thread: number): number {
    let mask = masks.get(thread);
    if (mask === undefined) {
      const status = readFileSync(`/proc/${thread}/status`, 'latin1');
      mask = Number.parseInt(/^Umask:\s*(\d+)$/m.exec(status)?.[1] ?? '022', 8);
      masks.set(thread, mask);
    }
    return mask;
  }

  /** The host path of a found entry, if it is in a root. */
  function nameAt({ folder, name }: Found): { readonly host: HostFolder; readonly path: string } | undefined {
    const host = keep.hostOf(folder);
    return host && { host, path: `${host.path}/${name.toString('latin1')}` };
  }

  function isLoss(path: string, stat: FileStat): boolean {
    const isOwn = keep.isMade(stat) && !namesCommits(path);
    return stat.isFile && stat.bytes > 1 && !isOwn && !keep.leavesOut(path);
  }

  function withName({ name, mustBeFolder }: Found): Buffer {
    return mustBeFolder ? Buffer.concat([name, slash]) : name;
  }

  function unlink(found: Found, isFolder: boolean): number {
    const { folder, name, file } = found;
    if (!file) return -ENOENT;
    // The kernel checks for mounts in our namespace, which lacks the caller's.
    if (file.stat.isMountRoot) return -EBUSY;
    const at = nameAt(found);
    const isRight = file.stat.isFolder === isFolder && !(found.mustBeFolder && !file.stat.isFolder);
    if (at && isRight && name.toString() !== '.') {
      const refused = mayNotChange(folder);
      if (refused < 0) return refused;
      if (file.stat.isFolder || (isLoss(at.path, file.stat) && keep.namesOf(file.stat) === 1))
        gate(at.path, file.stat, 'gone');
      keep.noteGone(at.host, name, at.path);
    }
    return files.unlinkAt(folder, withName(found), isFolder);
  }

  function rename(from: Found, to: Found, flags: number): number {
    if (!from.file) return -ENOENT;
    if ([from, to].some(({ name }) => name.toString() === '.')) return -EBUSY;
    if (from.file.stat.isMountRoot || to.file?.stat.isMountRoot) return -EBUSY;
    const source = nameAt(from);
    const target = nameAt(to);
    for (const each of [source && from, target && to]) {
      const refused = each ? mayNotChange(each.folder) : 0;
      if (refused < 0) return refused;
    }
    const isSwap = (flags & exchange) !== 0;
    if (target) arrive(from, source?.path, target.path);
    if (isSwap && source && to.file) arrive(to, target?.path, source.path);
    if (target) {
      if (to.file && (flags & noReplace) === 0) {
        if (!isSwap && isLoss(target.path, to.file.stat) && to.file.stat.key !== from.file.stat.key)
          gate(target.path, to.file.stat, 'replaced', source?.path);
        keep.noteGone(target.host, to.name, target.path);
        if (isSwap && to.file.stat.isFolder && source)
          keep.noteMoved(target.host, to.name, target.path, source.path);
      } else if (!to.file) {
        if (!from.file.stat.isFolder) gate(target.path, from.file.stat, 'new', source?.path);
        keep.noteNew(target.path);
      }
    }
    if (source) {
      if (from.file.stat.isFolder) gate(source.path, from.file.stat, 'gone');
      keep.noteGone(source.host, from.name, source.path);
      if (from.file.stat.isFolder && target && source.host.path !== target.path)
        keep.noteMoved(source.host, from.name, source.path, target.path);
    }
    return files.renameAt(from.folder, withName(from), to.folder, withName(to), flags);
  }

  /** An entry is about to get another name, with everything in it. */
  function arrive({ file, name, folder }: Found, at: string | undefined, to: string): void {
    if (!file || at === undefined) return;
    if (!file.stat.isFolder) {
      entrance.comes([{ path: to, at, fd: file.fd }]);
      if (file.stat.links > 1) entrance.links(to, file.stat.key);
      return;
    }
    const found: Arriving[] = [];
    const open: number[] = [];
    const walk = (above: number, named: Buffer, from: string, into: string) => {
      const within = files.openAt(above, named, folderPlace, 0);
      if (within < 0) throw new Unkept(-within);
      open.push(within);
      for (const entry of readdirSync(`/proc/self/fd/${within}`, {
        withFileTypes: true,
        encoding: 'latin1' as BufferEncoding,
      })) {
        const inner = Buffer.from(entry.name, 'latin1');
        const path = `${into}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!generatedFolders.has(entry.name) && entry.name !== '.git')
            walk(within, inner, `${from}/${entry.name}`, path);
        } else if (entrance.guards(path)) {
          const fd = files.openAt(within, inner, place | noFollow, 0);
          if (fd < 0) continue;
          open.push(fd);
          found.push({ path, at: `${from}/${entry.name}`, fd });
        }
      }
      if (open.at(-1) === within) closeSync(open.pop() ?? -1);
    };
    try {
      walk(folder, name, at, to);
      entrance.comes(found, to);
    } finally {
      for (const fd of open) closeSync(fd);
    }
  }

  function link(from: Found, to: Found): number {
    const { file } = from;
    if (!file) return -ENOENT;
    if (to.file) return -EEXIST;
    if (file.stat.isMountRoot) return -EXDEV;
    const source = nameAt(from);
    const target = nameAt(to);
    if (target) {
      const refused = mayNotChange(to.folder);
      if (refused < 0) return refused;
      const at = source?.path ?? keep.placeOf(file.fd) ?? `/proc/self/fd/${file.fd}`;
      entrance.comes([{ path: target.path, at, fd: file.fd }]);
      keep.noteNew(target.path);
      entrance.links(target.path, file.stat.key);
    }
    // Its content could be changed by its new name too.
    if (source && file.stat.isFile && !keep.isMade(file.stat))
      keep.noteGone(source.host, from.name, source.path);
    if (source) entrance.links(source.path, file.stat.key);
    if (file.stat.links === 0) keep.made(file.stat);
    return from.name.length === 0
      ? files.linkAt(here, Buffer.from(`/proc/self/fd/${file.fd}`), to.folder, withName(to), true)
      : files.linkAt(from.folder, withName(from), to.folder, withName(to));
  }

  /** Creates an entry without content. */
  function makeNew(to: Found, isLink: boolean, work: (folder: number, name: Buffer) => number): number {
    if (to.file) return -EEXIST;
    const at = nameAt(to);
    if (!at) return work(to.folder, withName(to));
    const refused = mayNotChange(to.folder);
    if (refused < 0) return refused;
    if (!isLink) entrance.comes([{ path: at.path, at: '', fd: -1 }]);
    keep.noteNew(at.path);
    const result = work(to.folder, withName(to));
    if (result === 0 && isLink) entrance.came(at.path);
    return result;
  }

  function open(
    view: View,
    base: number,
    path: Buffer,
    flags: number,
    mode: number,
    thread: number,
  ): Performed {
    const closesOnExec = (flags & closeOnExec) !== 0;
    for (let tries = 0; tries < mostTries; tries++) {
      const isNew = (flags & (create | exclusive)) === (create | exclusive);
      const found = view.find(base, path, (flags & noFollow) === 0 && !isNew);
      if (typeof found === 'number') return found;
      const { file } = found;
      if (!file) {
        if ((flags & create) === 0) return -ENOENT;
        if (found.mustBeFolder) return -EISDIR;
        const made = openNew(found, flags, mode & ~maskOf(thread));
        if (made === -EEXIST && !isNew) continue;
        return made < 0 ? made : { descriptor: made, closesOnExec };
      }
      if (isNew) return -EEXIST;
      if (file.stat.isLink) return -ELOOP;
      if (found.mustBeFolder && !file.stat.isFolder) return -ENOTDIR;
      if (file.stat.isFolder)
        return (flags & (create | writeOnly | readWrite | cut)) !== 0 ? -EISDIR : -ENOENT;
      const opened = openThere(found, file, flags);
      return typeof opened === 'number' && opened >= 0 ? { descriptor: opened, closesOnExec } : opened;
    }
    return -EBUSY;
  }

  function openNew(found: Found, flags: number, mode: number): number {
    const at = nameAt(found);
    let isLater = false;
    if (at) {
      const refused = mayNotChange(found.folder);
      if (refused < 0) return refused;
      isLater = entrance.opens(at.path);
      keep.noteNew(at.path);
    }
    const fd = files.openAt(found.folder, found.name, flags | exclusive | closeOnExec | noTerminal, mode);
    if (fd < 0) return fd;
    if ((mode & ownMask) !== 0) files.changeMode(fd, mode);
    const stat = files.statAt(fd, nothing);
    if (at && typeof stat !== 'number') keep.made(stat);
    if (at && isLater) entrance.opened(at.path, fd);
    return fd;
  }

  /** Opens the found file again: the same file, even if its name changed. */
  function openThere(
    found: Found,
    file: NonNullable<Found['file']>,
    flags: number,
    isCut = (flags & cut) !== 0,
  ): number | 'later' {
    const { fd, stat } = file;
    // /dev/tty would be the terminal of our own process.
    if (stat.rdev === '5:0') return -ENXIO;
    const own = `/proc/self/fd/${fd}`;
    if (!stat.isFile && !stat.isFifo && stat.rdev === '') return -ENXIO;
    const { type } = statfsSync(own);
    if ((type === procfs && !isOwnSetting(fd)) || type === sysfs) return -EACCES;
    const asked = (flags & ~(create | exclusive | cut | noFollow)) | closeOnExec | noTerminal;
    if (stat.isFifo) {
      const opened = files.openAt(here, Buffer.from(own), asked | nonBlocking, 0);
      if (opened === -ENXIO && (flags & nonBlocking) === 0) return 'later';
      if (opened >= 0 && (flags & nonBlocking) === 0) files.setFlags(opened, flags & append);
      return opened;
    }
    const opened = files.openAt(here, Buffer.from(own), asked, 0);
    if (opened < 0 || !stat.isFile || type === procfs) return opened;
    try {
      if (isCut || (flags & (writeOnly | readWrite)) !== 0)
        keepWritten(found, fd, stat, isCut ? 'gone' : 'written');
      const result = (flags & cut) !== 0 ? files.truncate(opened, 0n) : 0;
      if (result === 0) return opened;
      closeSync(opened);
      return result;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
  }

  function keepWritten(found: Found, fd: number, stat: FileStat, how: 'gone' | 'written'): void {
    const at = found.name.length === 0 ? keep.placeOf(fd) : nameAt(found)?.path;
    if (at === undefined) return;
    const guarded = entrance.linkedTo(stat.key) ?? at;
    const isLater = entrance.opens(guarded);
    if (isLoss(at, stat)) gate(at, stat, how);
    keep.noteWritten(at, fd, stat);
    if (isLater) entrance.opened(guarded, fd);
  }

  function cutTo(view: View, path: Buffer, bytes: bigint): Performed {
    const found = view.find(here, path, true);
    if (typeof found === 'number') return found;
    const { file } = found;
    if (!file) return -ENOENT;
    if (file.stat.isFolder) return -EISDIR;
    if (!file.stat.isFile) return -EINVAL;
    if (bytes < 0n) return -EINVAL;
    const opened = openThere(found, file, writeOnly, true);
    if (typeof opened !== 'number' || opened < 0) return opened;
    const result = files.truncate(opened, bytes);
    closeSync(opened);
    return result;
  }

  /** Notes the name that the kernel is about to create. */
  function noteNew(view: View, base: number, path: Buffer): Performed {
    const found = view.find(base, path, false);
    if (typeof found !== 'number' && !found.file) {
      const at = nameAt(found);
      if (at) keep.noteNew(at.path);
    }
    return 'let-through';
  }

  function perform(call: WaitingCall, view: View, isWaiting: () => boolean): Performed {
    const altered = alter(call, view, isWaiting);
    if (altered !== undefined) return altered;
    const { number, args, thread } = call;
    const int = (at: number) => Number(BigInt.asIntN(32, args[at] ?? 0n));
    const name = nameOf(number);
    if (name === 'umask') {
      masks.clear();
      return 'let-through';
    }
    const text = (at: number) => view.read(args[at] ?? 0n);
    const [first, second] = pathsOf[name];
    const path = text(first);
    if (typeof path === 'number') return path;
    const other = second === undefined ? nothing : text(second);
    if (typeof other === 'number') return other;
    // Only now is it certain that the arguments belong to the caller.
    if (!isWaiting()) return -ENOENT;
    const find = (base: number, given: Buffer) => view.find(base, given, false);
    const withOne = (base: number, work: (found: Found) => number, given = path) => {
      const found = find(base, given);
      return typeof found === 'number' ? found : work(found);
    };
    const renamed = (froms: number, tos: number, flags: number) =>
      withOne(froms, (from) => withOne(tos, (to) => rename(from, to, flags), other));
    const linked = (froms: number, tos: number, flags: number) => {
      const isOpen = path.length === 0 && (flags & emptyPath) !== 0;
      const from = isOpen
        ? view.find(here, Buffer.from(`/proc/self/fd/${froms}`), true)
        : view.find(froms, path, (flags & followsLink) !== 0);
      return typeof from === 'number' ? from : withOne(tos, (to) => link(from, to), other);
    };
    const symlinked = (tos: number) =>
      withOne(tos, (to) => makeNew(to, true, (...at) => files.symlinkAt(path, ...at)), other);
    const made = (base: number, mode: number, device: bigint) =>
      withOne(base, (to) => {
        const rights = mode & ~maskOf(thread);
        return makeNew(to, false, (...at) => files.makeNodeAt(...at, rights, Number(device)));
      });
    switch (name) {
      case 'open':
        return open(view, here, path, int(1), int(2), thread);
      case 'openat':
        return open(view, int(0), path, int(2), int(3), thread);
      case 'creat':
        return open(view, here, path, create | writeOnly | cut, int(1), thread);
      case 'unlink':
        return withOne(here, (found) => unlink(found, false));
      case 'rmdir':
        return withOne(here, (found) => unlink(found, true));
      case 'unlinkat':
        return withOne(int(0), (found) => unlink(found, (int(2) & removeFolder) !== 0));
      case 'rename':
        return renamed(here, here, 0);
      case 'renameat':
        return renamed(int(0), int(2), 0);
      case 'renameat2':
        return (int(4) & ~(noReplace | exchange)) !== 0 ? -EINVAL : renamed(int(0), int(2), int(4));
      case 'truncate':
        return cutTo(view, path, BigInt.asIntN(64, args[1] ?? 0n));
      case 'link':
        return linked(here, here, 0);
      case 'linkat':
        return linked(int(0), int(2), int(4));
      case 'symlink':
        return symlinked(here);
      case 'symlinkat':
        return symlinked(int(1));
      case 'mknod':
        return made(here, int(1), args[2] ?? 0n);
      case 'mknodat':
        return made(int(0), int(2), args[3] ?? 0n);
      case 'mkdir':
        return noteNew(view, here, path);
      case 'mkdirat':
        return noteNew(view, int(0), path);
    }
  }

  return (call, isWaiting) => {
    const view = createView(calls, files, call.thread, { reach, keep: folder });
    try {
      entrance.settle();
      return perform(call, view, isWaiting);
    } catch (error) {
      if (error instanceof Unkept) return -error.errno;
      return -errnoOf(error);
    } finally {
      view.close();
    }
  };
}

/** Read-only by its mount, or owned by another user. */
function mayNotChange(folder: number): number {
  try {
    accessSync(`/proc/self/fd/${folder}`, constants.W_OK | constants.X_OK);
    return 0;
  } catch (error) {
    return -errnoOf(error);
  }
}

function errnoOf(error: unknown): number {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? EIO : Math.abs(errno);
}

/** A process's own settings in /proc: a write affects only that process. */
function isOwnSetting(fd: number): boolean {
  return ownSettings.test(readlinkSync(`/proc/self/fd/${fd}`));
}

type Watched = keyof typeof pathsOf;

function nameOf(number: number): Watched | 'umask' {
  const name = names.get(number);
  if (name === undefined) throw new Error('a call that no filter hands over');
  return name;
}

/** Which arguments are paths. */
const pathsOf = {
  open: [0],
  openat: [1],
  creat: [0],
  unlink: [0],
  rmdir: [0],
  unlinkat: [1],
  rename: [0, 1],
  renameat: [1, 3],
  renameat2: [1, 3],
  truncate: [0],
  link: [0, 1],
  linkat: [1, 3],
  symlink: [0, 1],
  symlinkat: [0, 2],
  mkdir: [0],
  mkdirat: [1],
  mknod: [0],
  mknodat: [1],
} as const satisfies Record<string, readonly [number, number?]>;

const names = new Map<number, Watched | 'umask'>(
  ([...Object.keys(pathsOf), 'umask'] as (Watched | 'umask')[]).flatMap((name) => {
    const number = syscallNumbers[name][process.arch === 'x64' ? 0 : 1];
    return number === undefined ? [] : [[number, name] as const];
  }),
);

const ownSettings =
  /\/\d+\/(task\/\d+\/)?(oom_score_adj|oom_adj|comm|timerslack_ns|coredump_filter|clear_refs|mem|attr\/.*)$/;
const slash = Buffer.from('/');
const nothing = Buffer.alloc(0);
const folderPlace = place | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const mostTries = 10;
const writeOnly = 1;
const readWrite = 2;
const create = 0o100;
const exclusive = 0o200;
const noTerminal = 0o400;
const cut = 0o1000;
const append = 0o2000;
const nonBlocking = 0o4000;
const noFollow = constants.O_NOFOLLOW;
const closeOnExec = 0o2000000;
const removeFolder = 0x200;
const noReplace = 1;
const exchange = 2;
const followsLink = 0x400;
const emptyPath = 0x1000;
const procfs = 0x9fa0;
const sysfs = 0x62656572;
const ENOENT = 2;
const EIO = 5;
const ENXIO = 6;
const EACCES = 13;
const EBUSY = 16;
const EEXIST = 17;
const EXDEV = 18;
const ENOTDIR = 20;
const EISDIR = 21;
const EINVAL = 22;
const ELOOP = 40;
