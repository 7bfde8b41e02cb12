import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call, FormAnswer, Reply } from '../../src/contract/call.ts';
import { errorOf, local, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { habitual, namesIn, openWithServers, wordsOf } from '../upstream/world.ts';

// The least that a tool gets is 4 s: two for the tool, and two for a handle of its own.
const patienceMs = 1;
const slow = `awk 'BEGIN{end=systime()+6; while (systime()<end) x++; print "done"}' | tee out.txt`;
const endless = `awk 'BEGIN{while (1) x++}' | tee out.txt`;

function openPipeline() {
  return openTestCheckpoint({ config: { mode: 'full-access', toolsets: ['pipeline'] } });
}

type World = Awaited<ReturnType<typeof openPipeline>>;

function idOf(reply: Reply): string {
  const { code, details } = errorOf(reply);
  expect(code).toBe('still_running');
  return (details as { call_id: string }).call_id;
}

async function recordOf(world: World, id: string) {
  const { audit } = await world.checkpoint.store();
  await audit.flush();
  return (await audit.search({ limit: 100 })).find((entry) => entry.id === id);
}

test('a long pipeline answers with its id, its result is fetched by it, and log and history have it', async () => {
  await using world = await openPipeline();

  const id = idOf(await world.call('shelpa_pipe', { command: slow }, { patienceMs }));
  expect(existsSync(join(world.root, 'out.txt'))).toBe(false);
  expect(errorOf(await world.call('call_result', { call_id: id, wait: 0 })).code).toBe('still_running');
  const stranger = { arrival: { ...local, connectionId: 'another' } };
  expect(errorOf(await world.call('call_result', { call_id: id }, stranger)).code).toBe('not_found');
  const fetched = await world.call('call_result', { call_id: id });

  expect(outputOf(fetched)).toMatchObject({ stdout: 'done\n', meta: { tee: { path: 'out.txt' } } });
  expect(await world.call('call_result', { call_id: id, wait: 0 })).toEqual(fetched);
  expect(readFileSync(join(world.root, 'out.txt'), 'utf8')).toBe('done\n');
  expect(await recordOf(world, id)).toMatchObject({
    tool: 'shelpa_pipe',
    outcome: 'ok',
    facts: { history: [expect.anything()] },
  });
});

test.each([
  ['who waits for it withdraws', withdraw],
  ['its session leaves', (world: World) => world.checkpoint.gateway.leave(local)],
])('a call that goes on ends when %s, and its record closes', async (_when, end) => {
  await using world = await openPipeline();
  const id = idOf(await world.call('shelpa_pipe', { command: endless, timeout_ms: 120_000 }, { patienceMs }));
  await end(world, id);
  await expect.poll(() => recordOf(world, id)).toMatchObject({ outcome: 'error', code: 'cancelled' });
});

test('a call that goes on ends with its server, which waits for the record', async () => {
  const world = await openPipeline();
  const id = idOf(await world.call('shelpa_pipe', { command: endless, timeout_ms: 120_000 }, { patienceMs }));

  await world.checkpoint.close();

  await using again = await openTestCheckpoint({ flags: { state: join(world.folder, 'state') } });
  expect(await recordOf(again, id)).toMatchObject({ outcome: 'error', code: 'cancelled' });
  rmSync(world.folder, { recursive: true });
});

async function withdraw(world: World, id: string): Promise<void> {
  const fetching = new AbortController();
  const fetched = world.call('call_result', { call_id: id }, { signal: fetching.signal });
  setTimeout(() => fetching.abort(), 100);
  expect(errorOf(await fetched).code).toBe('cancelled');
}

test("what a proxied server's long call says is fetched with its mark", async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);

  const id = idOf(await world.call('fix__echo', { text: 'sleep for 6000' }, { patienceMs }));
  const result = await world.call('call_result', { call_id: id });

  expect(wordsOf(result)).toBe('slept');
  expect(result).toMatchObject({ meta: { 'sekisho/untrusted': 'fix' } });
});

// One at a time: a server that asks while two calls run gets no answer anyway.
test.each(['form', 'retry'])('a call that was handed over asks nobody: %s', async (how) => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  let shown = 0;
  const form = async (): Promise<FormAnswer> => {
    shown += 1;
    return { action: 'accept', content: { name: 'Hana' } };
  };
  const more: Partial<Call> = {
    patienceMs,
    ...(how === 'form' ? { form } : { canRetry: true, carriesForms: true }),
  };

  const id = idOf(await world.call('fix__echo', { text: 'ask after sleep for 6000' }, more));

  expect(wordsOf(await world.call('call_result', { call_id: id }))).toBe('{"action":"cancel"}');
  expect(shown).toBe(0);
});

test('a call is not handed over while a person fills in its form', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const form = () =>
    new Promise<FormAnswer>((resolve) => setTimeout(() => resolve({ action: 'decline' }), 6000));

  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, { form, patienceMs }))).toBe(
    '{"action":"decline"}',
  );
});

test('progress is told until the id is, and never after', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const told: string[] = [];
  const progress = (_done: number, _total?: number, message?: string) => void told.push(message ?? '');

  const id = idOf(await world.call('fix__echo', { text: 'sleep for 9500' }, { progress, patienceMs }));
  const before = told.length;
  await world.call('call_result', { call_id: id });

  expect(told).toHaveLength(before);
});

test('a person at a terminal waits, and no tool for it is listed where no call is long', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const arrival = { transport: 'cli' } as const;
  expect(wordsOf(await world.call('fix__echo', { text: 'sleep for 5000' }, { arrival, patienceMs }))).toBe(
    'slept',
  );

  await using quick = await openTestCheckpoint({ config: { toolsets: ['agent-cli'] } });
  const { tools } = await quick.checkpoint.gateway.list(local);
  expect(tools.map(({ name }) => name)).not.toContain('call_result');
});
