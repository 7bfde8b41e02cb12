import { closeSync, constants, readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { constants as os } from 'node:os';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { closeOnExec, type SyscallName, syscallNumbers } from '../../ground/machine/syscalls.ts';
import type { WaitingCall } from '../sockets/calls.ts';
import type { Arriving, Entrance } from './entrance.ts';
import { type Alteration, type FileStat, here, place } from './file-calls.ts';
import { type Gate, namesCommits } from './gate.ts';
import { Unkept } from './keep.ts';
import { type Found, View, type ViewOptions } from './view.ts';

/** The outcome of a call: its result, a descriptor for the caller, or the order to let the kernel perform it. */
export type Performed =
  | number
  | { readonly descriptor: number; readonly closesOnExec: boolean }
  | 'let-through'
  /** It waits for the other end of a pipe: try again. */
  | 'later';

interface Means extends ViewOptions {
  readonly gate: Gate;
  readonly entrance: Entrance;
  /** Does it have the server's own rights? */
  readonly isUnconfined: boolean;
  /** The mask of the server's process. */
  readonly mask: number;
  /** By thread of the command. */
  readonly masks: Map<number, number>;
}

/**
 * Performs a command's file calls once each, on the entry that its path named when it was read, after keeping the
 * former content. A change by another thread in between cannot change which file is destroyed.
 */
export function createPerforming(given: Omit<Means, 'masks'>) {
  const means: Means = { ...given, masks: new Map() };
  return (waiting: WaitingCall, isWaiting: () => boolean): Performed => {
    const row = byNumber.get(waiting.number);
    if (!row) throw new Error('a call that no filter hands over');
    const view = new View(means, waiting.thread);
    try {
      means.entrance.settle();
      const call = new FileCall(means, view, waiting);
      const refused = call.read(row);
      if (refused < 0) return refused;
      // Only now is it certain that the arguments belong to the caller.
      return isWaiting() ? row.does(call) : -os.errno.ENOENT;
    } catch (error) {
      return -(error instanceof Unkept ? error.errno : errnoOf(error));
    } finally {
      view.close();
    }
  };
}

/** How a call is performed. Numbers are positions of arguments. */
interface Row {
  /** Those that are paths; a null pointer reads as an empty one where the call has a `change`. */
  readonly paths?: readonly number[];
  /** The change that further arguments describe, and the position of the first of them. */
  readonly change?: readonly [Change, from: number];
  readonly does: (call: FileCall) => Performed;
}

type Change = 'mode' | 'owner' | 'attribute' | 'no attribute' | 'utimbuf' | 'timeval' | 'timespec';

/** Each call that a filter hands over, as the call of its arguments that is performed. */
const rows: Partial<Readonly<Record<SyscallName, Row>>> = {
  open: { paths: [0], does: (call) => call.open(here, call.int(1), call.int(2)) },
  openat: { paths: [1], does: (call) => call.open(call.int(0), call.int(2), call.int(3)) },
  creat: { paths: [0], does: (call) => call.open(here, 0o1101, call.int(1)) },
  truncate: { paths: [0], does: (call) => call.truncate(call.long(1)) },
  unlink: { paths: [0], does: (call) => call.unlink(here, false) },
  rmdir: { paths: [0], does: (call) => call.unlink(here, true) },
  unlinkat: { paths: [1], does: (call) => call.unlink(call.int(0), (call.int(2) & removeFolder) !== 0) },
  rename: { paths: [0, 1], does: (call) => call.rename(here, here, 0) },
  renameat: { paths: [1, 3], does: (call) => call.rename(call.int(0), call.int(2), 0) },
  renameat2: { paths: [1, 3], does: (call) => call.rename(call.int(0), call.int(2), call.int(4)) },
  link: { paths: [0, 1], does: (call) => call.link(here, here, 0) },
  linkat: { paths: [1, 3], does: (call) => call.link(call.int(0), call.int(2), call.int(4)) },
  symlink: { paths: [0, 1], does: (call) => call.symlink(here) },
  symlinkat: { paths: [0, 2], does: (call) => call.symlink(call.int(1)) },
  mknod: { paths: [0], does: (call) => call.makeNode(here, call.int(1), call.long(2)) },
  mknodat: { paths: [1], does: (call) => call.makeNode(call.int(0), call.int(2), call.long(3)) },
  mkdir: { paths: [0], does: (call) => call.makeFolder(here) },
  mkdirat: { paths: [1], does: (call) => call.makeFolder(call.int(0)) },
  umask: { does: (call) => call.umask() },
  chmod: { paths: [0], change: ['mode', 1], does: (call) => call.alter(here) },
  fchmod: { change: ['mode', 1], does: (call) => call.alterOpen(0) },
  fchmodat: { paths: [1], change: ['mode', 2], does: (call) => call.alter(call.int(0)) },
  chown: { paths: [0], change: ['owner', 1], does: (call) => call.alter(here) },
  lchown: { paths: [0], change: ['owner', 1], does: (call) => call.alter(here, notFollowed) },
  fchown: { change: ['owner', 1], does: (call) => call.alterOpen(0) },
  fchownat: { paths: [1], change: ['owner', 2], does: (call) => call.alter(call.int(0), call.int(4)) },
  utime: { paths: [0], change: ['utimbuf', 1], does: (call) => call.alter(here) },
  utimes: { paths: [0], change: ['timeval', 1], does: (call) => call.alter(here) },
  futimesat: { paths: [1], change: ['timeval', 2], does: (call) => call.alter(call.int(0)) },
  utimensat: { paths: [1], change: ['timespec', 2], does: (call) => call.alter(call.int(0), call.int(3)) },
  setxattr: { paths: [0], change: ['attribute', 1], does: (call) => call.alter(here) },
  lsetxattr: { paths: [0], change: ['attribute', 1], does: (call) => call.alter(here, notFollowed) },
  fsetxattr: { change: ['attribute', 1], does: (call) => call.alterOpen(0) },
  removexattr: { paths: [0], change: ['no attribute', 1], does: (call) => call.alter(here) },
  lremovexattr: { paths: [0], change: ['no attribute', 1], does: (call) => call.alter(here, notFollowed) },
  fremovexattr: { change: ['no attribute', 1], does: (call) => call.alterOpen(0) },
};

const byNumber = new Map<number | undefined, Row>(
  Object.entries(rows).map(([name, row]) => [
    syscallNumbers[name as SyscallName][process.arch === 'x64' ? 0 : 1],
    row,
  ]),
);

/** One call of a thread, with what it names. */
class FileCall {
  readonly #means: Means;
  readonly #view: View;
  readonly #call: WaitingCall;
  #path = nothing;
  #second = nothing;
  /** False: a null pointer stands for the path, so that the call is about an open file. */
  #isNamed = true;
  #change: Alteration | undefined;

  constructor(means: Means, view: View, call: WaitingCall) {
    this.#means = means;
    this.#view = view;
    this.#call = call;
  }

  int(at: number): number {
    return Number(BigInt.asIntN(32, this.#call.args[at] ?? 0n));
  }

  long(at: number): bigint {
    return BigInt.asIntN(64, this.#call.args[at] ?? 0n);
  }

  /** Reads all that the call names in the thread's memory, once. Negative if it is not there. */
  read({ paths = [], change }: Row): number {
    this.#isNamed = !change || this.#call.args[paths[0] ?? -1] !== 0n;
    const [path = nothing, second = nothing] = paths.map((at) =>
      this.#isNamed ? this.#view.read(this.#call.args[at] ?? 0n) : nothing,
    );
    if (typeof path === 'number') return path;
    if (typeof second === 'number') return second;
    [this.#path, this.#second] = [path, second];
    const read = change && this.#readChange(...change);
    if (typeof read === 'number') return read;
    this.#change = read;
    return 0;
  }

  umask(): Performed {
    this.#means.masks.clear();
    return 'let-through';
  }

  unlink(base: number, isFolder: boolean): number {
    return this.#at(base, this.#path, (found) => {
      const { folder, name, file, host, path } = found;
      const { keep, gate, files } = this.#means;
      if (!file) return -os.errno.ENOENT;
      // The kernel checks for mounts in our namespace, which lacks the caller's.
      if (file.stat.isMountRoot) return -os.errno.EBUSY;
      const isRight = file.stat.isFolder === isFolder && !(found.mustBeFolder && !file.stat.isFolder);
      if (host && path !== undefined && isRight && name.toString() !== '.') {
        const refused = files.mayChangeIn(folder);
        if (refused < 0) return refused;
        if (file.stat.isFolder || (this.#isLoss(path, file.stat) && keep.namesOf(file.stat) === 1))
          gate(path, file.stat, 'gone');
        keep.noteGone(host, name, path);
      }
      return files.unlinkAt(folder, withName(found), isFolder);
    });
  }

  rename(froms: number, tos: number, flags: number): number {
    if ((flags & ~(noReplace | exchange)) !== 0) return -os.errno.EINVAL;
    return this.#at(froms, this.#path, (from) =>
      this.#at(tos, this.#second, (to) => this.#rename(from, to, flags)),
    );
  }

  #rename(from: Found, to: Found, flags: number): number {
    const { keep, gate, files } = this.#means;
    if (!from.file) return -os.errno.ENOENT;
    if ([from, to].some(({ name }) => name.toString() === '.')) return -os.errno.EBUSY;
    if (from.file.stat.isMountRoot || to.file?.stat.isMountRoot) return -os.errno.EBUSY;
    for (const { host, folder } of [from, to]) {
      const refused = host ? files.mayChangeIn(folder) : 0;
      if (refused < 0) return refused;
    }
    const isSwap = (flags & exchange) !== 0;
    if (to.path !== undefined) this.#arrive(from, to.path);
    if (isSwap && from.path !== undefined && to.file) this.#arrive(to, from.path);
    if (to.host && to.path !== undefined) {
      if (to.file && (flags & noReplace) === 0) {
        if (!isSwap && this.#isLoss(to.path, to.file.stat) && to.file.stat.key !== from.file.stat.key)
          gate(to.path, to.file.stat, 'replaced', from.path);
        keep.noteGone(to.host, to.name, to.path);
        if (isSwap && to.file.stat.isFolder && from.path !== undefined)
          keep.noteMoved(to.host, to.name, to.path, from.path);
      } else if (!to.file) {
        if (!from.file.stat.isFolder) gate(to.path, from.file.stat, 'new', from.path);
        keep.noteNew(to.path);
      }
    }
    if (from.host && from.path !== undefined) {
      if (from.file.stat.isFolder) gate(from.path, from.file.stat, 'gone');
      keep.noteGone(from.host, from.name, from.path);
      if (from.file.stat.isFolder && to.path !== undefined && from.host.path !== to.path)
        keep.noteMoved(from.host, from.name, from.path, to.path);
    }
    return files.renameAt(from.folder, withName(from), to.folder, withName(to), flags);
  }

  /** An entry is about to get another name, with everything in it. */
  #arrive({ file, name, folder, path: at }: Found, to: string): void {
    const { entrance, files } = this.#means;
    if (!file || at === undefined) return;
    if (!file.stat.isFolder) {
      entrance.comes([{ path: to, at, fd: file.fd }]);
      if (file.stat.links > 1) entrance.links(to, file.stat.key);
      return;
    }
    const found: Arriving[] = [];
    const open: number[] = [];
    const walk = (above: number, named: Buffer, from: string, into: string) => {
      const within = files.openAt(above, named, folderPlace);
      if (within < 0) throw new Unkept(-within);
      open.push(within);
      const encoding = 'latin1' as BufferEncoding;
      for (const entry of readdirSync(`/proc/self/fd/${within}`, { withFileTypes: true, encoding })) {
        const inner = Buffer.from(entry.name, 'latin1');
        const path = `${into}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!generatedFolders.has(entry.name) && entry.name !== '.git')
            walk(within, inner, `${from}/${entry.name}`, path);
        } else if (entrance.guards(path)) {
          const fd = files.openAt(within, inner, place | noFollow);
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

  link(froms: number, tos: number, flags: number): number {
    const isOpen = this.#path.length === 0 && (flags & emptyPath) !== 0;
    const from = isOpen
      ? this.#view.descriptor(froms)
      : this.#view.find(froms, this.#path, (flags & followsLink) !== 0);
    return typeof from === 'number' ? from : this.#at(tos, this.#second, (to) => this.#link(from, to));
  }

  #link(from: Found, to: Found): number {
    const { keep, entrance, files } = this.#means;
    const { file } = from;
    if (!file) return -os.errno.ENOENT;
    if (to.file) return -os.errno.EEXIST;
    if (file.stat.isMountRoot) return -os.errno.EXDEV;
    if (to.path !== undefined) {
      const refused = files.mayChangeIn(to.folder);
      if (refused < 0) return refused;
      const at = (from.host && from.path) ?? keep.placeOf(file.fd) ?? `/proc/self/fd/${file.fd}`;
      entrance.comes([{ path: to.path, at, fd: file.fd }]);
      keep.noteNew(to.path);
      entrance.links(to.path, file.stat.key);
    }
    if (from.host && from.path !== undefined) {
      // Its content could be changed by its new name too.
      if (file.stat.isFile && !keep.isMade(file.stat)) keep.noteGone(from.host, from.name, from.path);
      entrance.links(from.path, file.stat.key);
    }
    if (file.stat.links === 0) keep.made(file.stat);
    return from.name.length === 0
      ? files.linkAt(here, Buffer.from(`/proc/self/fd/${file.fd}`), to.folder, withName(to), true)
      : files.linkAt(from.folder, withName(from), to.folder, withName(to));
  }

  symlink(tos: number): number {
    return this.#makeNew(tos, this.#second, true, (folder, name) =>
      this.#means.files.symlinkAt(this.#path, folder, name),
    );
  }

  makeNode(base: number, mode: number, device: bigint): number {
    const rights = mode & ~this.#maskOf();
    return this.#makeNew(base, this.#path, false, (folder, name) =>
      this.#means.files.makeNodeAt(folder, name, rights, Number(device)),
    );
  }

  /** Creates an entry without content. */
  #makeNew(
    base: number,
    given: Buffer,
    isLink: boolean,
    work: (folder: number, name: Buffer) => number,
  ): number {
    const { files, entrance, keep } = this.#means;
    return this.#at(base, given, (to) => {
      if (to.file) return -os.errno.EEXIST;
      if (to.path === undefined) return work(to.folder, withName(to));
      const refused = files.mayChangeIn(to.folder);
      if (refused < 0) return refused;
      if (!isLink) entrance.comes([{ path: to.path, at: '', fd: -1 }]);
      keep.noteNew(to.path);
      const result = work(to.folder, withName(to));
      if (result === 0 && isLink) entrance.came(to.path);
      return result;
    });
  }

  /** Notes the name that the kernel is about to create. */
  makeFolder(base: number): Performed {
    const found = this.#view.find(base, this.#path, false);
    if (typeof found !== 'number' && !found.file && found.path !== undefined)
      this.#means.keep.noteNew(found.path);
    return 'let-through';
  }

  open(base: number, flags: number, mode: number): Performed {
    const closesOnExec = (flags & closeOnExec) !== 0;
    const isNew = (flags & (create | exclusive)) === (create | exclusive);
    for (let tries = 0; tries < mostTries; tries++) {
      const found = this.#view.find(base, this.#path, (flags & noFollow) === 0 && !isNew);
      if (typeof found === 'number') return found;
      const { file } = found;
      if (!file) {
        if ((flags & create) === 0) return -os.errno.ENOENT;
        if (found.mustBeFolder) return -os.errno.EISDIR;
        const made = this.#openNew(found, flags, mode & ~this.#maskOf());
        if (made === -os.errno.EEXIST && !isNew) continue;
        return made < 0 ? made : { descriptor: made, closesOnExec };
      }
      if (isNew) return -os.errno.EEXIST;
      if (file.stat.isLink) return -os.errno.ELOOP;
      if (found.mustBeFolder && !file.stat.isFolder) return -os.errno.ENOTDIR;
      if (file.stat.isFolder)
        return (flags & (create | writeOnly | readWrite | cut)) !== 0 ? -os.errno.EISDIR : -os.errno.ENOENT;
      const opened = this.#openThere(found, file, flags);
      return typeof opened === 'number' && opened >= 0 ? { descriptor: opened, closesOnExec } : opened;
    }
    return -os.errno.EBUSY;
  }

  #openNew({ folder, name, path }: Found, flags: number, mode: number): number {
    const { keep, entrance, files, mask } = this.#means;
    let isLater = false;
    if (path !== undefined) {
      const refused = files.mayChangeIn(folder);
      if (refused < 0) return refused;
      isLater = entrance.opens(path);
      keep.noteNew(path);
    }
    const fd = files.openAt(folder, name, flags | exclusive | closeOnExec | noTerminal, mode);
    if (fd < 0) return fd;
    if ((mode & mask) !== 0) files.changeMode(fd, mode);
    const stat = path === undefined ? -os.errno.ENOENT : files.statAt(fd, nothing);
    if (typeof stat !== 'number') keep.made(stat);
    if (path !== undefined && isLater) entrance.opened(path, fd);
    return fd;
  }

  /** Opens the found file again: the same file, even if its name changed. */
  #openThere(
    found: Found,
    { fd, stat }: NonNullable<Found['file']>,
    flags: number,
    isCut = (flags & cut) !== 0,
  ): number | 'later' {
    const { files } = this.#means;
    // /dev/tty would be the terminal of our own process.
    if (stat.rdev === '5:0') return -os.errno.ENXIO;
    const own = `/proc/self/fd/${fd}`;
    if (!stat.isFile && !stat.isFifo && stat.rdev === '') return -os.errno.ENXIO;
    const { type } = statfsSync(own);
    // A process's own settings in /proc: a write affects only that process.
    if ((type === procfs && !ownSettings.test(readlinkSync(own))) || type === sysfs) return -os.errno.EACCES;
    const asked = (flags & ~(create | exclusive | cut | noFollow)) | closeOnExec | noTerminal;
    if (stat.isFifo) {
      const opened = files.openAt(here, Buffer.from(own), asked | nonBlocking);
      if (opened === -os.errno.ENXIO && (flags & nonBlocking) === 0) return 'later';
      if (opened >= 0 && (flags & nonBlocking) === 0) files.setFlags(opened, flags & append);
      return opened;
    }
    const opened = files.openAt(here, Buffer.from(own), asked);
    if (opened < 0 || !stat.isFile || type === procfs) return opened;
    try {
      if (isCut || (flags & (writeOnly | readWrite)) !== 0)
        this.#keepWritten(found.path, fd, stat, isCut ? 'gone' : 'written');
      const result = (flags & cut) !== 0 ? files.truncate(opened, 0n) : 0;
      if (result === 0) return opened;
      closeSync(opened);
      return result;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
  }

  #keepWritten(path: string | undefined, fd: number, stat: FileStat, how: 'gone' | 'written'): void {
    const { entrance, gate, keep } = this.#means;
    if (path === undefined) return;
    const guarded = entrance.linkedTo(stat.key) ?? path;
    const isLater = entrance.opens(guarded);
    if (this.#isLoss(path, stat)) gate(path, stat, how);
    keep.noteWritten(path, fd, stat);
    if (isLater) entrance.opened(guarded, fd);
  }

  truncate(bytes: bigint): Performed {
    const found = this.#view.find(here, this.#path, true);
    if (typeof found === 'number') return found;
    const { file } = found;
    if (!file) return -os.errno.ENOENT;
    if (file.stat.isFolder) return -os.errno.EISDIR;
    if (!file.stat.isFile || bytes < 0n) return -os.errno.EINVAL;
    const opened = this.#openThere(found, file, writeOnly, true);
    if (typeof opened !== 'number' || opened < 0) return opened;
    const result = this.#means.files.truncate(opened, bytes);
    closeSync(opened);
    return result;
  }

  /** Changes the mode, the owner, the times or an attribute, after noting what they were. */
  alter(base: number, flags = 0): number {
    const isOpen = !this.#isNamed || (this.#path.length === 0 && (flags & emptyPath) !== 0);
    if (isOpen && base !== here) return this.#alter(this.#view.descriptor(base));
    if (!this.#isNamed) return -os.errno.EFAULT;
    return this.#alter(this.#view.find(base, isOpen ? dot : this.#path, (flags & notFollowed) === 0));
  }

  alterOpen(at: number): number {
    return this.#alter(this.#view.descriptor(this.int(at)));
  }

  #alter(found: Found | number): number {
    const { keep, files, isUnconfined } = this.#means;
    if (typeof found === 'number') return found;
    const { file, path } = found;
    const change = this.#change;
    if (!file || !change) return -os.errno.ENOENT;
    // A device that a command sees, such as /dev/null, is the machine's, unless it is a terminal of the command.
    if (!isUnconfined && /^(?!13[6-9]|14[0-3])\d/.test(file.stat.rdev)) return -os.errno.EPERM;
    // A second name has the mode of the file: without the right to read it, only a copy keeps its content.
    const isHidden = change.kind === 'mode' && (change.mode & 0o400) === 0;
    if (path !== undefined && isHidden && file.stat.isFile) keep.noteWritten(path, file.fd, file.stat);
    else if (path !== undefined) keep.noteAltered(path.replace(/\/\.$/, ''), file.stat);
    return files.alter(file.fd, change);
  }

  #readChange(kind: Change, from: number): Alteration | number {
    const { args } = this.#call;
    switch (kind) {
      case 'mode':
        return { kind, mode: this.int(from) & 0o7777 };
      case 'owner': {
        const [user, group] = [this.int(from), this.int(from + 1)];
        // A sandbox's own namespace has one user and one group.
        const isOwn = [-1, process.getuid?.()].includes(user) && [-1, process.getgid?.()].includes(group);
        const seesMachine = this.#means.reach !== undefined || this.#means.isUnconfined;
        return isOwn || seesMachine ? { kind, user, group } : -os.errno.EINVAL;
      }
      case 'attribute':
      case 'no attribute': {
        const name = this.#view.read(args[from] ?? 0n);
        if (typeof name === 'number') return name;
        if (kind === 'no attribute') return { kind: 'attribute', name };
        const bytes = Number(args[from + 2] ?? 0n);
        if (bytes > mostBytes) return -os.errno.E2BIG;
        const value = this.#memoryOf(from + 1, bytes);
        return typeof value === 'number' ? value : { kind, name, value, flags: this.int(from + 3) };
      }
      default: {
        if (args[from] === 0n) return { kind: 'times', times: undefined };
        const memory = this.#memoryOf(from, kind === 'utimbuf' ? 16 : 32);
        return typeof memory === 'number' ? memory : { kind: 'times', times: timesIn(memory, kind) };
      }
    }
  }

  /** The memory of an argument; a negated error number if it is not mapped. */
  #memoryOf(at: number, bytes: number): Buffer | number {
    const memory = Buffer.alloc(bytes);
    if (bytes === 0) return memory;
    const { thread, args } = this.#call;
    return this.#means.calls.readMemory(thread, args[at] ?? 0n, memory) === bytes ? memory : -os.errno.EFAULT;
  }

  #at(base: number, path: Buffer, work: (found: Found) => number): number {
    const found = this.#view.find(base, path, false);
    return typeof found === 'number' ? found : work(found);
  }

  #isLoss(path: string, stat: FileStat): boolean {
    const { keep } = this.#means;
    const isOwn = keep.isMade(stat) && !namesCommits(path);
    return stat.isFile && stat.bytes > 1 && !isOwn && !keep.leavesOut(path);
  }

  #maskOf(): number {
    const { masks } = this.#means;
    const { thread } = this.#call;
    let mask = masks.get(thread);
    if (mask === undefined) {
      const status = readFileSync(`/proc/${thread}/status`, 'latin1');
      mask = Number.parseInt(/^Umask:\s*(\d+)$/m.exec(status)?.[1] ?? '022', 8);
      masks.set(thread, mask);
    }
    return mask;
  }
}

function withName({ name, mustBeFolder }: Found): Buffer {
  return mustBeFolder ? Buffer.concat([name, slash]) : name;
}

/** As `struct timespec[2]`. */
function timesIn(memory: Buffer, form: 'utimbuf' | 'timeval' | 'timespec'): Buffer {
  if (form === 'timespec') return memory;
  const times = Buffer.alloc(32);
  const [next, perSecond] = form === 'utimbuf' ? [8, 0n] : [16, 1000n];
  for (const at of [0, 1]) {
    times.writeBigInt64LE(memory.readBigInt64LE(at * next), at * 16);
    if (form === 'timeval')
      times.writeBigInt64LE(memory.readBigInt64LE(at * next + 8) * perSecond, at * 16 + 8);
  }
  return times;
}

function errnoOf(error: unknown): number {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? os.errno.EIO : Math.abs(errno);
}

const ownSettings =
  /\/\d+\/(task\/\d+\/)?(oom_score_adj|oom_adj|comm|timerslack_ns|coredump_filter|clear_refs|mem|attr\/.*)$/;
const slash = Buffer.from('/');
const dot = Buffer.from('.');
const nothing: Buffer = Buffer.alloc(0);
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
const removeFolder = 0x200;
const noReplace = 1;
const exchange = 2;
const followsLink = 0x400;
const emptyPath = 0x1000;
const notFollowed = 0x100;
const procfs = 0x9fa0;
const sysfs = 0x62656572;
/** The kernel's limit for the value of an attribute. */
const mostBytes = 65_536;
