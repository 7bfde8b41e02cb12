import { closeOnExec } from '../../ground/machine/syscalls.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** A pair of Unix sockets for passing descriptors, both close-on-exec. */
export function makeSocketPair({ syscall }: Kernel): readonly [number, number] {
  const ends = Buffer.alloc(8);
  const made = syscall('socketpair', unix, stream | closeOnExec, 0, ends);
  if (made !== 0) throw new Error('socketpair was refused');
  return [ends.readInt32LE(0), ends.readInt32LE(4)];
}

/** Receives one message with exactly one descriptor. Throws if there is none. */
export function receiveDescriptor({ syscall, addressOf }: Kernel, socket: number): number {
  // One buffer for the structure and everything that it points to: struct msghdr, struct iovec, a byte, the control
  // message.
  const message = Buffer.alloc(120);
  const at = addressOf(message);
  message.writeBigUInt64LE(at + 56n, 16);
  message.writeBigUInt64LE(1n, 24);
  message.writeBigUInt64LE(at + 96n, 32);
  message.writeBigUInt64LE(24n, 40);
  message.writeBigUInt64LE(at + 72n, 56);
  message.writeBigUInt64LE(1n, 64);
  const length = syscall('recvmsg', socket, message, dontWait | closeReceivedOnExec);
  // SOL_SOCKET, SCM_RIGHTS, and space for one descriptor.
  const isDescriptor = message.readUInt32LE(104) === 1 && message.readUInt32LE(108) === 1;
  if (length !== 1 || message.readBigUInt64LE(96) !== 20n || !isDescriptor) {
    throw new Error('no descriptor was sent');
  }
  return message.readInt32LE(112);
}

const unix = 1;
const stream = 1;
const dontWait = 0x40;
const closeReceivedOnExec = 0x40000000;
