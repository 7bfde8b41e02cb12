import type { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { compileRelay } from './relay-program.ts';

const descriptors = { self: 4, listeners: 5, ready: 6 };

/** A system call with the registers that it was made with, by the numbers of its processor. */
type Call = readonly [name: string, ...args: number[]];

test.each(['x64', 'arm64'] as const)(
  'on %s the relay listens on each port, hands it out and keeps nothing',
  (architecture) => {
    const calls = trace(compileRelay([3128, 8080], descriptors, architecture), architecture, () => 0);
    const handing = (address: number): readonly Call[] => [
      ['socket', 2, 0x80001, 0],
      ['bind', 3, address, 16],
      ['listen', 3, 511],
      ['sendmsg', 5, 0x404030, 0],
      ['close', 3],
    ];
    expect(calls).toEqual([
      ['close', 3],
      ...handing(0x404070),
      ...handing(0x404080),
      ['write', 6, 0x404030, 1],
      ['close', 4],
      ['close', 5],
      ['close', 6],
      ['execve', 0x404000],
      // It is still there: there was no such program.
      ['exit', 126],
    ]);
  },
);

test.each(['x64', 'arm64'] as const)(
  'on %s the command does not start where a step fails',
  (architecture) => {
    const program = compileRelay([3128], descriptors, architecture);
    for (const failing of ['socket', 'bind', 'listen', 'sendmsg', 'write']) {
      const calls = trace(program, architecture, (name) => (name === failing ? -1 : 0));
      expect(calls.slice(-2).map(([name]) => name)).toEqual([failing, 'exit']);
    }
  },
);

test('the addresses are ports of the loopback', () => {
  const program = compileRelay([3128, 65535], descriptors, 'x64');
  expect([...program.subarray(0x4070, 0x4078)]).toEqual([2, 0, 3128 >> 8, 3128 & 255, 127, 0, 0, 1]);
  expect([...program.subarray(0x4080, 0x4088)]).toEqual([2, 0, 255, 255, 127, 0, 0, 1]);
});

test('more ports than there is room for are an error', () => {
  expect(() =>
    compileRelay(
      Array.from({ length: 200 }, (_, i) => 2000 + i),
      descriptors,
      'arm64',
    ),
  ).toThrow(/steps/);
});

const names = {
  x64: {
    3: 'close',
    41: 'socket',
    49: 'bind',
    50: 'listen',
    46: 'sendmsg',
    1: 'write',
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
    221: 'execve',
    93: 'exit',
  },
} as const satisfies Record<string, Readonly<Record<number, string>>>;

/** Runs the program as its processor would, as far as its few instructions go, and gives its calls. */
function trace(
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
  if (register !== undefined) {
    state.registers.set(register, file.readUInt32LE(state.at + 1));
    if (register !== 'number') state.set.push(register);
    state.at += 5;
  } else if (file.readUInt16BE(state.at) === 0x0f05) {
    state.at += 2;
    return call();
  } else if (file.readUIntBE(state.at, 4) === 0x4885c079) {
    state.at += 5 + ((state.registers.get('result') ?? 0) < 0 ? 0 : file.readInt8(state.at + 4));
  } else {
    const form = addressing.find((bytes) => file.subarray(state.at, state.at + bytes.length).equals(bytes));
    if (!form) throw new Error(`unknown instruction at ${state.at}`);
    state.at += form.length;
  }
  return undefined;
}

// lea rsi, [rsp + 16]; mov rcx, [rsp]; lea rdx, [rsp + rcx * 8 + 16]
const addressing = ['488d742410', '488b0c24', '488d54cc10'].map((hex) => globalThis.Buffer.from(hex, 'hex'));

function stepArm64(file: Buffer, state: Machine, call: () => string): string | undefined {
  const word = file.readUInt32LE(state.at);
  const register = ['a', 'b', 'c', '', '', '', '', '', 'number'][word & 31] ?? '';
  const value = (word >>> 5) & 0xffff;
  state.at += 4;
  if (word >>> 21 === 0xd2800000 >>> 21) {
    state.registers.set(register, value);
    if (register !== 'number') state.set.push(register);
  } else if (word >>> 21 === 0xf2a00000 >>> 21) {
    state.registers.set(register, (state.registers.get(register) ?? 0) + value * 65536);
  } else if (word === 0xd4000001) {
    return call();
  } else if (word >>> 19 === 0xb6f80000 >>> 19) {
    if ((state.registers.get('result') ?? 0) >= 0) state.at += ((word >>> 5) & 0x3fff) * 4 - 4;
  } else if (![0x910043e1, 0xf94003e9, 0x8b296fe2, 0x91004042].includes(word)) {
    throw new Error(`unknown instruction at ${state.at - 4}`);
  }
  return undefined;
}
