import { expect, test } from 'vitest';
import { type Call, trace } from '../../../test/command/traced-program.ts';
import { compileRelay } from './relay-program.ts';

const descriptors = { self: 4, listeners: 5, ready: 6 };
const at = (port: number) => ({ address: '127.0.0.1', port });

test.each(['x64', 'arm64'] as const)(
  'on %s the relay listens on each port, hands it out and keeps nothing',
  (architecture) => {
    const calls = trace(compileRelay([at(3128), at(8080)], descriptors, architecture), architecture, () => 0);
    const handing = (address: number): readonly Call[] => [
      ['socket', 2, 0x80001, 0],
      ['bind', 3, address, 16],
      ['listen', 3, 511],
      ['sendmsg', 5, 0x404038, 0],
      ['close', 3],
    ];
    expect(calls).toEqual([
      ['close', 3],
      ...handing(0x404070),
      ...handing(0x404080),
      ['write', 6, 0x404038, 1],
      ['close', 4],
      ['close', 5],
      ['close', 6],
      ['execve', 0x404000],
      // It still runs, so the program did not exist.
      ['exit', 126],
    ]);
  },
);

test.each(['x64', 'arm64'] as const)(
  'on %s the command does not start where a step fails',
  (architecture) => {
    const program = compileRelay([at(3128)], descriptors, architecture);
    for (const failing of ['socket', 'bind', 'listen', 'sendmsg', 'write']) {
      const calls = trace(program, architecture, (name) => (name === failing ? -1 : 0));
      expect(calls.slice(-2).map(([name]) => name)).toEqual([failing, 'exit']);
    }
  },
);

test('the addresses are as they were named', () => {
  const program = compileRelay([at(3128), { address: '0.0.0.0', port: 65535 }], descriptors, 'x64');
  expect([...program.subarray(0x4070, 0x4078)]).toEqual([2, 0, 3128 >> 8, 3128 & 255, 127, 0, 0, 1]);
  expect([...program.subarray(0x4080, 0x4088)]).toEqual([2, 0, 255, 255, 0, 0, 0, 0]);
});

test('more ports than there is room for are an error', () => {
  expect(() =>
    compileRelay(
      Array.from({ length: 200 }, (_, i) => at(2000 + i)),
      descriptors,
      'arm64',
    ),
  ).toThrow(/steps/);
});
