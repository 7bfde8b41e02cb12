import { once } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { createLineClient, modernHeaders, modernMeta, post } from '../support/clients.ts';
import { needs } from '../support/needs.ts';
import { errorOf, outputOf } from '../support/open-test-checkpoint.ts';
import { enter, openTeam, passkey, settle, strangerAt } from './people.ts';
import { createTeamPlace, enterAt, secrets } from './server.ts';
import { openTeamCheckpoint } from './world.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const hour = 3_600_000;

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  test('a session slides with use for a day and no longer, and is swept', needs(missing), async () => {
    let now = 1_700_000_000_000;
    const place = await createPlace();
    const records = await place.open(() => now);
    const store = openTeam(records, () => now);
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
    const began = now;
    const { token } = await enter(store, 'a');
    const arrival = { transport: 'http' } as const;
    for (let used = 0; now - began < 23 * hour; used += 1) {
      now += 55 * 60_000;
      expect(await store.sessions.session(token, arrival), `use ${used}`).toBeDefined();
    }
    now = began + 24 * hour - 1;
    expect(await store.sessions.session(token, arrival)).toBeDefined();
    now = began + 24 * hour;
    expect(await store.sessions.session(token, arrival)).toBeUndefined();
    const second = await enter(store, 'a');
    const { db } = await records.engine();
    expect(await db.selectFrom('agent_sessions').select('id').execute()).toHaveLength(1);
    now += hour - 1;
    expect(await store.sessions.session(second.token, arrival)).toBeDefined();
    now += hour;
    expect(await store.sessions.session(second.token, arrival)).toBeUndefined();
  });

  test('only the hash of a token and of a passkey is kept', needs(missing), async () => {
    const place = await createPlace();
    const records = await place.open();
    const store = openTeam(records);
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
    const { token } = await enter(store, 'a');
    expect(token).toMatch(/^sess_[\w-]{43}$/);
    const { db } = await records.engine();
    const kept = JSON.stringify([
      await db.selectFrom('agent_sessions').selectAll().execute(),
      await db.selectFrom('agents').selectAll().execute(),
      await db.selectFrom('coordinator_tokens').selectAll().execute(),
    ]);
    for (const secret of [token, token.slice(5), passkey, 'coordinator-token-for-tests']) {
      expect(kept).not.toContain(secret);
    }
  });

  test(
    'guessing is slowed for an agent and from an address, and right passkeys are not counted',
    needs(missing),
    async () => {
      let now = 1_700_000_000_000;
      const place = await createPlace();
      const store = openTeam(await place.open(() => now), () => now);
      await settle(store);
      const guess = (agent_id: string, address: string, guessed = 'wrong') =>
        strangerAt(store, address)
          .authenticate({ agent_id, passkey: guessed, project_id: 'p' })
          .catch((error) => error);
      for (let n = 0; n < 12; n += 1) {
        expect(await guess('a', '192.0.2.1', passkey)).toMatchObject({ reason: 'no_work' });
      }
      const wrong = await guess('a', '192.0.2.1');
      expect(wrong).toMatchObject({ code: 'unauthenticated' });
      const stranger = await guess('nobody', '192.0.2.1');
      expect([stranger.code, stranger.message, stranger.suggestion]).toEqual([
        wrong.code,
        wrong.message,
        wrong.suggestion,
      ]);
      // Many at once gain nothing.
      const burst = await Promise.all(Array.from({ length: 15 }, (_, n) => guess('a', `192.0.2.${n + 10}`)));
      expect(burst.filter((error) => error.code === 'unauthenticated')).toHaveLength(9);
      expect(await guess('a', '192.0.2.99', passkey)).toMatchObject({
        code: 'rate_limited',
        details: { retry_after_ms: expect.any(Number) },
      });
      // Another agent is free of it.
      expect(await guess('b', '192.0.2.99', passkey)).toMatchObject({ reason: 'no_work' });
      now += 5 * 60_000 + 1;
      expect(await guess('a', '192.0.2.1', passkey)).toMatchObject({ reason: 'no_work' });
    },
  );
  test('agents that start together from one machine are no attack', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    const many = process.env.SEKISHO_HAMMER ? 200 : 60;
    const stranger = strangerAt(store, '192.0.2.1');
    const answers = await Promise.all(
      Array.from({ length: many }, (_, n) =>
        stranger
          .authenticate({ agent_id: n % 2 === 0 ? 'a' : 'b', passkey, project_id: 'p' })
          .catch((error) => ({ reason: error.code })),
      ),
    );
    expect(new Set(answers.map((answer) => answer.reason))).toEqual(new Set(['no_work']));
  });

  test('a clock that is set back holds nobody up', needs(missing), async () => {
    let now = 1_700_000_000_000;
    const place = await createPlace();
    const store = openTeam(await place.open(() => now), () => now);
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
    const coordinator = store.lend(
      { kind: 'coordinator', principal: 'coordinator', sessionId: 'c', remote: true },
      { transport: 'http' },
    );
    expect(await coordinator.agentAction({ agent_id: 'a', project_id: 'p' })).toMatchObject({
      action: 'start',
    });
    for (let n = 0; n < 10; n += 1) {
      await expect(
        strangerAt(store).authenticate({ agent_id: 'a', passkey: 'wrong', project_id: 'p' }),
      ).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    now -= 24 * hour;
    expect(await coordinator.agentAction({ agent_id: 'a', project_id: 'p' })).toMatchObject({
      action: 'start',
    });
    const { team } = await enter(store, 'a');
    await team.claimTask({});
    expect(await team.reportCompleted({ result: 'success' })).toMatchObject({ status: 'done' });
  });
});

test('a task and a chat session live side by side, and the end of one leaves the other', async () => {
  await using world = await openTeamCheckpoint();
  await world.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
  const task = await world.authenticate('a', 'task');
  outputOf(await world.callAs(task, 'claim_task'));
  outputOf(
    await world.callAs(task, 'delegate_to_chat_session', {
      target_agent_id: 'b',
      purpose: 'Ask for the colour.',
    }),
  );
  const chat = await world.authenticate('a', 'chat');
  expect(outputOf(await world.callAs(chat, 'logout'))).toEqual({ success: true });
  expect(errorOf(await world.callAs(chat, 'get_my_profile'))).toMatchObject({ code: 'unauthenticated' });
  expect(outputOf(await world.callAs(task, 'get_my_task'))).toMatchObject({
    task: { status: 'in_progress' },
  });
  const again = await world.authenticate('a', 'chat');
  outputOf(await world.callAs(task, 'logout'));
  expect(outputOf(await world.callAs(again, 'get_my_profile'))).toMatchObject({ agent_id: 'a' });
});

test('the audit log has no passkey and no token', async () => {
  await using world = await openTeamCheckpoint();
  await world.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
  const person = await world.authenticate('a');
  await world.callAs(person, 'get_my_profile');
  await world.callAs({}, 'authenticate', { agent_id: 'a', passkey: 'a-wrong-guess', project_id: 'p' });
  const { audit } = await world.checkpoint.store();
  await audit.flush();
  const log = JSON.stringify(await audit.search({ limit: 100 }));
  expect(log).toContain('authenticate');
  expect(log).toContain('agent:a');
  for (const secret of [passkey, 'a-wrong-guess', person.session_token ?? '-'])
    expect(log).not.toContain(secret);
});

test('over HTTP without sessions of the transport a token goes on as argument, header or bearer', async () => {
  const place = await createTeamPlace();
  await place.command('task', 'add', '--project', 'p', '--title', 'Work', '--assign', 'a');
  const server = await place.serve();
  const { session_token } = await enterAt(server, 'a');
  const mine = { agent_id: 'a', hierarchy: 'worker' };
  expect(await server.call('get_my_profile', { session_token })).toMatchObject(mine);
  expect(await server.call('get_my_profile', {}, { 'sekisho-session-token': session_token })).toMatchObject(
    mine,
  );
  expect(await server.call('get_my_profile', {}, { authorization: `Bearer ${session_token}` })).toMatchObject(
    mine,
  );
  expect(await server.call('get_my_profile', {})).toMatchObject({ error: { code: 'unauthenticated' } });
  expect(await server.call('get_my_profile', { session_token: 'sess_wrong' })).toMatchObject({
    error: { code: 'unauthenticated' },
  });
  for (const headers of [{ 'sekisho-session-token': 'sess_wrong' }, { authorization: 'Bearer wrong' }]) {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta() } };
    const answer = await post(server.url, list, { ...modernHeaders('tools/list'), ...(headers as object) });
    expect(answer.status).toBe(401);
  }
});

test('over stdio the session sticks to the connection, and the list changes with it', async () => {
  const place = await createTeamPlace();
  await place.command('task', 'add', '--project', 'p', '--title', 'Work', '--assign', 'a');
  const child = place.spawnStdio();
  if (!child.stdin || !child.stdout) throw new Error('no pipes');
  const client = createLineClient(child.stdin, child.stdout);
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });
  const names = async () => {
    const { result } = (await client.request('tools/list')) as { result: { tools: { name: string }[] } };
    return result.tools.map((tool) => tool.name);
  };
  const before = await names();
  expect(before).toContain('respond_chat');
  await client.call('authenticate', { agent_id: 'a', passkey: secrets.PASSKEY, project_id: 'p' });
  await client.next((message) => message.method === 'notifications/tools/list_changed');
  const within = await names();
  expect(within).toContain('report_completed');
  expect(within).not.toContain('respond_chat');
  expect(within).not.toContain('list_subordinates');
  expect(await client.call('get_my_profile', {})).toMatchObject({
    result: { structuredContent: { agent_id: 'a' } },
  });
  await client.call('logout', {});
  expect(await client.call('get_my_profile', {})).toMatchObject({ result: { isError: true } });
  expect(await names()).toEqual(before);
  expect(client.received.filter((one) => one.method === 'notifications/tools/list_changed')).toHaveLength(2);
});

test('a worker over stdio that starts again goes on with its task at once; the former session is told', async () => {
  const place = await createTeamPlace();
  await place.command('task', 'add', '--project', 'p', '--title', 'Work', '--assign', 'a');
  const start = async () => {
    const child = place.spawnStdio();
    if (!child.stdin || !child.stdout) throw new Error('no pipes');
    const client = createLineClient(child.stdin, child.stdout);
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    const entered = (await client.call('authenticate', {
      agent_id: 'a',
      passkey: secrets.PASSKEY,
      project_id: 'p',
    })) as { result: { structuredContent: { success: boolean; task_id?: string; session_token?: string } } };
    return { child, client, entry: entered.result.structuredContent };
  };
  const first = await start();
  await first.client.call('claim_task', { task_id: first.entry.task_id });
  // A second one beside it has nothing to do: the task is in work.
  const beside = await start();
  expect(beside.entry).toMatchObject({ success: false, reason: 'no_work' });

  const ended = once(first.child, 'close');
  first.child.stdin?.end();
  await ended;
  const again = await start();
  expect(again.entry).toMatchObject({ success: true, task_id: first.entry.task_id });
  expect(await again.client.call('report_completed', { result: 'success' })).not.toMatchObject({
    result: { isError: true },
  });
  for (const { child } of [beside, again]) child.stdin?.end();
});
