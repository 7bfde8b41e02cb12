import { assemble, type Operation } from './assemble.ts';
import { addressIn, linkProgram } from './elf.ts';
import { type CommonSyscall, thisProcessor } from './syscalls.ts';

export interface Step {
  readonly call: CommonSyscall;
  readonly args: readonly number[];
  readonly mayFail?: boolean;
}

/**
 * Assembles an ELF program of a few hundred bytes: system calls with constants. At the end it becomes the program whose
 * path is at the start of the constants, with its own arguments after the first. The first failed call ends it. A
 * language runtime in its place would slow the start of each command.
 */
export function compileProgram(steps: readonly Step[], data: Buffer, architecture = thisProcessor()): Buffer {
  const next: Operation = { does: 'become', path: addressIn(0), args: 'own' };
  const code = assemble([...steps.flatMap(operationsOf), next, ...ending], architecture);
  return linkProgram({ code, data, writableBytes: 0 }, architecture);
}

/** Puts the message of sendmsg(2) that hands over a descriptor among the constants, and returns its address. */
export function putMessage(put: (bytes: Buffer) => number, descriptor: number): number {
  // struct cmsghdr: SOL_SOCKET, SCM_RIGHTS, the descriptor.
  const rights = Buffer.alloc(24);
  rights.writeBigUInt64LE(20n, 0);
  rights.writeUInt32LE(1, 8);
  rights.writeUInt32LE(1, 12);
  rights.writeUInt32LE(descriptor, 16);
  // struct iovec: one byte, since a descriptor cannot be sent alone.
  const piece = Buffer.alloc(16);
  piece.writeBigUInt64LE(BigInt(put(Buffer.alloc(8))), 0);
  piece.writeBigUInt64LE(1n, 8);
  // struct msghdr
  const message = Buffer.alloc(56);
  message.writeBigUInt64LE(BigInt(put(piece)), 16);
  message.writeBigUInt64LE(1n, 24);
  message.writeBigUInt64LE(BigInt(put(rights)), 32);
  message.writeBigUInt64LE(24n, 40);
  return put(message);
}

const ending: readonly Operation[] = [
  { does: 'label', name: 'failed' },
  { does: 'call', name: 'exit', args: [126] },
];

function operationsOf({ call, args, mayFail }: Step): readonly Operation[] {
  const made: Operation = { does: 'call', name: call, args };
  return mayFail ? [made] : [made, { does: 'jump', to: 'failed', when: 'failed' }];
}
