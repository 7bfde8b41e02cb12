import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

test('a call that comes alone begins at once, and so does the next one', async () => {
  const throttle = createThrottle();
  expect(throttle()).toBeUndefined();
  await Promise.resolve();
  expect(throttle()).toBeUndefined();
});

test('calls that come together begin in their order, and what comes meanwhile is not held up', async () => {
  // Each one's work fills a turn.
  const throttle = createThrottle(0);
  const told: string[] = [];
  const call = async (name: string) => {
    const wait = throttle();
    if (wait) await wait;
    told.push(name);
    for (const until = performance.now() + 1; performance.now() < until; );
  };
  const calls = ['a', 'b', 'c', 'd'].map(call);
  expect(told).toEqual(['a']);
  while (told.length < 2) await nextTurn();
  told.push('ping');
  // One that comes now waits behind those that came before.
  calls.push(call('e'));
  await Promise.all(calls);
  expect(told.filter((name) => name !== 'ping')).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(told.indexOf('ping')).toBeLessThan(told.indexOf('e'));
  expect(told.indexOf('ping')).toBeLessThan(4);
});

test('as many as fit into the time begin in one turn', async () => {
  const throttle = createThrottle(60_000);
  let begun = 0;
  for (let call = 0; call < 100; call++) {
    const wait = throttle();
    if (wait) void wait.then(() => begun++);
  }
  await nextTurn();
  await nextTurn();
  expect(begun).toBe(99);
});
