import { Buffer } from 'node:buffer';
import { type SyscallName, syscallNumbers } from '../../ground/syscalls.ts';
import type { Calls, WaitingCall } from '../sockets/calls.ts';
import { type Alteration, type FileCalls, here } from './file-calls.ts';
import type { Keep } from './keep.ts';
import type { Found, View } from './view.ts';

interface Means {
  readonly calls: Calls;
  readonly files: FileCalls;
  readonly keep: Keep;
  /** Does the command see the machine's own files, with the same users? */
  readonly seesMachine: boolean;
  readonly isUnconfined: boolean;
}

/**
 * Performs the calls that change the mode, the owner, the times or the attributes of an entry, after noting what they
 * were. Undefined: it is another call.
 */
export function createAltering({ calls, files, keep, seesMachine, isUnconfined }: Means) {
  /** The memory of a call's argument; a negated error number if it is not mapped. */
  function memoryOf({ args, thread }: WaitingCall, at: number, bytes: number): Buffer | number {
    const memory = Buffer.alloc(bytes);
    if (bytes === 0) return memory;
    return calls.readMemory(thread, args[at] ?? 0n, memory) === bytes ? memory : -EFAULT;
  }

  function readChange(call: WaitingCall, view: View, { change, from }: Altering): Alteration | number {
    const int = (at: number) => Number(BigInt.asIntN(32, call.args[at] ?? 0n));
    switch (change) {
      case 'mode':
        return { kind: 'mode', mode: int(from) & 0o7777 };
      case 'owner': {
        const [user, group] = [int(from), int(from + 1)];
        // A sandbox's own namespace has one user and one group.
        const isOwn = [-1, process.getuid?.()].includes(user) && [-1, process.getgid?.()].includes(group);
        return isOwn || seesMachine ? { kind: 'owner', user, group } : -EINVAL;
      }
      case 'attribute':
      case 'no attribute': {
        const name = view.read(call.args[from] ?? 0n);
        if (typeof name === 'number') return name;
        if (change === 'no attribute') return { kind: 'attribute', name };
        const bytes = Number(call.args[from + 2] ?? 0n);
        if (bytes > mostBytes) return -E2BIG;
        const value = memoryOf(call, from + 1, bytes);
        return typeof value === 'number' ? value : { kind: 'attribute', name, value, flags: int(from + 3) };
      }
      default: {
        if (call.args[from] === 0n) return { kind: 'times', times: undefined };
        const memory = memoryOf(call, from, change === 'utimbuf' ? 16 : 32);
        return typeof memory === 'number' ? memory : { kind: 'times', times: timesIn(memory, change) };
      }
    }
  }

  return (call: WaitingCall, view: View, isWaiting: () => boolean): number | undefined => {
    const altering = alterings.get(call.number);
    if (!altering) return undefined;
    const int = (at: number) => Number(BigInt.asIntN(32, call.args[at] ?? 0n));
    const { folder, path: pathAt, flags: flagsAt, isItself = false } = altering;
    const isNamed = pathAt !== undefined && call.args[pathAt] !== 0n;
    const path = isNamed ? view.read(call.args[pathAt] ?? 0n) : nothing;
    if (typeof path === 'number') return path;
    const change = readChange(call, view, altering);
    if (typeof change === 'number') return change;
    // Only now is it certain that the arguments belong to the caller.
    if (!isWaiting()) return -ENOENT;
    const flags = flagsAt === undefined ? 0 : int(flagsAt);
    const isOpen = !isNamed || (path.length === 0 && (flags & emptyPath) !== 0);
    const found = isOpen
      ? view.find(here, Buffer.from(`/proc/self/fd/${int(folder ?? 0)}`), true)
      : view.find(folder === undefined ? here : int(folder), path, !isItself && (flags & noFollow) === 0);
    if (typeof found === 'number') return found;
    if (!found.file) return -ENOENT;
    // A device that a command sees, such as /dev/null, is the machine's, unless it is a terminal of the command.
    if (!isUnconfined && /^(?!13[6-9]|14[0-3])\d/.test(found.file.stat.rdev)) return -EPERM;
    note(found, found.file, change);
    return files.alter(found.file.fd, change);
  };

  function note({ folder, name }: Found, { fd, stat }: NonNullable<Found['file']>, change: Alteration): void {
    const host = name.length === 0 ? undefined : keep.hostOf(folder);
    const path = name.length === 0 ? keep.placeOf(fd) : host && `${host.path}/${name.toString('latin1')}`;
    if (path === undefined) return;
    // A second name has the mode of the file: without the right to read it, only a copy keeps its content.
    const isHidden = change.kind === 'mode' && (change.mode & 0o400) === 0;
    if (isHidden && stat.isFile) keep.noteWritten(path, fd, stat);
    else keep.noteAltered(path.replace(/\/\.$/, ''), stat);
  }
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

/** How a call names its entry, and what it changes: positions of arguments. */
interface Altering {
  /** The folder of a relative path, or the open file without one. */
  readonly folder?: number;
  readonly path?: number;
  readonly flags?: number;
  /** It does not follow a link. */
  readonly isItself?: boolean;
  readonly change: 'mode' | 'owner' | 'attribute' | 'no attribute' | 'utimbuf' | 'timeval' | 'timespec';
  /** The first argument of the change. */
  readonly from: number;
}

const byName: Partial<Readonly<Record<SyscallName, Altering>>> = {
  chmod: { path: 0, change: 'mode', from: 1 },
  fchmod: { folder: 0, change: 'mode', from: 1 },
  fchmodat: { folder: 0, path: 1, change: 'mode', from: 2 },
  chown: { path: 0, change: 'owner', from: 1 },
  lchown: { path: 0, isItself: true, change: 'owner', from: 1 },
  fchown: { folder: 0, change: 'owner', from: 1 },
  fchownat: { folder: 0, path: 1, flags: 4, change: 'owner', from: 2 },
  utime: { path: 0, change: 'utimbuf', from: 1 },
  utimes: { path: 0, change: 'timeval', from: 1 },
  futimesat: { folder: 0, path: 1, change: 'timeval', from: 2 },
  utimensat: { folder: 0, path: 1, flags: 3, change: 'timespec', from: 2 },
  setxattr: { path: 0, change: 'attribute', from: 1 },
  lsetxattr: { path: 0, isItself: true, change: 'attribute', from: 1 },
  fsetxattr: { folder: 0, change: 'attribute', from: 1 },
  removexattr: { path: 0, change: 'no attribute', from: 1 },
  lremovexattr: { path: 0, isItself: true, change: 'no attribute', from: 1 },
  fremovexattr: { folder: 0, change: 'no attribute', from: 1 },
};

const alterings = new Map<number, Altering>(
  Object.entries(byName).flatMap(([name, altering]) => {
    const number = syscallNumbers[name as SyscallName][process.arch === 'x64' ? 0 : 1];
    return number === undefined ? [] : [[number, altering] as const];
  }),
);
const nothing = Buffer.alloc(0);
const noFollow = 0x100;
const emptyPath = 0x1000;
/** The kernel's limit for a value. */
const mostBytes = 65_536;
const EPERM = 1;
const ENOENT = 2;
const E2BIG = 7;
const EFAULT = 14;
const EINVAL = 22;
