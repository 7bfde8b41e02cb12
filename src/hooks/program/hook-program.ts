import { assemble, type Kept, type Operation } from '../../ground/machine/assemble.ts';
import { createConstants, linkProgram, writable } from '../../ground/machine/elf.ts';
import {
  brokenPipe,
  call,
  closeOnExec,
  differs,
  isNot,
  jump,
  keep,
  kept,
  label,
  load,
  noSignal,
  pointers,
  type ReachedServer,
  reach,
  signals,
  stderr,
  stdin,
  whole,
} from './operations.ts';

/** A hook; its server answers in the binary form of `answer.ts`. */
export interface HookProgram extends ReachedServer {
  /** The client whose events it forwards. */
  readonly client: string;
  /** The arguments that would follow the client. */
  readonly args: readonly string[];
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
  const constants = createConstants();
  const { put, putText } = constants;
  const slowly = program.slowly.map(putText);
  const greeting = Buffer.from(`${program.client}\0${JSON.stringify(program.args)}\0`);
  const refusal = Buffer.from(program.refusal);
  const at = {
    name: putText('hook'),
    greeting: put(greeting),
    brokenPipe: put(signals(brokenPipe)),
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
    ...reach(program, constants, { joined: 'send', failed: 'rewind', socket, spare: length }),

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
  const data = constants.bytes();
  return linkProgram({ code, data, writableBytes: headAt + headBytes }, architecture);
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

const refused = 2;
const writing = 1;
