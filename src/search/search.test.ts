import { expect, test } from 'vitest';
import { createOwnTurns } from './search.ts';

test('a session that asks for a hundred keeps nobody else waiting', async () => {
  const inTurn = createOwnTurns(4);
  const first = Promise.withResolvers<void>();
  let running = 0;
  const hundred = Array.from({ length: 100 }, () =>
    inTurn('first', undefined, async () => {
      running += 1;
      await first.promise;
    }),
  );
  expect(await inTurn('second', undefined, async () => running)).toBe(4);
  first.resolve();
  await Promise.all(hundred);
  expect(running).toBe(100);
});

test('a waiting one leaves when its call is cancelled, and the others go on', async () => {
  const inTurn = createOwnTurns(1);
  const first = Promise.withResolvers<string>();
  const cancel = new AbortController();
  const one = inTurn('a', undefined, () => first.promise);
  const two = inTurn('a', cancel.signal, async () => 'two');
  const three = inTurn('a', undefined, async () => 'three');
  cancel.abort(new Error('cancelled'));
  await expect(two).rejects.toThrow('cancelled');
  first.resolve('one');
  expect(await Promise.all([one, three])).toEqual(['one', 'three']);
});
