import { Buffer } from 'node:buffer';

/** A system call with the registers that it was made with, by the numbers of its processor. */
export type Call = readonly [name: string, ...args: number[]];

const names = {
  x64: {
    3: 'close',
    41: 'socket',
    49: 'bind',
    50: 'listen',
    46: 'sendmsg',
    1: 'write',
    272: 'unshare',
    308: 'setns',
    428: 'open_tree',
    429: 'move_mount',
    433: 'fspick',
    157: 'prctl',
    126: 'capset',
    317: 'seccomp',
    257: 'openat',
    165: 'mount',
    59: 'execve',
    60: 'exit',
  },
  arm64: {
    57: 'close',
    198: 'socket',
    200: 'bind',
    201: 'listen',
    211: 'sendmsg',
    64: 'write',
    97: 'unshare',
    268: 'setns',
    428: 'open_tree',
    429: 'move_mount',
    433: 'fspick',
    167: 'prctl',
    91: 'capset',
    277: 'seccomp',
    56: 'openat',
    40: 'mount',
    221: 'execve',
    93: 'exit',
  },
} as const satisfies Record<string, Readonly<Record<number, string>>>;

/** Runs a static program as its processor would, as far as its few instructions go, and gives its calls. */
export function trace(
  file: Buffer,
  architecture: 'x64' | 'arm64',
  answer: (name: string) => number,
): readonly Call[] {
  const step = architecture === 'x64' ? stepX64 : stepArm64;
  const state: Machine = {
    at: Number(file.readBigUInt64LE(24)) - 0x400000,
    registers: new Map(),
    set: [],
    calls: [],
  };
  const call = () => {
    const name =
      (names[architecture] as Record<number, string>)[state.registers.get('number') ?? -1] ?? 'unknown';
    state.calls.push([name, ...state.set.map((register) => state.registers.get(register) ?? 0)]);
    state.set = [];
    state.registers.set('result', answer(name));
    return name;
  };
  for (let steps = 0; steps < 10_000; steps++) if (step(file, state, call) === 'exit') return state.calls;
  throw new Error('it did not end');
}

interface Machine {
  at: number;
  readonly registers: Map<string, number>;
  /** Arguments since the last call. */
  set: string[];
  readonly calls: Call[];
}

function stepX64(file: Buffer, state: Machine, call: () => string): string | undefined {
  const opcode = file[state.at];
  const register = new Map([
    [0xbf, 'a'],
    [0xbe, 'b'],
    [0xba, 'c'],
    [0xb8, 'number'],
  ]).get(opcode ?? 0);
  const wide = new Map([
    [0x41ba, 'd'],
    [0x41b8, 'e'],
  ]).get(file.readUInt16BE(state.at));
  if (register !== undefined) {
    state.registers.set(register, file.readUInt32LE(state.at + 1));
    if (register !== 'number') state.set.push(register);
    state.at += 5;
  } else if (wide !== undefined) {
    state.registers.set(wide, file.readUInt32LE(state.at + 2));
    state.set.push(wide);
    state.at += 6;
  } else if (file.readUInt16BE(state.at) === 0x0f05) {
    state.at += 2;
    return call();
  } else if (file.readUIntBE(state.at, 5) === 0x4885c00f88) {
    // test rax, rax; js
    state.at += 9 + ((state.registers.get('result') ?? 0) < 0 ? file.readInt32LE(state.at + 5) : 0);
  } else {
    const form = addressing.find((bytes) => file.subarray(state.at, state.at + bytes.length).equals(bytes));
    if (!form) throw new Error(`unknown instruction at ${state.at}`);
    state.at += form.length;
  }
  return undefined;
}

// lea rsi, [rsp + 16]; mov rcx, [rsp]; lea rdx, [rsp + rcx * 8 + 16]
const addressing = ['488d742410', '488b0c24', '488d54cc10'].map((hex) => Buffer.from(hex, 'hex'));

function stepArm64(file: Buffer, state: Machine, call: () => string): string | undefined {
  const word = file.readUInt32LE(state.at);
  const register = ['a', 'b', 'c', 'd', 'e', '', '', '', 'number'][word & 31] ?? '';
  const value = (word >>> 5) & 0xffff;
  state.at += 4;
  if (word >>> 21 === 0xd2800000 >>> 21) {
    state.registers.set(register, value);
    if (register !== 'number') state.set.push(register);
  } else if (word >>> 21 === 0xf2a00000 >>> 21) {
    state.registers.set(register, (state.registers.get(register) ?? 0) + value * 65536);
  } else if (word === 0xd4000001) {
    return call();
  } else if (word >>> 19 === 0xb7f80000 >>> 19) {
    // tbnz x0, 63
    if ((state.registers.get('result') ?? 0) < 0) state.at += ((word >>> 5) & 0x3fff) * 4 - 4;
  } else if (![0x910043e1, 0xf94003e9, 0x8b296fe2, 0x91004042].includes(word)) {
    throw new Error(`unknown instruction at ${state.at - 4}`);
  }
  return undefined;
}
