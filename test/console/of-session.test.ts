import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openConsole } from './console-world.ts';

test('the calls of one session are listed alone, and no arguments make another session look like it', async () => {
  const world = await openConsole();
  const write = (sessionId: string, path: string, more = {}) =>
    world.store.audit.write({
      id: randomUUID(),
      atMs: Date.now(),
      principal: 'local',
      sessionId,
      transport: 'stdio',
      tool: 'read_file',
      arguments: { path, sessionId: 'first', ...more },
      stop: 'run',
      outcome: 'ok',
      durationMs: 3,
      inputBytes: 20,
      outputBytes: 200,
    });
  await write('first', 'mine.txt');
  // One page is 50 calls: these would fill it.
  for (let at = 0; at < 60; at++) await write('second', 'other.txt');
  await write('first', 'mine-too.txt');
  await write('first', '.', { pattern: 'toFixed' });
  const cookie = await world.enter();
  const read = async (path: string) => (await world.get(path, cookie)).text();

  const story = await read('/sessions/first');
  expect(story).toContain('Session of this machine');
  expect(story).toMatch(/>toFixed<\/a>/);
  const [, link = ''] = /href="(\/calls\?[^"]*)"/.exec(story) ?? [];
  const calls = await read(link);

  expect(link).toBe('/calls?session=first');
  expect(calls).toContain('mine.txt');
  expect(calls).toContain('mine-too.txt');
  expect(calls).not.toContain('other.txt');
  expect(calls).toContain('<input name="session" value="first"');
});
