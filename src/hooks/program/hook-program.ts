import { Buffer } from 'node:buffer';
import { assemble, type Kept, type Operation } from '../../ground/assemble.ts';
import { createConstants, linkProgram, writable } from '../../ground/elf.ts';
import type { CommonSyscall } from '../../ground/syscalls.ts';

export interface HookProgram {
  /** The client whose events it forwards. */
  readonly client: string;
  /** The socket on which a server answers in the binary form of `answer.ts`. */
  readonly socket: string;
  /** Created by the process that starts the server; the others wait for it. */
  readonly note: string;
  /** The path and arguments of the server, which is started if none answers, and the file for its output. */
  readonly server: readonly string[];
  readonly log: string;
  /** The slow hook with the same effect: the program's path and its arguments. */
  readonly slowly: readonly string[];
  /** Written if an answer was cut, or nothing could be started. */
  readonly refusal: string;
}

/**
 * A client's hook as a program without a runtime, whose start would add 25 ms and more to each use of a tool. It sends
 * its input to the server and copies the answer; if no server answers, one of the concurrent hooks starts it. Until an
 * answer has begun, any failure makes it become the slow hook, which reads the same input again; after that it refuses.
 * It has no other end.
 */
export function compileHook(program: HookProgram, architecture: 'x64' | 'arm64'): Buffer {
  const address = socketAddress(program.socket);
  const { put, putText, bytes } = createConstants();
  const slowly = program.slowly.map(putText);
  const server = program.server.map(putText);
  const greeting = Buffer.from(`${program.client}\0`);
  const refusal = Buffer.from(program.refusal);
  const at = {
    name: putText('hook'),
    address: put(address),
    note: putText(program.note),
    greeting: put(greeting),
    brokenPipe: put(signals(13)),
    null: putText('/dev/null'),
    log: putText(program.log),
    refusal: put(refusal),
  };
  const operations: readonly Operation[] = [
    call('memfd_create', at.name, closeOnExec),
    jump('become', 'failed'),
    keep(event),
    label('read'),
    call('read', stdin, buffer, bufferBytes),
    jump('rewind', 'failed'),
    jump('connect', 'zero'),
    keep(length),
    call('write', kept(event), buffer, kept(length)),
    differs('rewind', length),
    jump('read'),

    label('connect'),
    call('socket', unix, streaming | closeSocketOnExec, 0),
    jump('rewind', 'failed'),
    keep(socket),
    call('connect', kept(socket), at.address, address.length),
    jump('send', 'zero'),
    // No server listens: one hook starts it, and all wait for it.
    call('openat', workingFolder, at.note, createOnly, 0o600),
    isNot('start', -fileExists),
    jump('wait'),
    label('start'),
    jump('rewind', 'failed'),
    call('clone', tellParent, 0, 0, 0, 0),
    jump('rewind', 'failed'),
    jump('serve', 'zero'),
    label('wait'),
    ...pauses.flatMap(({ count, ms }) => {
      const pause = put(nanoseconds(ms * 1_000_000));
      return Array.from({ length: count }).flatMap(() => [
        call('nanosleep', pause, 0),
        // Its server removes the note when it listens, and when it gives up.
        call('faccessat', workingFolder, at.note, 0),
        jump('last', 'failed'),
        call('connect', kept(socket), at.address, address.length),
        jump('send', 'zero'),
      ]);
    }),
    label('last'),
    call('connect', kept(socket), at.address, address.length),
    jump('send', 'zero'),
    jump('rewind'),

    // The server runs detached, with nothing open that the client might wait for.
    label('serve'),
    call('setsid'),
    call('openat', workingFolder, at.null, closeOnExecToRead, 0),
    keep(length),
    call('dup3', kept(length), stdin, 0),
    jump('give-up', 'failed'),
    call('openat', workingFolder, at.log, createAnew, 0o600),
    keep(length),
    call('dup3', kept(length), stdout, 0),
    jump('give-up', 'failed'),
    call('dup3', kept(length), stderr, 0),
    jump('give-up', 'failed'),
    { does: 'become', path: server[0] ?? 0, args: put(pointers(server)) },
    label('give-up'),
    call('unlinkat', workingFolder, at.note, 0),
    call('exit', 1),

    label('send'),
    call('sendto', kept(socket), at.greeting, greeting.length, noSignal, 0, 0),
    isNot('rewind', greeting.length),
    call('getcwd', buffer, bufferBytes),
    jump('rewind', 'failed'),
    keep(length),
    call('sendto', kept(socket), buffer, kept(length), noSignal, 0, 0),
    differs('rewind', length),
    call('lseek', kept(event), 0, 0),
    label('send-more'),
    call('read', kept(event), buffer, bufferBytes),
    jump('rewind', 'failed'),
    jump('sent', 'zero'),
    keep(length),
    call('sendto', kept(socket), buffer, kept(length), noSignal, 0, 0),
    differs('rewind', length),
    jump('send-more'),
    label('sent'),
    call('shutdown', kept(socket), writing),

    // The head: the exit status, the stream to write to, and the number of bytes.
    call('recvfrom', kept(socket), head, headBytes, whole, 0, 0),
    isNot('rewind', headBytes),
    load(left, head + 8),
    // The reader may be gone: SIGPIPE must not change the exit status.
    call('rt_sigprocmask', 0, at.brokenPipe, 0, 8),
    load(stream, head + 4),
    label('copy'),
    call('recvfrom', kept(socket), buffer, bufferBytes, 0, 0, 0),
    jump('refuse', 'failed'),
    jump('copied', 'zero'),
    keep(length),
    { does: 'subtract', from: left },
    call('write', kept(stream), buffer, kept(length)),
    differs('refuse', length),
    jump('copy'),
    label('copied'),
    // The zero that marked the end: everything that was promised has come.
    differs('refuse', left),
    load(stream, head),
    call('exit', kept(stream)),

    label('rewind'),
    call('lseek', kept(event), 0, 0),
    call('dup3', kept(event), stdin, 0),
    label('become'),
    { does: 'become', path: slowly[0] ?? 0, args: put(pointers(slowly)) },
    label('refuse'),
    call('write', stderr, at.refusal, refusal.length),
    call('exit', refused),
  ];
  const code = assemble(operations, architecture);
  return linkProgram({ code, data: bytes(), writableBytes: headAt + headBytes }, architecture);
}

const event: Kept = 0;
const socket: Kept = 1;
const length: Kept = 2;
const left: Kept = 3;
/** The event is no longer needed when an answer has begun, so its register is free. */
const stream: Kept = event;

const bufferBytes = 0x10000;
const headAt = bufferBytes;
const buffer = writable;
const head = writable + headAt;
const headBytes = 12;

const [stdin, stdout, stderr] = [0, 1, 2];
const refused = 2;
const [unix, streaming, closeSocketOnExec] = [1, 1, 0o2000000];
const closeOnExec = 1;
const workingFolder = -100;
/** O_WRONLY, O_CREAT, O_EXCL, O_CLOEXEC */
const createOnly = 0o2000301;
/** O_WRONLY, O_CREAT, O_TRUNC, O_CLOEXEC */
const createAnew = 0o2001101;
const closeOnExecToRead = 0o2000000;
/** SIGCHLD */
const tellParent = 17;
const fileExists = 17;
const [noSignal, whole, writing] = [0x4000, 0x100, 1];
/** Retries for 10 s, the most that a server needs on a busy machine; at short intervals first, as 250 ms is usual. */
const pauses = [
  { count: 50, ms: 10 },
  { count: 30, ms: 40 },
  { count: 30, ms: 280 },
];

const kept = (register: Kept) => ({ kept: register });
const call = (name: CommonSyscall, ...args: readonly (number | { kept: Kept })[]): Operation => ({
  does: 'call',
  name,
  args,
});
const keep = (register: Kept): Operation => ({ does: 'keep', in: register });
const load = (register: Kept, from: number): Operation => ({ does: 'load', in: register, from });
const label = (name: string): Operation => ({ does: 'label', name });
const jump = (to: string, when?: 'failed' | 'zero'): Operation => ({ does: 'jump', to, when });
const differs = (to: string, than: Kept): Operation => ({ does: 'jump', to, when: 'differs', than });
const isNot = (to: string, number: number): Operation => ({ does: 'jump', to, when: 'is-not', number });

function socketAddress(path: string): Buffer {
  const bytes = Buffer.from(`\0\0${path}\0`);
  bytes.writeUInt16LE(unix, 0);
  if (bytes.length > 110) throw new Error('the path of the socket is too long');
  return bytes;
}

/** An array of addresses for the kernel, with its terminator. */
function pointers(addresses: readonly number[]): Buffer {
  const bytes = Buffer.alloc((addresses.length + 1) * 8);
  for (const [index, address] of addresses.entries()) bytes.writeBigUInt64LE(BigInt(address), index * 8);
  return bytes;
}

/** A set of one signal. */
function signals(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(2 ** (number - 1), 0);
  return bytes;
}

function nanoseconds(count: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(count, 8);
  return bytes;
}
