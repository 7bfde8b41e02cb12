import { closeSync, constants, openSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { constants as os } from 'node:os';
import { relative } from 'node:path';
import { itself, openPath } from '../../files/walk.ts';
import { isInside } from '../../ground/inside.ts';
import { closeOnExec, syscallNumbers } from '../../ground/machine/syscalls.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { type Calls, resolve, type WaitingCall } from '../sockets/calls.ts';
import type { Watch } from '../sockets/watch.ts';
import type { Performed } from '../watched/perform.ts';
import { Instance } from './instance.ts';

/** Descriptors that the program of a layer hands over: see `compileLayer`. */
export interface LayerEnds {
  /** The folders below the overlays. */
  readonly folders: readonly number[];
  /** By each of these, the kernel looks below an overlay anew. */
  readonly contexts: readonly number[];
}

/**
 * Performs the inotify calls of a command on a layer. The kernel tells a program on an overlay nothing of what others
 * change below it, and goes on showing it a file that they replaced. So the program reads from a pipe what an instance of
 * the server reports, which watches each path twice: as the program sees it, and in the folder below. Before the program
 * learns of a change there, the kernel looks there anew. A path leads to nothing else than the program itself sees, and
 * to the entry of the same path in the layer's own folders.
 */
export class LayerWatches {
  readonly #kernel: Kernel;
  readonly #calls: Calls;
  readonly #watch: Watch;
  readonly #ends: LayerEnds;
  /** By the inode of the program's end of the pipe. */
  readonly #instances = new Map<bigint, Instance>();
  readonly #mounts = new Map<number, string>();
  readonly #paused = new Set<Instance>();
  #freshAgainMs = 0;

  constructor(kernel: Kernel, calls: Calls, watch: Watch, ends: LayerEnds) {
    this.#kernel = kernel;
    this.#calls = calls;
    this.#watch = watch;
    this.#ends = ends;
  }

  /** Does an event wait for room in a pipe, or until the kernel may look below again? */
  get waits(): boolean {
    return this.#paused.size > 0;
  }

  /** `isWaiting`: is the caller still there, so that its number is not another's? */
  perform({ number, thread, args }: WaitingCall, isWaiting: () => boolean): Performed {
    const [first = 0n, second = 0n, third = 0n] = args;
    if (number === numberOf('inotify_init')) return this.#open(0);
    if (number === numberOf('inotify_init1')) return this.#open(Number(BigInt.asUintN(32, first)));
    const file = statSync(`/proc/${thread}/fd/${BigInt.asIntN(32, first)}`, {
      bigint: true,
      throwIfNoEntry: false,
    });
    const instance = file && this.#instances.get(file.ino);
    if (!instance) return 'let-through';
    if (number === numberOf('inotify_rm_watch')) return instance.remove(Number(BigInt.asIntN(32, second)));
    const path = this.#calls.readPath(thread, second);
    if (typeof path === 'number') return path;
    if (path.length === 0 || !isWaiting()) return -os.errno.ENOENT;
    return this.#add(instance, thread, path, Number(BigInt.asUintN(32, third)));
  }

  /** False if the descriptor is none of these. */
  deal(fd: number, isReadable: boolean): boolean {
    const found = this.#instances.entries().find(([, { reports, pipe }]) => reports === fd || pipe === fd);
    if (!found) return false;
    const [pipe, instance] = found;
    // Nobody has the other end any more.
    if (instance.pipe === fd && !isReadable) this.#drop(pipe, instance);
    else this.#pass();
    return true;
  }

  tryAgain(): void {
    if (this.waits) this.#pass();
  }

  close(): void {
    for (const [pipe, instance] of this.#instances) this.#drop(pipe, instance);
    for (const fd of [...this.#ends.folders, ...this.#ends.contexts]) closeSync(fd);
  }

  #open(flags: number): Performed {
    if ((flags & ~(nonBlocking | closeOnExec)) !== 0) return -os.errno.EINVAL;
    if (this.#instances.size >= mostInstances) return -os.errno.EMFILE;
    const { syscall, errno } = this.#kernel;
    const reports = syscall('inotify_init1', nonBlocking | closeOnExec);
    if (reports < 0) return -errno();
    const ends = Buffer.alloc(8);
    // A pipe of packets: a read gets whole events.
    if (syscall('pipe2', ends, constants.O_DIRECT | nonBlocking | closeOnExec) < 0) {
      closeSync(reports);
      return -os.errno.EMFILE;
    }
    const [descriptor, pipe] = [ends.readInt32LE(0), ends.readInt32LE(4)];
    syscall('fcntl', pipe, setPipeSize, pipeBytes);
    syscall('fcntl', descriptor, setFlags, flags & nonBlocking);
    this.#watch.add(reports, watching);
    this.#watch.add(pipe, watching);
    const { ino } = statSync(itself(descriptor), { bigint: true });
    this.#instances.set(ino, new Instance(this.#kernel, reports, pipe));
    return { descriptor, closesOnExec: (flags & closeOnExec) !== 0 };
  }

  #add(instance: Instance, thread: number, path: Buffer, mask: number): number {
    const root = openSync(`/proc/${thread}/root`, openPath);
    using _ = defer(() => closeSync(root));
    const whole =
      path[0] === slash
        ? path
        : Buffer.concat([readlinkSync(`/proc/${thread}/cwd`, 'buffer'), Buffer.from('/'), path]);
    const flags = placeOnly | ((mask & notFollowed) === 0 ? 0 : constants.O_NOFOLLOW);
    const place = this.#calls.openIn(root, whole, flags, resolve.inRoot | resolve.noMagicLinks);
    if (place < 0) return place;
    using _place = defer(() => closeSync(place));
    const below = this.#openBelow(place, root);
    using _below = defer(() => below !== undefined && closeSync(below));
    return instance.add(place, below, (mask & ~notFollowed) >>> 0);
  }

  /** The entry of the same path in the folder below; undefined if there is none, or it is not on an overlay of ours. */
  #openBelow(place: number, root: number): number | undefined {
    const path = readlinkSync(itself(place));
    const folder = this.#ends.folders.find((each) => isInside(path, readlinkSync(itself(each))));
    if (folder === undefined) return undefined;
    const top = readlinkSync(itself(folder));
    // Something else may be mounted there, which hides the folder.
    if (mountOf(place) !== this.#mountAt(folder, top, root)) return undefined;
    const name = Buffer.from(relative(top, path) || '.');
    const below = this.#calls.openIn(folder, name, placeOnly, resolve.beneath | resolve.noLinks);
    if (below < 0) return undefined;
    const [seen, real] = [place, below].map((fd) => statSync(itself(fd)).isDirectory());
    if (seen === real) return below;
    closeSync(below);
    return undefined;
  }

  /** The mount of an overlay as the command has it. */
  #mountAt(folder: number, top: string, root: number): string | undefined {
    const known = this.#mounts.get(folder);
    if (known !== undefined) return known;
    const at = this.#calls.openIn(root, Buffer.from(top), placeOnly, resolve.inRoot | resolve.noLinks);
    if (at < 0) return undefined;
    using _ = defer(() => closeSync(at));
    const mount = mountOf(at);
    this.#mounts.set(folder, mount);
    return mount;
  }

  /** Passes on what is reported to all, as one look below serves them. */
  #pass(): void {
    const all = [...this.#instances.values()];
    for (const instance of all) instance.take();
    const isFresh = !all.some(({ isBehind }) => isBehind) || this.#lookBelow();
    for (const instance of all) {
      if (isFresh || !instance.isBehind) {
        instance.isBehind = false;
        instance.send();
      }
      this.#pauseWhile(instance);
    }
  }

  /** False if it was done too shortly before: it holds up the thread. */
  #lookBelow(): boolean {
    const beganMs = performance.now();
    if (beganMs < this.#freshAgainMs) return false;
    for (const context of this.#ends.contexts)
      this.#kernel.syscall('fsconfig', context, reconfigure, null, null, 0);
    const endedMs = performance.now();
    this.#freshAgainMs = endedMs + Math.min(longestMs, 2 * (endedMs - beganMs));
    return true;
  }

  /** The kernel keeps what comes meanwhile, and counts it. */
  #pauseWhile(instance: Instance): void {
    if (instance.waits === this.#paused.has(instance)) return;
    if (instance.waits) {
      this.#paused.add(instance);
      this.#watch.remove(instance.reports);
    } else {
      this.#paused.delete(instance);
      this.#watch.add(instance.reports, watching);
    }
  }

  #drop(pipe: bigint, instance: Instance): void {
    this.#instances.delete(pipe);
    this.#paused.delete(instance);
    instance.close();
  }
}

/** Stored beside a descriptor of an instance in the thread's watch. */
export const watching = -2;

function numberOf(name: 'inotify_init' | 'inotify_init1' | 'inotify_rm_watch'): number | undefined {
  return syscallNumbers[name][process.arch === 'x64' ? 0 : 1];
}

/** The number of the mount that an open entry is on. */
function mountOf(fd: number): string {
  const [, mount] = /^mnt_id:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
  if (mount === undefined) throw new Error('the kernel does not tell mounts');
  return mount;
}

const placeOnly = openPath | closeOnExec;
const slash = 0x2f;
const nonBlocking = 0o4000;
/** IN_DONT_FOLLOW */
const notFollowed = 0x02000000;
/** fcntl(2) */
const [setFlags, setPipeSize] = [4, 1031];
/** FSCONFIG_CMD_RECONFIGURE: the kernel forgets the names of the overlay that nobody has open. */
const reconfigure = 7;
const longestMs = 60;
/** An event takes a page of it. */
const pipeBytes = 64 * 4096;
const mostInstances = 64;
