import { expect, test } from 'vitest';
import { type Call, trace } from '../../../test/command/traced-program.ts';
import { compileSockets } from './sockets-program.ts';

test.each(['x64', 'arm64'] as const)(
  'on %s the program enters the network, hands out what it makes there and ends',
  (architecture) => {
    const calls = trace(compileSockets({ 4: 1, 6: 1 }, architecture), architecture, () => 0);
    const message = 0x404030;
    const handing = (domain: number, type: number, protocol: number): readonly Call[] => [
      ['socket', domain, type, protocol],
      ['sendmsg', 6, message, 0],
      ['close', 3],
    ];
    expect(calls).toEqual([
      ['setns', 4, 0],
      ['setns', 5, 0],
      ['close', 3],
      ...handing(16, 0x80803, 4),
      ...handing(2, 0x80801, 0),
      ...handing(10, 0x80801, 0),
      ['exit', 0],
    ]);
  },
);

test('it fits into its file with a whole batch', () => {
  for (const architecture of ['x64', 'arm64'] as const)
    for (const counts of [
      { 4: 64, 6: 0 },
      { 4: 0, 6: 64 },
    ])
      expect(compileSockets(counts, architecture).length).toBeLessThan(32_768);
});
