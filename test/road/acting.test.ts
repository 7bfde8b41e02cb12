import { expect, test } from 'vitest';
import type { Checkpoint } from '../../src/checkpoint/index.ts';
import type { Arrival } from '../../src/contract/call.ts';
import { actorsOf } from '../../src/ground/records/actors.ts';
import { goodClaims, openSigner } from '../identity/signer.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { openTeamCheckpoint } from '../team/world.ts';

const resource = 'http://127.0.0.1:7420/mcp';

/** For each recorded call of the tool, newest last: who acted for whom, and what came of it. */
async function actsOf(checkpoint: Checkpoint, tool: string) {
  const { audit } = await checkpoint.store();
  const entries = await audit.search({ tool, limit: 20 });
  return entries.map((entry) => [actorsOf(entry), entry.code ?? entry.outcome]);
}

test('a worker acts for who gave the task and for who gave what it is a part of, also where a call is refused', async () => {
  await using world = await openTeamCheckpoint();
  const whole = await world.admin.addTask({ projectId: 'p', title: 'House', assigneeId: 'm', start: true });
  const m = await world.authenticate('m');
  await world.callAs(m, 'create_task', { title: 'Door', parent_task_id: whole, assignee_id: 'a' });
  const a = await world.authenticate('a');
  await world.callAs(a, 'get_my_task');
  await world.callAs(a, 'list_subordinates');
  await world.callAs(a, 'get_my_task', { chain: ['person'] });

  expect(await actsOf(world.checkpoint, 'create_task')).toEqual([['person → agent:m', 'ok']]);
  expect(await actsOf(world.checkpoint, 'get_my_task')).toEqual([
    ['person → agent:m → agent:a', 'ok'],
    ['person → agent:m → agent:a', 'invalid_parameter'],
  ]);
  expect(await actsOf(world.checkpoint, 'list_subordinates')).toEqual([
    ['person → agent:m → agent:a', 'forbidden'],
  ]);
});

/** A checkpoint that trusts an issuer, and calls with tokens of its claims. */
async function openForTokens() {
  const signer = await openSigner();
  const world = await openTestCheckpoint({
    files: { 'a.md': 'hello\n' },
    config: {
      toolsets: ['agent-cli'],
      rules: [{ tool: 'file_write', decision: 'deny', because: 'not today' }],
      http: { oauth: { resource, issuers: [{ issuer: signer.issuer, name: 'corp' }] } },
    },
  });
  const tokenOf = (claims: object) => signer.sign({ ...goodClaims(signer.issuer, resource), ...claims });
  const callWith = (bearer: string, tool: string, input: object, more: Partial<Arrival> = {}) =>
    world.call(tool, input, { arrival: { transport: 'http', bearer, ...more } });
  async function close(): Promise<void> {
    await world.close();
    await signer.close();
  }
  return { ...world, tokenOf, callWith, close, [Symbol.asyncDispose]: close };
}

test('a token says through whom its person acts; side by side and refused, each call keeps its own chain', async () => {
  await using world = await openForTokens();
  const read = { path: 'a.md' };
  const [one, two] = await Promise.all(
    ['worker-a', 'worker-b'].map((sub) =>
      world.tokenOf({ scope: 'tools:read tools:write', act: { sub, act: { sub: 'orchestrator' } } }),
    ),
  );
  await Promise.all([one, two, one].map((token) => world.callWith(token ?? '', 'file_read', read)));
  await world.callWith(two ?? '', 'file_write', { path: 'b.md', content: 'x' });

  const acts = await actsOf(world.checkpoint, 'file_read');
  expect(acts.map(([who]) => who).toSorted()).toEqual([
    'user:corp/alice → orchestrator → worker-a',
    'user:corp/alice → orchestrator → worker-a',
    'user:corp/alice → orchestrator → worker-b',
  ]);
  expect(await actsOf(world.checkpoint, 'file_write')).toEqual([
    ['user:corp/alice → orchestrator → worker-b', 'denied'],
  ]);
  const { audit } = await world.checkpoint.store();
  const sessions = new Set(
    (await audit.search({ tool: 'file_read', limit: 9 })).map((each) => each.sessionId),
  );
  expect(sessions.size).toBe(2);
});

test('the name that people know a user by stands in the record, and a name that hides something does not', async () => {
  await using world = await openForTokens();
  for (const email of ['alice@example.com', '山田 花子', 'a\u202eb', 'a\nb', 7, undefined]) {
    await world.callWith(await world.tokenOf({ email }), 'file_read', { path: 'a.md' });
  }
  const plain = ['user:corp/alice', 'ok'];
  expect(await actsOf(world.checkpoint, 'file_read')).toEqual([
    ['user:corp/alice (alice@example.com)', 'ok'],
    ['user:corp/alice (山田 花子)', 'ok'],
    ...[plain, plain, plain, plain],
  ]);
});

test('what a caller says of itself is no chain', async () => {
  await using world = await openForTokens();
  const plain = await world.tokenOf({});
  const claimed = { chain: ['person'], act: { sub: 'orchestrator' } };
  await world.callWith(
    plain,
    'file_read',
    { path: 'a.md' },
    { client: { name: 'person → x', version: '1' } },
  );
  await world.callWith(plain, 'file_read', { path: 'a.md', ...claimed });
  // The claim was put into a token that its issuer never signed.
  const [head, , signature] = plain.split('.');
  const body = { ...goodClaims('http://127.0.0.1:1', resource), ...claimed };
  const forged = [head, Buffer.from(JSON.stringify(body)).toString('base64url'), signature].join('.');
  await world.callWith(forged, 'file_read', { path: 'a.md' });

  expect(await actsOf(world.checkpoint, 'file_read')).toEqual([
    ['user:corp/alice', 'ok'],
    ['user:corp/alice', 'invalid_parameter'],
    ['anonymous', 'unauthenticated'],
  ]);
});

test.each([
  ['no name', { act: {} }],
  ['a name of several lines', { act: { sub: 'a\nb' } }],
  ['no object', { act: 'worker' }],
  ['a nameless one behind it', { act: { sub: 'a', act: { sub: 7 } } }],
])('a token whose actor is %s is refused', async (_what, claims) => {
  await using world = await openForTokens();
  await world.callWith(await world.tokenOf(claims), 'file_read', { path: 'a.md' });
  expect(await actsOf(world.checkpoint, 'file_read')).toEqual([['anonymous', 'unauthenticated']]);
});
