import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createOutbox } from './outbox.ts';

test('the lines of one turn are one write, and long ones several, whole and in order', async () => {
  const output = new PassThrough({ highWaterMark: 1e9 });
  const writes: string[] = [];
  output.on('data', (chunk) => writes.push(String(chunk)));
  const outbox = createOutbox(output);
  for (const line of ['a', 'b', 'c']) outbox.send(line);
  await nextTurn();
  expect(writes.splice(0)).toEqual(['a\nb\nc\n']);

  const long = Array.from({ length: 35 }, (_, at) => String(at).repeat(100_000));
  for (const line of long) outbox.send(line);
  await nextTurn();
  expect(writes.length).toBeGreaterThan(2);
  for (const each of writes) expect(each.length).toBeLessThan(1_400_000);
  expect(writes.join('')).toBe(`${long.join('\n')}\n`);
});
