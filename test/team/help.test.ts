import { describe, expect, test } from 'vitest';
import { errorOf, outputOf } from '../support/open-test-checkpoint.ts';
import { openTeamCheckpoint } from './world.ts';

/** What an agent reads where it may not go on (document 002). */
describe('a caller who is not known', () => {
  test('is told how to come in, and one whose token is worth nothing is not told to pass it', async () => {
    const clock = { now: Date.now() };
    await using world = await openTeamCheckpoint({ options: { now: () => clock.now } });
    for (const id of ['a', 'b'])
      await world.admin.addTask({ projectId: 'p', title: `Of ${id}`, assigneeId: id });
    const mine = async (person: object) => errorOf(await world.callAs(person, 'get_my_task'));
    const message = "Tool 'get_my_task' requires authentication.";
    expect(await mine({})).toEqual({
      code: 'unauthenticated',
      message,
      suggestion: "Call 'authenticate' and pass session_token.",
    });
    const over = {
      code: 'unauthenticated',
      message,
      suggestion:
        "The token is not valid or its session has ended: call 'authenticate' again and pass the new session_token.",
    };
    expect(await mine({ session_token: 'sess_guessed' })).toEqual(over);
    expect(await mine({ session_token: 17 })).toEqual(over);
    const [expired, left] = [await world.authenticate('a'), await world.authenticate('b')];
    await world.callAs(left, 'logout');
    expect(await mine(left)).toEqual(over);
    const again = await world.authenticate('b');
    await world.admin.removeAgent('b');
    expect(await mine(again)).toEqual(over);
    clock.now += 3_600_000;
    expect(await mine(expired)).toEqual(over);
    expect(outputOf(await world.callAs(expired, 'help'))).toMatchObject({
      context: { caller_type: 'unauthenticated' },
      total_available: 2,
      unavailable_info: {
        authenticated_tools:
          'Tools for agents (logout, get_my_profile, get_my_task, …) need a session: call authenticate.',
      },
    });
    expect(errorOf(await world.callAs({ coordinator_token: 'wrong' }, 'health_check'))).toMatchObject({
      suggestion: 'The token is not valid; pass the right coordinator_token.',
    });
  });
});

test.each([
  ['RESPOND_CHAT', 'respond_chat'],
  ['get-my-task', 'get_my_task'],
  ['claimtask', 'claim_task'],
  ['report_complete', 'report_completed'],
  ['list my tasks', 'list_tasks'],
])('help for %s names %s', async (asked, meant) => {
  await using world = await openTeamCheckpoint();
  await world.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
  const a = await world.authenticate('a');
  const { code, suggestion } = errorOf(await world.callAs(a, 'help', { tool_name: asked }));
  expect(code).toBe('not_found');
  expect(suggestion).toContain(meant);
});

test('help in Japanese says what the document says', async () => {
  await using world = await openTeamCheckpoint({ config: { locale: 'ja' } });
  await world.admin.addTask({ projectId: 'p', title: '仕事', assigneeId: 'a' });
  const a = await world.authenticate('a');
  const { unavailable_info } = outputOf(await world.callAs(a, 'help'));
  expect(unavailable_info).toEqual({
    chat_tools:
      'チャットツール（get_pending_messages, respond_chat, send_message等）はpurpose=chatのセッションでのみ利用可能です',
    manager_tools:
      'Manager専用ツール（list_subordinates, get_subordinate_profile, assign_task等）はManager権限が必要です',
    coordinator_tools:
      'Coordinator専用ツール（health_check, list_managed_agents, list_active_projects_with_agents等）はCoordinatorトークンが必要です',
  });
  expect(outputOf(await world.callAs(a, 'help', { tool_name: 'respond_chat' }))).toEqual({
    name: 'respond_chat',
    description: expect.stringContaining('チャットメッセージに応答します'),
    category: 'chat',
    permission: 'chat_only',
    available: false,
    reason: 'このツールはpurpose=chatのセッションでのみ利用可能です。現在のセッションはpurpose=taskです。',
  });
});
