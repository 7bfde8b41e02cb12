import { Buffer } from 'node:buffer';
import { addressIn, linkProgram } from '../../../ground/elf.ts';

export interface Step {
  readonly call: CallName;
  readonly args: readonly number[];
  readonly mayFail?: boolean;
}

type CallName = keyof typeof numbersX64;

/**
 * Assembles an ELF program of a few hundred bytes: system calls with constants. At the end it becomes the program whose
 * path is at the start of the constants, with its own arguments after the first. The first failed call ends it. A
 * language runtime in its place would slow the start of each command.
 */
export function compileProgram(steps: readonly Step[], data: Buffer, architecture: 'x64' | 'arm64'): Buffer {
  const code = assemblers[architecture](steps, addressIn(0));
  return linkProgram({ code, data, writableBytes: 0 }, architecture);
}

/** Assembles a program that repeats its calls until one fails. It may write the memory at `writable`. */
export function compileLoop(
  steps: readonly Step[],
  writableBytes: number,
  architecture: 'x64' | 'arm64',
): Buffer {
  const code = assemblers[architecture](steps, 'again');
  return linkProgram({ code, data: Buffer.alloc(0), writableBytes }, architecture);
}

const numbersX64 = {
  read: 0,
  close: 3,
  socket: 41,
  connect: 42,
  bind: 49,
  listen: 50,
  sendmsg: 46,
  write: 1,
  setns: 308,
  unshare: 272,
  open_tree: 428,
  move_mount: 429,
  prctl: 157,
  capset: 126,
  seccomp: 317,
  openat: 257,
  mount: 165,
  epoll_pwait: 281,
};
const numbersArm64: typeof numbersX64 = {
  read: 63,
  close: 57,
  socket: 198,
  connect: 203,
  bind: 200,
  listen: 201,
  sendmsg: 211,
  write: 64,
  setns: 268,
  unshare: 97,
  open_tree: 428,
  move_mount: 429,
  prctl: 167,
  capset: 91,
  seccomp: 277,
  openat: 56,
  mount: 40,
  epoll_pwait: 22,
};

/** The address of the next program's path. */
type Next = number | 'again';

const assemblers = { x64: assembleX64, arm64: assembleArm64 } as const;

/** Arguments are passed in rdi, rsi, rdx, r10 and r8, the number in rax; a negative rax is a failure. */
function assembleX64(steps: readonly Step[], next: Next): Buffer {
  const numbers = numbersX64;
  const set = [[0xbf], [0xbe], [0xba], [0x41, 0xba], [0x41, 0xb8]];
  const constant = (opcode: number, value: number) => {
    const bytes = Buffer.alloc(5);
    bytes.writeUInt8(opcode, 0);
    bytes.writeUInt32LE(value >>> 0, 1);
    return bytes;
  };
  const call = [0x0f, 0x05];
  const exit = [...constant(0xbf, 126), ...constant(0xb8, 60), ...call];
  const code: number[] = [];
  for (const { call: name, args, mayFail } of steps) {
    for (const [index, value] of args.entries()) {
      const [opcode = 0, ...prefix] = (set[index] ?? []).toReversed();
      code.push(...prefix, ...constant(opcode, value));
    }
    code.push(...constant(0xb8, numbers[name]), ...call);
    // test rax, rax; jns over the exit
    if (!mayFail) code.push(0x48, 0x85, 0xc0, 0x79, exit.length, ...exit);
  }
  if (next === 'again') {
    const back = Buffer.alloc(5, 0xe9); // jmp
    back.writeInt32LE(-(code.length + back.length), 1);
    return Buffer.from([...code, ...back]);
  }
  code.push(...constant(0xbf, next));
  code.push(0x48, 0x8d, 0x74, 0x24, 0x10); // lea rsi, [rsp + 16]: the arguments after our own name
  code.push(0x48, 0x8b, 0x0c, 0x24); // mov rcx, [rsp]: their count
  code.push(0x48, 0x8d, 0x54, 0xcc, 0x10); // lea rdx, [rsp + rcx * 8 + 16]: the environment
  code.push(...constant(0xb8, 59), ...call, ...exit);
  return Buffer.from(code);
}

/** Arguments are passed in x0 to x4, the number in x8; a negative x0 is a failure. */
function assembleArm64(steps: readonly Step[], next: Next): Buffer {
  const numbers = numbersArm64;
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
  if (next === 'again')
    code.push(0x14000000 + ((-code.length & 0x3ffffff) >>> 0)); // b
  else {
    code.push(...constant(0, next));
    code.push(0x910043e1); // add x1, sp, 16: the arguments after our own name
    code.push(0xf94003e9); // ldr x9, [sp]: their count
    code.push(0x8b296fe2); // add x2, sp, x9, lsl 3
    code.push(0x91004042); // add x2, x2, 16: the environment
    code.push(...constant(8, 221), call, ...exit);
  }
  const bytes = Buffer.alloc(code.length * 4);
  for (const [index, word] of code.entries()) bytes.writeUInt32LE(word >>> 0, index * 4);
  return bytes;
}
