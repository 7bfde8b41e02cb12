import { Buffer } from 'node:buffer';
import { addressIn } from '../../ground/elf.ts';
import { compileProgram, type Step } from './static-program.ts';

/** Descriptors of the program, besides the three streams. */
export interface RelayDescriptors {
  /** The program itself. */
  readonly self: number;
  /** A Unix socket that receives the listeners, in the order of their ports. */
  readonly listeners: number;
  /** Gets one byte when all of them have been sent. */
  readonly ready: number;
}

/**
 * The first program in a sandbox. It listens on ports of the sandbox's own loopback, sends the listening sockets out,
 * closes these descriptors and becomes the command in its arguments.
 */
export function compileRelay(
  ports: readonly number[],
  descriptors: RelayDescriptors,
  architecture: 'x64' | 'arm64',
): Buffer {
  const data = layOut(ports, descriptors);
  const steps: readonly Step[] = [
    // The filter's descriptor, which its loader left open; from here on this is the lowest free number.
    { call: 'close', args: [listener], mayFail: true },
    ...ports.flatMap((_, index): readonly Step[] => [
      { call: 'socket', args: [inet, stream | closeOnExec, 0] },
      { call: 'bind', args: [listener, data.address(index), addressBytes] },
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
const inet = 2;
const stream = 1;
const closeOnExec = 0o2000000;
const addressBytes = 16;
const backlog = 511;

/** The constants of the calls, with their offsets. */
function layOut(ports: readonly number[], { ready }: RelayDescriptors) {
  const bytes = Buffer.alloc(112 + ports.length * addressBytes);
  const at = addressIn(0);
  bytes.write('/bin/sh\0', 0, 'latin1');
  // struct iovec: one byte, since a descriptor cannot be sent alone.
  bytes.writeBigUInt64LE(BigInt(at), 8);
  bytes.writeBigUInt64LE(1n, 16);
  // struct cmsghdr: SOL_SOCKET, SCM_RIGHTS, the listener.
  bytes.writeBigUInt64LE(20n, 24);
  bytes.writeUInt32LE(1, 32);
  bytes.writeUInt32LE(1, 36);
  bytes.writeUInt32LE(listener, 40);
  // struct msghdr
  bytes.writeBigUInt64LE(BigInt(at + 8), 48 + 16);
  bytes.writeBigUInt64LE(1n, 48 + 24);
  bytes.writeBigUInt64LE(BigInt(at + 24), 48 + 32);
  bytes.writeBigUInt64LE(24n, 48 + 40);
  for (const [index, port] of ports.entries()) {
    const address = 112 + index * addressBytes;
    bytes.writeUInt16LE(inet, address);
    bytes.writeUInt16BE(port, address + 2);
    bytes.set([127, 0, 0, 1], address + 4);
  }
  if (ready === listener) throw new Error('the listener needs a number of its own');
  return { bytes, message: at + 48, address: (index: number) => at + 112 + index * addressBytes };
}
