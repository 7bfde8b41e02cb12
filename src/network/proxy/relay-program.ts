import { createConstants } from '../../ground/machine/elf.ts';
import { compileProgram, putMessage, type Step } from '../../ground/machine/static-program.ts';
import { closeOnExec, thisProcessor } from '../../ground/machine/syscalls.ts';

/** Descriptors of the program, besides the three streams. */
export interface RelayDescriptors {
  /** The program itself. */
  readonly self: number;
  /** A Unix socket that receives the listeners, in the order of their ports. */
  readonly listeners: number;
  /** Gets one byte when all of them have been sent. */
  readonly ready: number;
}

/** An address (IPv4) and a port to listen on; without a port, a Unix socket of that name in the current folder. */
export interface Listened {
  readonly address: string;
  readonly port?: number | undefined;
}

/**
 * The first program in a network of its own. It listens on addresses of that network's loopback, sends the listening
 * sockets out, closes these descriptors and becomes the command in its arguments.
 */
export function compileRelay(
  listened: readonly Listened[],
  descriptors: RelayDescriptors,
  architecture = thisProcessor(),
): Buffer {
  const data = layOut(listened, descriptors);
  const steps: readonly Step[] = [
    // The filter's descriptor, which its loader left open; from here on this is the lowest free number.
    { call: 'close', args: [listener], mayFail: true },
    ...data.addresses.flatMap(({ family, at, bytes }): readonly Step[] => [
      { call: 'socket', args: [family, stream | closeOnExec, 0] },
      { call: 'bind', args: [listener, at, bytes] },
      { call: 'listen', args: [listener, backlog] },
      { call: 'sendmsg', args: [descriptors.listeners, data.message, 0] },
      { call: 'close', args: [listener] },
    ]),
    { call: 'write', args: [descriptors.ready, data.message, 1] },
    ...[descriptors.self, descriptors.listeners, descriptors.ready].map(
      (fd): Step => ({ call: 'close', args: [fd] }),
    ),
  ];
  return compileProgram(steps, data.bytes, architecture);
}

/** The first `socket` returns this: only the streams and the descriptors from 4 on are open. */
const listener = 3;
const unix = 1;
const inet = 2;
const stream = 1;
const addressBytes = 16;
const backlog = 511;

/** The constants of the calls, with their offsets. */
function layOut(listened: readonly Listened[], { ready }: RelayDescriptors) {
  if (ready === listener) throw new Error('the listener needs a number of its own');
  const { put, putText, bytes } = createConstants();
  putText('/bin/sh');
  const message = putMessage(put, listener);
  const addresses = listened.map(({ address, port }) => {
    const bytes = port === undefined ? Buffer.from(`\u0001\0${address}\0`) : Buffer.alloc(addressBytes);
    if (port === undefined) return { family: unix, at: put(bytes), bytes: bytes.length };
    bytes.writeUInt16LE(inet, 0);
    bytes.writeUInt16BE(port, 2);
    bytes.set(address.split('.').map(Number), 4);
    return { family: inet, at: put(bytes), bytes: bytes.length };
  });
  return { bytes: bytes(), message, addresses };
}
