import type { Kept, Operation } from '../../ground/machine/assemble.ts';
import type { createConstants } from '../../ground/machine/elf.ts';
import type { CommonSyscall } from '../../ground/machine/syscalls.ts';

/** The server that a program without a runtime reaches, and how it is started if none answers. */
export interface ReachedServer {
  readonly socket: string;
  /** Created by the process that starts the server; the others wait for it. */
  readonly note: string;
  /** The path and arguments of the server, and the file for its output. */
  readonly server: readonly string[];
  readonly log: string;
}

/** The position at which a program goes on, and the registers that it lends. */
interface Reaching {
  readonly joined: string;
  readonly failed: string;
  readonly socket: Kept;
  readonly spare: Kept;
  /** The steps of the server's process before it becomes the server. */
  readonly apart?: readonly Operation[];
}

/** Connects to the server; if none listens, one of the programs that come at once starts it, and all wait for it. */
export function reach(
  { socket: path, note, server, log }: ReachedServer,
  { put, putText }: ReturnType<typeof createConstants>,
  { joined, failed, socket, spare, apart = [] }: Reaching,
): readonly Operation[] {
  const address = socketAddress(path);
  const at = { address: put(address), note: putText(note), null: putText('/dev/null'), log: putText(log) };
  const args = server.map(putText);
  const connect = call('connect', kept(socket), at.address, address.length);
  return [
    call('socket', unix, streaming | closeSocketOnExec, 0),
    jump(failed, 'failed'),
    keep(socket),
    connect,
    jump(joined, 'zero'),
    call('openat', workingFolder, at.note, createOnly, 0o600),
    isNot('server: start', -fileExists),
    jump('server: wait'),
    label('server: start'),
    jump(failed, 'failed'),
    call('clone', tellParent, 0, 0, 0, 0),
    jump(failed, 'failed'),
    jump('server: serve', 'zero'),
    label('server: wait'),
    ...pauses.flatMap(({ count, ms }) => [
      { does: 'set', in: spare, to: count } as const,
      label(`server: each ${ms} ms`),
      call('nanosleep', put(nanoseconds(ms * 1_000_000)), 0),
      // Its server removes the note when it listens, and when it gives up.
      call('faccessat', workingFolder, at.note, 0),
      jump('server: last', 'failed'),
      connect,
      jump(joined, 'zero'),
      { does: 'jump', to: `server: each ${ms} ms`, when: 'left', of: spare } as const,
    ]),
    label('server: last'),
    connect,
    jump(joined, 'zero'),
    jump(failed),

    // The server runs detached, with nothing open that the client might wait for.
    label('server: serve'),
    call('setsid'),
    ...apart,
    call('openat', workingFolder, at.null, closeOnExecToRead, 0),
    keep(spare),
    call('dup3', kept(spare), stdin, 0),
    jump('server: give-up', 'failed'),
    call('openat', workingFolder, at.log, createAnew, 0o600),
    keep(spare),
    call('dup3', kept(spare), stdout, 0),
    jump('server: give-up', 'failed'),
    call('dup3', kept(spare), stderr, 0),
    jump('server: give-up', 'failed'),
    { does: 'become', path: args[0] ?? 0, args: put(pointers(args)) },
    label('server: give-up'),
    call('unlinkat', workingFolder, at.note, 0),
    call('exit', 1),
  ];
}

/** Throws if the path does not fit into a socket's address. */
export function socketAddress(path: string): Buffer {
  const bytes = Buffer.from(`\0\0${path}\0`);
  bytes.writeUInt16LE(unix, 0);
  if (bytes.length > 110) throw new Error('the path of the socket is too long');
  return bytes;
}

/** An array of addresses for the kernel, with its terminator. */
export function pointers(addresses: readonly number[]): Buffer {
  const bytes = Buffer.alloc((addresses.length + 1) * 8);
  for (const [index, address] of addresses.entries()) bytes.writeBigUInt64LE(BigInt(address), index * 8);
  return bytes;
}

/** A set of signals. */
export function signals(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(
    numbers.reduce((set, number) => set + 2 ** (number - 1), 0),
    0,
  );
  return bytes;
}

/** A time for the kernel. */
export function nanoseconds(count: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(Math.floor(count / 1e9), 0);
  bytes.writeUInt32LE(count % 1e9, 8);
  return bytes;
}

export const kept = (register: Kept) => ({ kept: register });
export const call = (name: CommonSyscall, ...args: readonly (number | { kept: Kept })[]): Operation => ({
  does: 'call',
  name,
  args,
});
export const keep = (register: Kept): Operation => ({ does: 'keep', in: register });
export const use = (register: Kept): Operation => ({ does: 'use', kept: register });
export const load = (register: Kept, from: number, bits: 32 | 64 = 32): Operation => ({
  does: 'load',
  in: register,
  from,
  bits,
});
export const label = (name: string): Operation => ({ does: 'label', name });
export const jump = (to: string, when?: 'failed' | 'zero'): Operation => ({ does: 'jump', to, when });
export const differs = (to: string, than: Kept): Operation => ({ does: 'jump', to, when: 'differs', than });
export const isNot = (to: string, number: number): Operation => ({
  does: 'jump',
  to,
  when: 'is-not',
  number,
});

export const [stdin, stdout, stderr] = [0, 1, 2] as const;
export const noSignal = 0x4000;
export const whole = 0x100;
export const closeOnExec = 1;
export const brokenPipe = 13;

export const [unix, streaming] = [1, 1] as const;
const closeSocketOnExec = 0o2000000;
const workingFolder = -100;
/** O_WRONLY, O_CREAT, O_EXCL, O_CLOEXEC */
const createOnly = 0o2000301;
/** O_WRONLY, O_CREAT, O_TRUNC, O_CLOEXEC */
const createAnew = 0o2001101;
const closeOnExecToRead = 0o2000000;
/** SIGCHLD */
const tellParent = 17;
const fileExists = 17;
/** Retries for 10 s, the most that a server needs on a busy machine; at short intervals first, as 150 ms is usual. */
const pauses = [
  { count: 150, ms: 3 },
  { count: 30, ms: 40 },
  { count: 30, ms: 280 },
];
