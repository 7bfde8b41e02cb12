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
  nanoseconds,
  noSignal,
  type ReachedServer,
  reach,
  signals,
  socketAddress,
  stdin,
  stdout,
  streaming,
  unix,
  use,
  whole,
} from '../../hooks/program/operations.ts';
import { descriptors, memoryNames } from './memory-names.ts';

/**
 * The resident server's messages to the program: a head of the kind, the length of the bytes that follow, and a number.
 * `exit` ends it with the number as its status. `said` goes to stdout and `logged` to stderr, after the `part`s that
 * came before. `welcome` lets the client's bytes flow, from the position in the number. `alone` declines the session,
 * with the reason, and `elsewhere` leads to another server.
 */
export const kinds = { exit: 0, said: 1, logged: 2, part: 3, welcome: 4, alone: 5, elsewhere: 6 } as const;
export const headBytes = 16;
/** The most bytes that follow a head. */
export const maxPartBytes = 0x10000;

/**
 * Joins the streams of `sekisho serve` to the resident server, without a runtime. It knows nothing of messages: it keeps
 * the client's bytes (`up`) until the server removes them, and the server's notes (`notes`), which begin with the last
 * head that it received whole. If the server dies or falls silent, the program starts or finds the next one, which
 * reads both and goes on. If none serves it, it becomes its arguments: `serve` with a runtime.
 */
export function compileSmallProgram(
  server: ReachedServer & { readonly runtime: string },
  architecture: 'x64' | 'arm64',
): Buffer {
  const constants = createConstants();
  const { put, putText } = constants;
  const runtime = putText(server.runtime);
  const held = put(signals(brokenPipe, hangUp, interrupt, terminate));
  const none = put(signals());
  const silence = put(nanoseconds(silentMs * 1_000_000));
  const patience = put(nanoseconds(patienceMs * 1_000_000));
  const address = socketAddress(server.socket);
  const own = (name: string, number: number): readonly Operation[] => [
    call('memfd_create', putText(name), closeOnExec),
    jump('become', 'failed'),
    keep(length),
    call('dup3', kept(length), number, cloexec),
    call('close', kept(length)),
  ];
  /** An entry for ppoll. */
  const watch = (index: number, descriptor: number, events: number): readonly Operation[] => [
    { does: 'store', at: polled + index * 8, number: descriptor },
    { does: 'store', at: polled + index * 8 + 4, number: events },
  ];
  const operations: readonly Operation[] = [
    ...own(memoryNames.up, descriptors.up),
    ...own(memoryNames.notes, descriptors.notes),
    ...own('sekisho-spool', spool),
    call('rt_sigprocmask', setMask, held, 0, 8),
    call('signalfd4', -1, put(signals(hangUp, interrupt, terminate)), 8, cloexec | dontBlock),
    jump('become', 'failed'),
    keep(length),
    call('dup3', kept(length), told, cloexec),
    call('close', kept(length)),
    ...watch(0, stdin, readable),
    ...watch(2, told, readable),
    { does: 'set', in: hasBegun, to: 0 },
    // Counts the attempts until then.
    { does: 'set', in: kind, to: 5 },

    label('join'),
    ...reach(server, constants, {
      joined: 'joined',
      failed: 'unserved',
      socket: length,
      spare: at,
      apart: [call('rt_sigprocmask', setMask, none, 0, 8)],
    }),
    label('joined'),
    call('dup3', kept(length), socket, cloexec),
    call('close', kept(length)),
    ...watch(1, socket, readable),
    call('ppoll', polled + 8, 1, patience, 0, 0),
    jump('slow', 'zero'),
    call('recvfrom', socket, head, headBytes, whole, 0, 0),
    isNot('refused', headBytes),
    load(length, head),
    use(length),
    isNot('declined', kinds.welcome),
    load(sent, head + 8, 64),
    { does: 'set', in: hasBegun, to: 1 },

    // Sends what the server does not have yet. What it cannot take now waits, and the client with it.
    label('turn'),
    call('pread64', descriptors.up, buffer, maxPartBytes, kept(sent)),
    jump('idle', 'zero'),
    keep(length),
    call('sendto', socket, buffer, kept(length), dontWait | noSignal, 0, 0),
    jump('full', 'failed'),
    { does: 'add', to: sent },
    jump('turn'),
    label('full'),
    ...watch(0, -1, readable),
    ...watch(1, socket, readable | takesMore),
    call('ppoll', polled, 3, silence, 0, 0),
    ...watch(0, stdin, readable),
    ...watch(1, socket, readable),
    jump('silent', 'zero'),
    jump('receive'),
    label('idle'),
    // Once the client's bytes have ended, their end is told again to each next server.
    load(length, polled),
    use(length),
    jump('wait', 'zero'),
    call('shutdown', socket, writing),
    label('wait'),
    call('ppoll', polled, 3, silence, 0, 0),
    jump('silent', 'zero'),

    label('receive'),
    call('recvfrom', socket, head, headBytes, peek | dontWait, 0, 0),
    jump('hear', 'failed'),
    call('recvfrom', socket, head, headBytes, whole, 0, 0),
    isNot('lost', headBytes),
    load(length, head + 4),
    use(length),
    jump('received', 'zero'),
    call('recvfrom', socket, buffer, kept(length), whole, 0, 0),
    differs('lost', length),
    call('write', spool, buffer, kept(length)),
    label('received'),
    load(kind, head),
    use(kind),
    isNot('print', kinds.part),
    jump('turn'),
    label('print'),
    use(kind),
    jump('over', 'zero'),
    // From here on the next server takes it for received.
    call('pwrite64', descriptors.notes, head, headBytes, 0),
    { does: 'set', in: at, to: 0 },
    label('print-more'),
    call('pread64', spool, buffer, maxPartBytes, kept(at)),
    jump('printed', 'zero'),
    keep(length),
    call('write', kept(kind), buffer, kept(length)),
    jump('unprinted', 'failed'),
    { does: 'add', to: at },
    jump('print-more'),
    label('unprinted'),
    keep(length),
    use(kind),
    isNot('printed', stdout),
    use(length),
    isNot('left', -tryAgain),
    ...watch(3, stdout, takesMore),
    call('ppoll', polled + 3 * 8, 1, 0, 0, 0),
    jump('print-more'),
    label('printed'),
    call('ftruncate', spool, 0),
    call('lseek', spool, 0, 0),
    jump('turn'),

    label('hear'),
    call('read', told, buffer, maxPartBytes),
    jump('read', 'failed'),
    // A second connection of this process asks the server to end the session.
    call('socket', unix, streaming | cloexec, 0),
    jump('read', 'failed'),
    keep(length),
    call('connect', kept(length), put(address), address.length),
    call('close', kept(length)),
    label('read'),
    load(length, polled + 4),
    use(length),
    isNot('read-on', readable),
    jump('turn'),
    label('read-on'),
    { does: 'store', at: polled + 4, number: readable },
    call('read', stdin, buffer, maxPartBytes),
    jump('ended', 'failed'),
    jump('ended', 'zero'),
    keep(length),
    call('write', descriptors.up, buffer, kept(length)),
    differs('left', length),
    jump('turn'),
    label('ended'),
    ...watch(0, -1, readable),
    jump('turn'),

    label('refused'),
    // A server that ends may have taken the connection before its socket closed.
    call('nanosleep', put(nanoseconds(50_000_000)), 0),
    use(hasBegun),
    isNot('lost', 0),
    { does: 'jump', to: 'lost', when: 'left', of: kind },
    jump('alone'),
    label('slow'),
    use(hasBegun),
    jump('alone', 'zero'),
    label('silent'),
    { does: 'store', at: lengthOfPeer, number: 12 },
    call('getsockopt', socket, socketLevel, peerOfSocket, buffer, lengthOfPeer),
    load(length, buffer),
    call('kill', kept(length), killed),
    label('lost'),
    call('close', socket),
    call('ftruncate', spool, 0),
    call('lseek', spool, 0, 0),
    call('wait4', -1, 0, noHang, 0),
    jump('join'),
    label('over'),
    load(length, head + 8),
    call('exit', kept(length)),
    label('left'),
    call('exit', 0),

    label('declined'),
    use(length),
    isNot('become', kinds.alone),
    load(length, head + 4),
    call('recvfrom', socket, buffer, kept(length), whole, 0, 0),
    call('write', descriptors.up, buffer, kept(length)),
    label('unserved'),
    use(hasBegun),
    jump('alone', 'zero'),
    call('dup3', descriptors.notes, descriptors.mark, 0),
    jump('become'),
    label('alone'),
    call('dup3', descriptors.up, descriptors.mark, 0),
    label('become'),
    call('rt_sigprocmask', setMask, none, 0, 8),
    { does: 'become', path: runtime, args: 'own' },
    call('exit', failed),
  ];
  const code = assemble(operations, architecture);
  return linkProgram(
    { code, data: constants.bytes(), writableBytes: lengthOfPeer + 8 - writable },
    architecture,
  );
}

const length: Kept = 0;
const at: Kept = 1;
const sent: Kept = 2;
const hasBegun: Kept = 3;
const kind: Kept = 4;

const [socket, spool, told] = [92, 93, 94];
const buffer = writable;
const head = buffer + maxPartBytes;
const polled = head + headBytes;
const lengthOfPeer = polled + 4 * 8;

/** The server says something more often than this, or it hangs. */
const silentMs = 35_000;
/** How long a server may take to welcome a client, or to decline. */
const patienceMs = 15_000;
export const signOfLifeMs = 10_000;
/** The status for a system that could not serve. */
const failed = 3;
const [hangUp, interrupt, killed, terminate] = [1, 2, 9, 15];
const setMask = 2;
const cloexec = 0o2000000;
const dontBlock = 0o4000;
const [readable, takesMore] = [1, 4];
const [peek, dontWait] = [2, 0x40];
const [socketLevel, peerOfSocket] = [1, 17];
const noHang = 1;
const writing = 1;
const tryAgain = 11;
