import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCollaborationToolset } from '../../src/tools/collaboration/index.ts';
import { outputOf } from '../support/open-test-checkpoint.ts';
import { passkey } from './people.ts';
import { openTeamCheckpoint, type Person } from './world.ts';

/**
 * An agent of project q names, in every tool that takes an id, what belongs to project p, and odd words as well. Not one
 * word of p comes back, and nothing of p changes.
 */
test('no id of another project opens anything', async () => {
  await using world = await openTeamCheckpoint();
  const { admin } = world;
  await admin.addAgent({ id: 'boss', name: 'Boss', hierarchy: 'manager', passkey });
  await admin.addAgent({ id: 'second', name: 'Second', hierarchy: 'worker', parentId: 'boss', passkey });
  for (const id of ['boss', 'second']) await admin.assign(id, 'q');

  const secret = 'Secret of p';
  const whole = await admin.addTask({ projectId: 'p', title: secret, assigneeId: 'm', start: true });
  const mine = await admin.addTask({ projectId: 'p', title: `${secret} 2`, assigneeId: 'a', start: true });
  const free = await admin.addTask({ projectId: 'p', title: `${secret} 3` });
  const a = await world.authenticate('a', 'task');
  const say = async (person: Person, tool: string, input: object = {}) =>
    outputOf(await world.callAs(person, tool, input)) as Record<string, string>;
  const { execution_id } = await say(a, 'report_execution_start');
  const { request_id } = await say(a, 'request_task', { title: secret, assignee_id: 'b' });
  const { delegation_id } = await say(a, 'delegate_to_chat_session', {
    target_agent_id: 'b',
    purpose: secret,
  });
  const chat = await world.authenticate('a', 'chat');
  const { conversation_id, message_id } = await say(chat, 'start_conversation', {
    participant_agent_id: 'b',
    purpose: secret,
    message: secret,
    delegation_id,
  });
  const { notifications } = outputOf(await world.callAs(a, 'get_notifications')) as {
    notifications: { notification_id: string }[];
  };
  const foreign = [
    ...[
      whole,
      mine,
      free,
      execution_id,
      request_id,
      delegation_id,
      conversation_id,
      message_id,
      'a',
      'b',
      'm',
      'p',
    ],
    ...notifications.map((one) => one.notification_id),
  ].map((id) => id ?? '');

  for (const assigneeId of ['outsider', 'boss']) {
    await admin.addTask({ projectId: 'q', title: `Of ${assigneeId}`, assigneeId, start: true });
  }
  const callers: Person[] = [];
  for (const agent_id of ['outsider', 'boss']) {
    const proof = { agent_id, passkey, project_id: 'q' };
    const task = (await say({}, 'authenticate', proof)) as Record<string, string>;
    callers.push({ session_token: task.session_token ?? '' });
    const target_agent_id = agent_id === 'boss' ? 'second' : 'boss';
    await say(callers.at(-1) ?? {}, 'delegate_to_chat_session', { target_agent_id, purpose: 'Talk.' });
    const talk = (await say({}, 'authenticate', { ...proof, purpose: 'chat' })) as Record<string, string>;
    callers.push({ session_token: talk.session_token ?? '' });
  }

  const before = JSON.stringify(await everythingOf());
  const odd = fc.oneof(
    fc.constantFrom(
      '%',
      '_',
      "' OR 1=1 --",
      '..',
      '*',
      'ｔｓｋ',
      'タスク',
      '__proto__',
      'constructor',
      'null',
      '\u202e',
      ' a',
      'A',
    ),
    fc.string({ minLength: 1, maxLength: 64 }),
  );
  const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...foreign) }, { weight: 1, arbitrary: odd });
  const refusals = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...callers),
      fc.constantFrom(...tries),
      id,
      async (person, [tool, input], one) => {
        const reply = await world.callAs(person, tool, input(one));
        const words = JSON.stringify(reply);
        expect(words).not.toContain(secret);
        if (reply.kind === 'error') refusals.add(String(reply.structured.error.code));
        expect(reply.kind === 'error' && reply.structured.error.code, `${tool} ${one} ${words}`).not.toBe(
          'internal',
        );
      },
    ),
    { seed: 20_260_729, numRuns: process.env.SEKISHO_HAMMER ? 5000 : 400 },
  );
  expect(JSON.stringify(await everythingOf())).toEqual(before);
  expect([...refusals]).toContain('not_found');

  async function everythingOf() {
    const { engine } = await world.checkpoint.store();
    const { db } = await engine();
    const project = async (table: 'tasks' | 'delegations' | 'conversations' | 'messages' | 'task_requests') =>
      db.selectFrom(table).selectAll().where('project_id', '=', 'p').orderBy('id').execute();
    return [
      await project('tasks'),
      await project('delegations'),
      await project('conversations'),
      await project('messages'),
      await project('task_requests'),
      await db.selectFrom('executions').selectAll().where('project_id', '=', 'p').orderBy('id').execute(),
      await db.selectFrom('notifications').selectAll().where('project_id', '=', 'p').orderBy('id').execute(),
      await db.selectFrom('task_dependencies').selectAll().orderBy('task_id').execute(),
    ];
  }
});

test('the ids of every tool are tried', () => {
  const named = createCollaborationToolset().tools.flatMap(({ name, inputSchema }) =>
    Object.keys(inputSchema('en').properties ?? {})
      .filter((key) => key.endsWith('_id') || key === 'ack' || key === 'depends_on')
      .map((key) => `${name} ${key}`),
  );
  const tried = new Set(
    tries.flatMap(([tool, input]) => Object.keys(input('x')).map((key) => `${tool} ${key}`)),
  );
  // These prove who somebody is, or start what is free.
  const others =
    /^(authenticate|report_agent_error) |^(get_agent_action|approve_task_request|assign_task|start_conversation) /;
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((one) => !tried.has(one) && !others.test(one))).toEqual([]);
});

/** Every argument that is an id, by the tool that takes it. */
const tries: readonly (readonly [string, (id: string) => object])[] = [
  ['get_task', (task_id) => ({ task_id })],
  ['claim_task', (task_id) => ({ task_id })],
  ['release_task', (task_id) => ({ task_id })],
  ['update_task_status', (task_id) => ({ task_id, status: 'todo' })],
  ['update_task_status', (task_id) => ({ task_id, status: 'cancelled' })],
  ['assign_task', (task_id) => ({ task_id, assignee_id: null })],
  ['list_tasks', (assignee_id) => ({ assignee_id })],
  ['list_tasks', (parent_task_id) => ({ parent_task_id })],
  ['list_tasks', (cursor) => ({ cursor })],
  ['create_task', (parent_task_id) => ({ title: 'x', parent_task_id })],
  ['create_task', (other) => ({ title: 'y', depends_on: [other] })],
  ['create_task', (assignee_id) => ({ title: 'z', assignee_id })],
  ['create_tasks_batch', (parent_task_id) => ({ parent_task_id, tasks: [{ local_id: '1', title: 'x' }] })],
  ['create_tasks_batch', (other) => ({ tasks: [{ local_id: '1', title: 'w', depends_on: [other] }] })],
  ['request_task', (assignee_id) => ({ title: 'x', assignee_id })],
  ['approve_task_request', (request_id) => ({ request_id })],
  ['reject_task_request', (request_id) => ({ request_id })],
  ['get_subordinate_profile', (agent_id) => ({ agent_id })],
  ['get_notifications', (one) => ({ ack: [one] })],
  ['get_pending_messages', (one) => ({ ack: [one] })],
  ['respond_chat', (conversation_id) => ({ content: 'x', conversation_id })],
  ['send_message', (target_agent_id) => ({ target_agent_id, content: 'x' })],
  ['start_conversation', (participant_agent_id) => ({ participant_agent_id, purpose: 'x' })],
  [
    'start_conversation',
    (delegation_id) => ({ participant_agent_id: 'second', purpose: 'x', delegation_id }),
  ],
  ['end_conversation', (conversation_id) => ({ conversation_id })],
  ['delegate_to_chat_session', (target_agent_id) => ({ target_agent_id, purpose: 'x' })],
  ['report_delegation_completed', (delegation_id) => ({ delegation_id, status: 'completed', result: 'x' })],
  ['get_task_conversations', (delegation_id) => ({ delegation_id })],
  ['get_conversation_messages', (conversation_id) => ({ conversation_id })],
  ['report_execution_start', (task_id) => ({ task_id })],
  ['report_execution_complete', (execution_id) => ({ execution_id, status: 'success' })],
  ['get_agent_action', (agent_id) => ({ agent_id, project_id: 'p' })],
  ['report_process_exit', (session_id) => ({ session_id })],
];
