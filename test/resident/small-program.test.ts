import { expect, test } from 'vitest';
import { descriptors } from '../../src/cli/resident/memory-names.ts';
import { compileSmallProgram, headBytes, kinds } from '../../src/cli/resident/small-program.ts';
import { traceArm64 } from '../hooks/arm64.ts';

const program = compileSmallProgram(
  { socket: '/s', note: '/n', server: ['/server'], log: '/l', runtime: '/node' },
  'arm64',
);
const noServer = -111;
const absent = -2;
const tryAgain = -11;

interface Told {
  /** What each call of a name returns in turn, and then again and again. */
  readonly [name: string]: readonly number[];
}

/** The calls of an arm64 that receives these heads; a head is received by a look at it and then whole. */
function trace(heads: readonly (readonly number[])[], told: Told) {
  const head: number[] = [];
  const left = new Map(Object.entries(told).map(([name, results]) => [name, [...results]]));
  let received = 0;
  const answer = (name: string) => {
    if (name === 'recvfrom') head.splice(0, head.length, ...(heads[received++] ?? []));
    const results = left.get(name) ?? [];
    return (results.length > 1 ? results.shift() : results[0]) ?? 0;
  };
  return traceArm64(program, answer, head);
}

const usual: Told = { memfd_create: [3], signalfd4: [3], socket: [3], ppoll: [1], read: [tryAgain] };
const welcome = [kinds.welcome, 0, 0];
const said = [kinds.said, 5, 1];
const over = [kinds.exit, 0, 7];

test('on arm64 words are printed once they are whole, and the server says how it ends', () => {
  const calls = trace([welcome, said, said, said, over, over], {
    ...usual,
    recvfrom: [headBytes, headBytes, headBytes, 5, headBytes],
    pread64: [0, 5, 0],
    write: [5],
  });
  expect(calls.at(-1)).toEqual(['exit', 7]);
  const names = ['pwrite64', 'write', 'exit'];
  expect(calls.flatMap(([name, fd]) => (names.includes(name) ? [[name, fd]] : []))).toEqual([
    ['write', 93],
    ['pwrite64', descriptors.notes],
    ['write', 1],
    ['exit', 7],
  ]);
});

test('on arm64 the server gets the bytes that it does not have yet', () => {
  const calls = trace([[kinds.welcome, 0, 40], over, over], {
    ...usual,
    recvfrom: [headBytes],
    pread64: [9, 0],
    sendto: [9],
  });
  const positions = calls.flatMap(([name, , , , at]) => (name === 'pread64' ? [at] : []));
  expect(positions).toEqual([40, 49]);
  expect(calls.find(([name]) => name === 'sendto')?.[3]).toBe(9);
  expect(calls.at(-1)).toEqual(['exit', 7]);
});

test.each([
  ['before a session began', [over], descriptors.up, [headBytes]],
  ['after it began', [welcome], descriptors.notes, [headBytes, 0]],
])(
  'on arm64 it becomes its arguments if no server answers, and leaves a mark: %s',
  (_when, heads, left, recvfrom) => {
    const connect = heads[0] === over ? [noServer] : [0, noServer];
    const calls = trace(heads, { ...usual, recvfrom, connect, openat: [-17], faccessat: [absent] });
    const [mark] = calls.filter(([name, , to]) => name === 'dup3' && to === descriptors.mark);
    expect(mark?.[1]).toBe(left);
    expect(calls.slice(-2).map(([name]) => name)).toEqual(['execve', 'exit']);
  },
);
