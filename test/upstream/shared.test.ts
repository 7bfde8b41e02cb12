import { expect, test } from 'vitest';
import { habitual, namesIn, openWithServers, type ServerWorld, wordsOf } from './world.ts';

const of = (connectionId: string) => ({ transport: 'stdio', connectionId }) as const;

async function pidFor(world: ServerWorld, connectionId: string): Promise<number> {
  return Number(wordsOf(await world.call('fix__echo', { text: 'pid' }, { arrival: of(connectionId) })));
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('sessions share the process of a server', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const [one, two] = [await pidFor(world, 'one'), await pidFor(world, 'two')];
  expect(one).toBe(two);
  await world.checkpoint.gateway.leave(of('one'));
  expect(await pidFor(world, 'two')).toBe(two);
});

test('with "shared": false each session has its own, which ends with it', async () => {
  await using world = await openWithServers({ fix: habitual('none', undefined, { shared: false }) });
  await namesIn(world);
  const [one, two] = [await pidFor(world, 'one'), await pidFor(world, 'two')];
  expect(one).not.toBe(two);
  expect(await pidFor(world, 'one')).toBe(one);
  await world.checkpoint.gateway.leave(of('one'));
  expect(lives(one)).toBe(false);
  expect(lives(two)).toBe(true);
  expect(await pidFor(world, 'two')).toBe(two);
});
