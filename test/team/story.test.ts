import { afterAll, expect, test } from 'vitest';
import { startPostgres } from '../store/postgres-server.ts';
import { needs } from '../support/needs.ts';
import { createTeamPlace, enterAt, secrets, type TeamServer } from './server.ts';

const postgres = await startPostgres();
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(async () => {
  if ('stop' in postgres) await postgres.stop();
});

const coordinator = { coordinator_token: secrets.COORDINATOR };

test('the whole story: a person gives work, a manager divides it, workers do it and talk, and it is done', async () => {
  const place = await createTeamPlace();
  const server = await place.serve();
  const whole = await place.command(
    'task',
    'add',
    '--project',
    'p',
    '--title',
    'House',
    '--assign',
    'm',
    '--start',
  );
  await tellStory({ whole, at: () => server, other: server });
  expect(await place.command('task', 'show', whole)).toContain('in_progress → done');
});

test(
  'two servers on one PostgreSQL: each call goes to the other one, the first is killed in the middle, and the story goes on',
  needs(missing),
  async () => {
    if (!('createDatabase' in postgres)) return;
    const place = await createTeamPlace(await postgres.createDatabase());
    const [first, second] = [await place.serve(), await place.serve()];
    const whole = await place.command(
      'task',
      'add',
      '--project',
      'p',
      '--title',
      'House',
      '--assign',
      'm',
      '--start',
    );
    let alive: readonly TeamServer[] = [first, second];
    let calls = 0;
    await tellStory({
      whole,
      at: () => alive[calls++ % alive.length] ?? second,
      other: second,
      async midway() {
        await first.kill();
        alive = [second];
      },
    });
    expect(await place.command('task', 'show', whole)).toContain('in_progress → done');
  },
);

interface Story {
  readonly whole: string;
  /** The server that agents talk to now. */
  at(): TeamServer;
  /** Where changes are made that somebody waits for at the other. */
  readonly other: TeamServer;
  midway?(): Promise<void>;
}

async function tellStory({ whole, at, other, midway }: Story): Promise<void> {
  const action = (agent_id: string) =>
    at().call('get_agent_action', { ...coordinator, agent_id, project_id: 'p' });
  expect(await action('a')).toEqual({ action: 'hold', reason: 'no_work' });
  expect(await action('m')).toMatchObject({
    action: 'start',
    reason: 'has_task_work',
    start: { task_id: whole },
  });
  expect(await action('m')).toEqual({ action: 'hold', reason: 'spawn_in_progress' });

  const m = await agentAt(at, 'm');
  expect(m.entry).toMatchObject({ purpose: 'task', task_id: whole, agent_name: 'Mika', expires_in: 3600 });
  expect(await m.next()).toMatchObject({ action: 'get_task', tool: 'get_my_task' });
  await m.call('get_my_task');
  expect(await m.next()).toMatchObject({ action: 'create_subtasks' });
  const made = (await m.call('create_tasks_batch', {
    parent_task_id: whole,
    tasks: [
      { local_id: 'walls', title: 'Walls' },
      { local_id: 'roof', title: 'Roof', depends_on: ['walls'] },
    ],
  })) as { tasks: { task_id: string }[] };
  const [walls = '', roof = ''] = made.tasks.map((task) => task.task_id);
  expect(await m.next()).toMatchObject({ action: 'dispatch', needs: { ready: [walls] } });
  await m.call('assign_task', { task_id: walls, assignee_id: 'a' });
  await m.call('assign_task', { task_id: roof, assignee_id: 'b' });

  expect(await action('a')).toMatchObject({ action: 'start', start: { task_id: walls } });
  expect(await action('b')).toEqual({ action: 'hold', reason: 'blocked' });
  expect(await action('m')).toEqual({ action: 'hold', reason: 'no_work' });
  const a = await agentAt(at, 'a');
  await a.call('claim_task', { task_id: walls });
  await a.call('report_model', { model: 'glm-4.7' });
  const { execution_id } = await a.call('report_execution_start');

  // The worker's task session lets its chat session ask the manager.
  const errand = await a.call('delegate_to_chat_session', { target_agent_id: 'm', purpose: 'Which colour?' });
  expect(await action('a')).toMatchObject({ action: 'start', reason: 'has_chat_work' });
  const chat = await agentAt(at, 'a', 'chat');
  expect(await chat.next()).toMatchObject({
    action: 'run_errand',
    needs: { delegations: [errand.delegation_id] },
  });
  const { conversation_id } = await chat.call('start_conversation', {
    participant_agent_id: 'm',
    purpose: 'Which colour?',
    message: 'Which colour shall the walls have?',
    delegation_id: errand.delegation_id,
  });

  await midway?.();

  expect(await action('m')).toMatchObject({ action: 'start', reason: 'has_chat_work' });
  const talker = await agentAt(at, 'm', 'chat');
  expect(await talker.next()).toMatchObject({ action: 'read_messages' });
  expect(await talker.call('get_pending_messages')).toMatchObject({
    messages: [{ from: 'a', content: 'Which colour shall the walls have?' }],
    conversations: [{ conversation_id, status: 'active', turns: 1, max_turns: 20 }],
  });
  const waiting = chat.call('get_next_action', { timeout_seconds: 50 });
  await other.call('respond_chat', { session_token: talker.session_token, content: 'White.' });
  expect(await waiting).toMatchObject({ action: 'read_messages' });
  expect(await chat.call('get_pending_messages')).toMatchObject({
    messages: [{ from: 'm', content: 'White.' }],
    context: [{ from: 'a' }],
  });
  await chat.call('respond_chat', { content: 'Thank you.' });
  await chat.call('end_conversation', { conversation_id, summary: 'White.' });
  expect(await chat.next()).toMatchObject({ action: 'report_errand' });
  const result = a.call('get_task_conversations', { wait_seconds: 50 });
  await other.call('report_delegation_completed', {
    session_token: chat.session_token,
    delegation_id: errand.delegation_id,
    result: 'White.',
  });
  expect(await result).toMatchObject({
    delegations: [
      { status: 'completed', result: 'White.', conversations: [{ turns: 3, outcome: 'White.' }] },
    ],
  });
  expect(await a.call('get_conversation_messages', { conversation_id })).toMatchObject({
    messages: [{ from: 'a' }, { from: 'm' }, { from: 'a' }],
  });
  await chat.call('logout');

  await a.call('report_execution_complete', { execution_id, status: 'success', summary: 'White walls.' });
  expect(await a.call('get_my_execution_history')).toMatchObject({
    executions: [{ status: 'success', model: 'glm-4.7' }],
  });
  const waitingManager = m.call('get_next_action', { timeout_seconds: 50 });
  await other.call('report_completed', {
    session_token: a.session_token,
    result: 'success',
    summary: 'White walls.',
  });
  expect(await waitingManager).toMatchObject({ action: 'wait', state: { done: 1, todo: 1 } });

  expect(await action('b')).toMatchObject({ action: 'start', start: { task_id: roof } });
  const b = await agentAt(at, 'b');
  await b.call('claim_task');
  expect(await b.call('report_completed', { result: 'blocked', summary: 'No tiles.' })).toMatchObject({
    status: 'blocked',
  });
  expect(await m.next()).toMatchObject({ action: 'adjust', needs: { blocked: [roof] } });
  await m.call('update_task_status', { task_id: roof, status: 'todo', reason: 'Tiles are here.' });
  await b.call('claim_task', { task_id: roof });
  await b.call('report_completed', { result: 'success' });
  expect(await m.call('get_notifications')).toMatchObject({
    notifications: [
      { kind: 'task_assigned' },
      { kind: 'conversation_ended', message: 'White.' },
      { kind: 'task_completed', task_id: walls },
      { kind: 'task_blocked', task_id: roof, message: 'Roof: No tiles.' },
      { kind: 'task_completed', task_id: roof },
    ],
  });
  expect(await m.next()).toMatchObject({ action: 'complete' });
  expect(await m.call('report_completed', { result: 'success' })).toMatchObject({ status: 'done' });
  expect(await m.next()).toMatchObject({ action: 'finish', tool: 'logout' });
  await m.call('logout');
  expect(await action('m')).toEqual({ action: 'hold', reason: 'no_work' });
  expect(await at().call('health_check', coordinator)).toMatchObject({ status: 'ok', tasks: { done: 3 } });
}

async function agentAt(at: () => TeamServer, agentId: string, purpose?: 'task' | 'chat') {
  const { session_token, entry } = await enterAt(at(), agentId, purpose);
  const call = (tool: string, input: object = {}) => at().call(tool, { ...input, session_token });
  return { session_token, entry, call, next: () => call('get_next_action') };
}
