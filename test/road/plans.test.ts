import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlanCall } from '../../src/contract/capabilities/plans.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const config = {
  toolsets: ['agent-cli' as const, 'plan' as const],
  rules: [
    { id: 'live', path: 'live/**', decision: 'ask' as const, because: 'Customers see it.' },
    { id: 'keys', path: 'keys/**', decision: 'deny' as const, because: 'Keys stay.' },
    {
      id: 'prod',
      path: 'prod/**',
      decision: 'ask' as const,
      answer: 'person' as const,
      because: 'Money moves.',
    },
  ],
  approval: { waitMs: 50 },
};
const input = (path: string, content = 'new') => ({ path, content });
const write = (path: string, content?: string): PlanCall => ({
  tool: 'file_write',
  arguments: input(path, content),
});

const sent = (call: PlanCall) => ({ ...call, arguments: JSON.stringify(call.arguments) });

async function propose(world: World, calls: readonly PlanCall[]) {
  const messages: string[] = [];
  const reply = await world.call(
    'propose_plan',
    { why: 'A release', calls: calls.map(sent) },
    {
      elicit: async ({ message }) => {
        messages.push(message);
        return { action: 'accept', scope: 'session' };
      },
    },
  );
  return { reply, message: messages[0] ?? '' };
}

test('a plan that a person agreed to allows each of its calls once, exactly so', async () => {
  await using world = await openTestCheckpoint({ config });
  const { reply, message } = await propose(world, [write('live/a'), write('live/b'), write('x/c')]);
  expect(message).toContain('1. file_write: {"path":"live/a","content":"new"}');
  expect(message).toContain('A release');
  expect(outputOf(reply)).toMatchObject({
    plan_id: expect.stringMatching(/^pln_/),
    steps: [{ needs: 'plan' }, { needs: 'plan' }, { needs: 'nothing' }],
  });
  expect(existsSync(join(world.root, 'live/a'))).toBe(false);

  expect(errorOf(await world.call('file_write', input('live/b', 'other'))).code).toBe('approval_pending');
  outputOf(await world.call('file_write', input('live/b')));
  outputOf(await world.call('file_write', input('live/a')));
  const again = await world.call('file_write', input('live/a'));
  expect(errorOf(again).code).toBe('approval_pending');
});

test('a plan is its session’s alone, and ends within the hour', async () => {
  let nowMs = Date.now();
  await using world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  await propose(world, [write('live/a'), write('live/b')]);
  const arrival = { transport: 'stdio', connectionId: 'another' } as const;
  const other = await world.call('file_write', input('live/a'), { arrival });
  expect(errorOf(other).code).toBe('approval_pending');
  nowMs += 60 * 60_000 + 1;
  expect(errorOf(await world.call('file_write', input('live/b'))).code).toBe('approval_pending');
});

test('a plan answers nothing that only a person answers, and holds nothing that is denied', async () => {
  await using world = await openTestCheckpoint({ config });
  const { reply, message } = await propose(world, [write('live/a'), write('prod/a')]);
  expect(message).toContain('asked about separately when it is sent');
  expect(outputOf(reply)).toMatchObject({ steps: [{ needs: 'plan' }, { needs: 'person' }] });
  expect(errorOf(await world.call('file_write', input('prod/a'))).code).toBe('approval_pending');

  const denied = await propose(world, [write('live/b'), write('keys/a')]);
  expect(denied.message).toBe('');
  expect(errorOf(denied.reply)).toMatchObject({ code: 'denied', details: { rule: 'keys' } });
  expect(String(errorOf(denied.reply).message)).toMatch(/^Step 2: /);
});

test.each<[string, readonly PlanCall[]]>([
  ['a tool that is none', [{ tool: 'nope', arguments: {} }]],
  ['arguments that do not fit', [{ tool: 'file_write', arguments: { path: 7 } }]],
  ['the same call twice', [write('live/a'), write('live/a')]],
  ['a plan', [{ tool: 'propose_plan', arguments: { why: 'x', calls: [sent(write('live/a'))] } }]],
  ['more than anybody reads', Array.from({ length: 50 }, (_, at) => write(`live/${at}`, 'x'.repeat(4000)))],
  ['nothing', []],
])('a plan with %s is refused before anybody is asked', async (_name, calls) => {
  await using world = await openTestCheckpoint({ config });
  const { reply, message } = await propose(world, calls);
  expect(errorOf(reply).code).toBe('invalid_parameter');
  expect(message).toBe('');
});

test('a plan that nobody agreed to allows nothing', async () => {
  await using world = await openTestCheckpoint({ config });
  const nobody = await world.call('propose_plan', { why: 'A release', calls: [sent(write('live/a'))] });
  expect(errorOf(nobody).code).toBe('approval_pending');
  expect(errorOf(await world.call('file_write', input('live/a'))).code).toBe('approval_pending');
});

test('where the mode does not ask, a plan hands on nobody’s yes', async () => {
  await using world = await openTestCheckpoint({ config: { ...config, mode: 'full-access' } });
  const { reply, message } = await propose(world, [write('live/a')]);
  expect(message).toBe('');
  expect(outputOf(reply)).not.toHaveProperty('plan_id');
  expect(errorOf(await world.call('file_write', input('live/a'))).code).toBe('approval_pending');
});
