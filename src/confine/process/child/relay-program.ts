import { Buffer } from 'node:buffer';

/** Descriptors that the program finds open, beside the three streams. */
export interface RelayDescriptors {
  /** The program itself. */
  readonly self: number;
  /** A Unix socket that takes the listeners, in the order of their ports. */
  readonly listeners: number;
  /** Gets one byte when all of them are on their way. */
  readonly ready: number;
}

/**
 * A program of a few hundred bytes in the kernel's own form (ELF): the first inside a sandbox. It listens on ports of
 * the sandbox's own loopback, hands the listening sockets out, closes what it was given and becomes the command that
 * its arguments name. A runtime in its place would cost each command its start. It is a list of system calls with
 * constants; the first that fails ends it, and the command never starts.
 */
export function compileRelay(
  ports: readonly number[],
  descriptors: RelayDescriptors,
  architecture: 'x64' | 'arm64',
): Buffer {
  const data = layOut(ports, descriptors);
  const steps: readonly Step[] = [
    // The filter's number, left to whatever loaded it: from here on it is the lowest that is free.
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
  const code = assemblers[architecture](steps, data.shell);
  if (headBytes + code.length > dataOffset) throw new Error('the relay has too many ports');
  return link(code, data.bytes, architecture);
}

/** What the first `socket` returns where only the three streams and what stands below are open. */
const listener = 3;
const inet = 2;
const stream = 1;
const closeOnExec = 0o2000000;
const addressBytes = 16;
const backlog = 511;

type CallName = 'close' | 'socket' | 'bind' | 'listen' | 'sendmsg' | 'write';

interface Step {
  readonly call: CallName;
  readonly args: readonly number[];
  readonly mayFail?: boolean;
}

/** Where the file lies in memory. */
const base = 0x400000;
const headBytes = 64 + 56;
const dataOffset = 0x4000;

/** The constants that the calls point to, and where each lies. */
function layOut(ports: readonly number[], { ready }: RelayDescriptors) {
  const bytes = Buffer.alloc(112 + ports.length * addressBytes);
  const at = base + dataOffset;
  bytes.write('/bin/sh\0', 0, 'latin1');
  // struct iovec: one byte, for a descriptor does not travel alone.
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
  return { bytes, shell: at, message: at + 48, address: (index: number) => at + 112 + index * addressBytes };
}

/** The file: one segment that is read and executed, and a stack that is not executed. */
function link(code: Buffer, data: Buffer, architecture: 'x64' | 'arm64'): Buffer {
  const file = Buffer.alloc(dataOffset + data.length);
  file.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  file.writeUInt16LE(2, 16); // an executable
  file.writeUInt16LE(architecture === 'x64' ? 62 : 183, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(base + headBytes), 24); // its first instruction
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(1, 64); // PT_LOAD
  file.writeUInt32LE(5, 68); // read and execute
  file.writeBigUInt64LE(BigInt(base), 80);
  file.writeBigUInt64LE(BigInt(base), 88);
  file.writeBigUInt64LE(BigInt(file.length), 96);
  file.writeBigUInt64LE(BigInt(file.length), 104);
  file.writeBigUInt64LE(0x10000n, 112);
  code.copy(file, headBytes);
  data.copy(file, dataOffset);
  return file;
}

const assemblers = { x64: assembleX64, arm64: assembleArm64 } as const;

/** Arguments go in rdi, rsi and rdx, the number in rax; a failure is a negative rax. */
function assembleX64(steps: readonly Step[], shell: number): Buffer {
  const numbers = { close: 3, socket: 41, bind: 49, listen: 50, sendmsg: 46, write: 1 };
  const set = [0xbf, 0xbe, 0xba];
  const constant = (opcode: number, value: number) => {
    const bytes = Buffer.alloc(5);
    bytes.writeUInt8(opcode, 0);
    bytes.writeUInt32LE(value, 1);
    return bytes;
  };
  const call = [0x0f, 0x05];
  const exit = [...constant(0xbf, 126), ...constant(0xb8, 60), ...call];
  const code: number[] = [];
  for (const { call: name, args, mayFail } of steps) {
    for (const [index, value] of args.entries()) code.push(...constant(set[index] ?? 0, value));
    code.push(...constant(0xb8, numbers[name]), ...call);
    // test rax, rax; jns over the exit
    if (!mayFail) code.push(0x48, 0x85, 0xc0, 0x79, exit.length, ...exit);
  }
  code.push(...constant(0xbf, shell));
  code.push(0x48, 0x8d, 0x74, 0x24, 0x10); // lea rsi, [rsp + 16]: the arguments after our own name
  code.push(0x48, 0x8b, 0x0c, 0x24); // mov rcx, [rsp]: their count
  code.push(0x48, 0x8d, 0x54, 0xcc, 0x10); // lea rdx, [rsp + rcx * 8 + 16]: the environment
  code.push(...constant(0xb8, 59), ...call, ...exit);
  return Buffer.from(code);
}

/** Arguments go in x0 to x2, the number in x8; a failure is a negative x0. */
function assembleArm64(steps: readonly Step[], shell: number): Buffer {
  const numbers = { close: 57, socket: 198, bind: 200, listen: 201, sendmsg: 211, write: 64 };
  const constant = (register: number, value: number) => [
    0xd2800000 + (value & 0xffff) * 32 + register, // movz
    0xf2a00000 + (value >>> 16) * 32 + register, // movk, shifted by 16
  ];
  const call = 0xd4000001;
  const exit = [...constant(0, 126), ...constant(8, 93), call];
  const code: number[] = [];
  for (const { call: name, args, mayFail } of steps) {
    for (const [index, value] of args.entries()) code.push(...constant(index, value));
    code.push(...constant(8, numbers[name]), call);
    // tbz x0, 63, over the exit
    if (!mayFail) code.push(0xb6f80000 + (exit.length + 1) * 32, ...exit);
  }
  code.push(...constant(0, shell));
  code.push(0x910043e1); // add x1, sp, 16: the arguments after our own name
  code.push(0xf94003e9); // ldr x9, [sp]: their count
  code.push(0x8b296fe2); // add x2, sp, x9, lsl 3
  code.push(0x91004042); // add x2, x2, 16: the environment
  code.push(...constant(8, 221), call, ...exit);
  const bytes = Buffer.alloc(code.length * 4);
  for (const [index, word] of code.entries()) bytes.writeUInt32LE(word >>> 0, index * 4);
  return bytes;
}
