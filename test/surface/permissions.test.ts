import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Arrival } from '../../src/contract/call.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import type { Permission } from '../../src/contract/tool/tool-card.ts';
import { createCollaborationToolset } from '../../src/tools/collaboration/index.ts';
import { errorOf, outputOf } from '../support/open-test-checkpoint.ts';
import { coordinatorToken, enter } from '../team/people.ts';
import { openTeamCheckpoint, type Person } from '../team/world.ts';

/** Document 002, word for word: what each tool's permission is. */
const table: Readonly<Record<Permission, readonly string[]>> = {
  unauthenticated: ['help', 'authenticate'],
  coordinator_only: [
    'health_check',
    'list_managed_agents',
    'list_active_projects_with_agents',
    'get_agent_action',
    'report_process_exit',
    'report_agent_error',
  ],
  manager_only: [
    'list_subordinates',
    'get_subordinate_profile',
    'assign_task',
    'select_action',
    'approve_task_request',
    'reject_task_request',
  ],
  authenticated: [
    'logout',
    'get_my_profile',
    'get_my_task',
    'get_next_action',
    'get_project',
    'list_tasks',
    'get_task',
    'create_task',
    'create_tasks_batch',
    'claim_task',
    'release_task',
    'update_task_status',
    'report_completed',
    'report_model',
    'request_task',
    'get_notifications',
    'get_my_execution_history',
  ],
  worker_only: ['report_execution_start', 'report_execution_complete'],
  chat_only: [
    'get_pending_messages',
    'respond_chat',
    'send_message',
    'start_conversation',
    'end_conversation',
    'report_delegation_completed',
  ],
  task_only: ['delegate_to_chat_session', 'get_task_conversations', 'get_conversation_messages'],
};

const kinds = [
  'unauthenticated',
  'coordinator',
  'manager/task',
  'manager/chat',
  'worker/task',
  'worker/chat',
] as const;
type Kind = (typeof kinds)[number];

function isAllowed(permission: Permission, kind: Kind): boolean {
  const [role, purpose] = kind.split('/');
  switch (permission) {
    case 'unauthenticated':
      return true;
    case 'coordinator_only':
      return role === 'coordinator';
    case 'manager_only':
      return role === 'manager';
    case 'worker_only':
      return role === 'worker';
    case 'authenticated':
      return purpose !== undefined;
    case 'chat_only':
      return purpose === 'chat';
    case 'task_only':
      return purpose === 'task';
  }
}

/** What a refused call is told, word for word. */
function messageFor(name: string, permission: Permission, kind: Kind): string {
  const [role, purpose] = kind.split('/');
  if (purpose !== undefined && (permission === 'chat_only' || permission === 'task_only')) {
    return `Tool '${name}' requires a ${permission === 'chat_only' ? 'chat' : 'task'} session. Current session purpose is '${purpose}'.`;
  }
  if (permission === 'coordinator_only' && role !== 'unauthenticated') {
    return `Tool '${name}' requires coordinator authority.`;
  }
  if (purpose !== undefined && permission === 'manager_only')
    return `Tool '${name}' requires manager authority.`;
  if (purpose !== undefined && permission === 'worker_only')
    return `Tool '${name}' requires worker authority.`;
  return `Tool '${name}' requires authentication.`;
}

const tools = createCollaborationToolset().tools;
const permissions = Object.entries(table) as [Permission, readonly string[]][];

test('every tool of the document is there with its permission, and no other', () => {
  expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.permission]))).toEqual(
    Object.fromEntries(
      permissions.flatMap(([permission, names]) =>
        names.filter((name) => name !== 'help').map((name) => [name, permission]),
      ),
    ),
  );
});

describe.each(kinds)('as %s', (kind) => {
  let world: Awaited<ReturnType<typeof openTeamCheckpoint>>;
  let person: Person;
  let arrival: Arrival;

  beforeAll(async () => {
    world = await openTeamCheckpoint();
    const [role = '', purpose] = kind.split('/') as [string, 'task' | 'chat' | undefined];
    if (role === 'coordinator') person = world.coordinator;
    else if (purpose === undefined) person = {};
    else {
      const id = role === 'manager' ? 'm' : 'a';
      if (purpose === 'task') await world.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: id });
      else {
        await world.admin.addTask({ projectId: 'p', title: 'Talk' });
        const other = await enter(world.store, 'b', 'task');
        await other.team.claimTask({});
        // An errand for somebody else makes chat work for that one, whose invitation is chat work for ours.
        await other.team.delegate({ target_agent_id: id, purpose: 'Talk' });
        const talker = await enter(world.store, 'b', 'chat');
        await talker.team.startConversation({ participant_agent_id: id, purpose: 'Talk', max_turns: 4 });
      }
      person = await world.authenticate(id, purpose);
    }
    arrival = {
      ...world.http,
      sessionToken: person.session_token,
      coordinatorToken: person.coordinator_token,
    };
  });
  afterAll(() => world.close());

  test('help tells who is calling, and no more', async () => {
    const { context } = outputOf(await world.callAs(person, 'help')) as { context: object };
    const [role, purpose] = kind.split('/');
    expect(context).toEqual({
      caller_type: role,
      ...(purpose === undefined
        ? {}
        : { session_purpose: purpose, agent_id: role === 'manager' ? 'm' : 'a', project_id: 'p' }),
    });
  });

  test('help lists exactly what may be called, and says of the others why not', async () => {
    const listed = outputOf(await world.callAs(person, 'help')) as {
      available_tools: { name: string }[];
      total_available: number;
      unavailable_info: Record<string, string>;
    };
    const expected = permissions.flatMap(([permission, names]) => (isAllowed(permission, kind) ? names : []));
    expect(listed.available_tools.map((tool) => tool.name).toSorted()).toEqual(expected.toSorted());
    expect(listed.total_available).toBe(expected.length);
    expect(Object.keys(listed.unavailable_info).length).toBe(
      permissions.filter(([permission]) => !isAllowed(permission, kind)).length,
    );
  });

  test('tools/list shows the same to a credential, and to nobody the whole set with a place for the token', async () => {
    const listed = await world.checkpoint.gateway.list(arrival);
    const names = listed.tools.map((tool) => tool.name).toSorted();
    if (kind !== 'unauthenticated') {
      const expected = permissions.flatMap(([permission, own]) => (isAllowed(permission, kind) ? own : []));
      expect(names).toEqual(expected.toSorted());
      expect(JSON.stringify(listed.tools.map((tool) => tool.inputSchema('en')))).not.toMatch(/_token"/);
      return;
    }
    expect(names).toEqual(permissions.flatMap(([, own]) => own).toSorted());
    for (const tool of listed.tools.filter((one) => one.name !== 'authenticate')) {
      const argument = tool.permission === 'coordinator_only' ? 'coordinator_token' : 'session_token';
      const { properties, required } = tool.inputSchema('en') as {
        properties: Record<string, unknown>;
        required?: string[];
      };
      expect(Object.keys(properties), tool.name).toContain(argument);
      expect(required ?? []).not.toContain(argument);
    }
  });

  test.each(tools)('$name: help in detail and the call agree', async (tool: Tool) => {
    const allowed = isAllowed(tool.permission, kind);
    const detail = outputOf(await world.callAs(person, 'help', { tool_name: tool.name }));
    expect(detail).toMatchObject({ name: tool.name, category: tool.category, available: allowed });
    if (allowed) {
      expect(detail).toHaveProperty('parameters');
      expect(detail).toHaveProperty('example');
      // Refused for its argument, and so past authorization, without doing anything.
      const error = errorOf(await world.callAs(person, tool.name, { no_such_argument: 1 }));
      expect(error).toMatchObject({ code: 'invalid_parameter', details: { field: expect.any(String) } });
    } else {
      expect(Object.keys(detail).toSorted()).toEqual([
        'available',
        'category',
        'description',
        'name',
        'permission',
        'reason',
      ]);
      const error = errorOf(await world.callAs(person, tool.name, { ...tool.example }));
      expect(error).toMatchObject({
        code: messageFor(tool.name, tool.permission, kind).endsWith('requires authentication.')
          ? 'unauthenticated'
          : 'forbidden',
        message: messageFor(tool.name, tool.permission, kind),
      });
    }
  });
});

test('a wrong coordinator token is refused and never falls through to a session that is good', async () => {
  await using world = await openTeamCheckpoint();
  await world.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
  const person = await world.authenticate('a');
  for (const wrong of ['wrong', '', 7, {}, `${coordinatorToken}x`]) {
    const reply = await world.callAs(person, 'get_my_profile', { coordinator_token: wrong });
    expect(errorOf(reply)).toMatchObject({ code: 'unauthenticated' });
  }
  expect(outputOf(await world.callAs(person, 'get_my_profile'))).toMatchObject({ agent_id: 'a' });
});
