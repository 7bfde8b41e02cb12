import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { habitual, namesIn, openWithServers, wordsOf } from './world.ts';

const patience = { timeout: 60_000, interval: 50 };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a cancelled call ends at once and the server goes on', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const stop = new AbortController();
  const call = world.call('fix__echo', { text: 'hang' }, { signal: stop.signal });
  await once(setTimeoutTarget(200), 'over');
  stop.abort();
  expect(await call).toMatchObject({ code: 'cancelled' });
  expect(wordsOf(await world.call('fix__echo', { text: 'on' }))).toBe('on');
});

test('a late answer is dropped after the call timed out', async () => {
  await using world = await openWithServers({ fix: habitual('none', undefined, { callTimeoutMs: 700 }) });
  await namesIn(world);
  expect(await world.call('fix__echo', { text: 'late' })).toMatchObject({ code: 'timed_out' });
  await once(setTimeoutTarget(1200), 'over');
  expect(wordsOf(await world.call('fix__echo', { text: 'next' }))).toBe('next');
});

test('a server that crashes in a call is started again, and others do not notice', async () => {
  await using world = await openWithServers({ weak: habitual(), well: habitual() });
  await namesIn(world);
  const before = wordsOf(await world.call('well__echo', { text: 'pid' }));

  expect(await world.call('weak__echo', { text: 'crash' })).toMatchObject({ code: 'upstream_error' });

  expect(await namesIn(world)).toEqual(['weak__echo', 'well__echo']);
  expect(wordsOf(await world.call('well__echo', { text: 'pid' }))).toBe(before);
  await vi.waitFor(
    async () => expect(wordsOf(await world.call('weak__echo', { text: 'x' }))).toBe('x'),
    patience,
  );
});

test.each(['crash', 'flood', 'hang'])(
  'a server whose habit is "%s" leaves the others and us alone',
  async (habit) => {
    await using world = await openWithServers({
      bad: habitual(habit, undefined, { startTimeoutMs: 1500 }),
      good: habitual(),
    });
    await expect.poll(() => namesIn(world)).toEqual(['good__echo']);
    expect(wordsOf(await world.call('good__echo', { text: 'x' }))).toBe('x');
    const [status] = (await world.checkpoint.rooms.upstreams()).status();
    expect(['failed', 'starting']).toContain(status?.state);
  },
);

test('a server that prints what is no message is understood all the same', async () => {
  await using world = await openWithServers({ fix: habitual('chatty') });
  expect(wordsOf(await world.call('fix__echo', { text: 'x' }))).toBe('x');
});

test('a result of 100 MB is refused without being kept, and the next call is answered', async () => {
  await using world = await openWithServers({ fix: habitual() });
  expect(await world.call('fix__echo', { text: 'huge' })).toMatchObject({ code: 'too_large' });
  expect(wordsOf(await world.call('fix__echo', { text: 'next' }))).toBe('next');
});

const sessions = process.env.SEKISHO_HAMMER ? 500 : 8;

test(`${sessions} sessions opened and dropped leave no process`, async () => {
  const pids: number[] = [];
  for (let round = 0; round < sessions; round += 4) {
    await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        await using world = await openWithServers({
          fix: habitual(index === 0 && round === 0 ? 'stubborn' : 'none'),
        });
        pids.push(Number(wordsOf(await world.call('fix__echo', { text: 'pid' }))));
        // Dropped while it works.
        if (index % 2 === 0) void world.call('fix__echo', { text: 'hang' }).catch(() => {});
      }),
    );
  }
  expect(pids.length).toBeGreaterThanOrEqual(sessions);
  expect(pids.filter(isRunning)).toEqual([]);
}, 600_000);

function setTimeoutTarget(delayMs: number): EventTarget {
  const target = new EventTarget();
  setTimeout(() => target.dispatchEvent(new Event('over')), delayMs);
  return target;
}
