import { expect, onTestFinished, test, vi } from 'vitest';
import { createPostgresChanges } from './changes.ts';

test('whoever waits is woken by a look only where something was committed, or that cannot be told', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let database = 'one';
  // Nothing listens there: only looks can wake.
  const { changes, close } = createPostgresChanges(
    'postgres://127.0.0.1:1/none',
    async () => {},
    async () => {
      if (database === 'gone') throw new Error('no connection');
      return database;
    },
  );
  let woken = 0;
  const stop = new AbortController();
  const waiting = (async () => {
    while (!stop.signal.aborted) {
      await changes.next('team/p', 60_000, stop.signal);
      woken += 1;
    }
  })();
  onTestFinished(async () => {
    stop.abort();
    await waiting;
    await close();
    vi.useRealTimers();
  });
  const look = async () => {
    woken = 0;
    await vi.advanceTimersByTimeAsync(250);
    return woken;
  };

  // What was committed before the first look is not known.
  expect(await look()).toBe(1);
  expect([await look(), await look(), await look()]).toEqual([0, 0, 0]);
  database = 'two';
  expect([await look(), await look()]).toEqual([1, 0]);
  database = 'gone';
  expect([await look(), await look()]).toEqual([1, 1]);
});
