import { afterAll, describe, expect, test } from 'vitest';
import type { Team } from '../../src/contract/team/team.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, passkey, patient, settle, strangerAt } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

/** Conversations as they end, and what is left for those who took part. */
describe.each(engines)('on $name', ({ missing, createPlace }) => {
  /** `a` sent its chat session to talk to `b`; both are there. */
  async function openTalk() {
    const clock = { now: 1_700_000_000_000 };
    const place = await createPlace();
    const store = openTeam(await place.open(() => clock.now), () => clock.now);
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a', start: true });
    const task = (await enter(store, 'a', 'task')).team;
    const { delegation_id } = await task.delegate({ target_agent_id: 'b', purpose: 'Agree.' });
    const a = (await enter(store, 'a', 'chat')).team;
    const { conversation_id } = await a.startConversation({
      participant_agent_id: 'b',
      purpose: 'Agree.',
      message: 'これでよいですか？ 100%_ok',
      max_turns: 20,
      delegation_id,
    });
    const b = (await enter(store, 'b', 'chat')).team;
    const coordinator = store.lend(
      { kind: 'coordinator', principal: 'coordinator', sessionId: 'c', remote: true },
      { transport: 'http' },
    );
    const action = (agent_id: string) => coordinator.agentAction({ agent_id, project_id: 'p' });
    return { clock, store, task, a, b, action, delegation_id, conversation_id };
  }

  const next = (team: Team) => team.nextAction({ timeout_seconds: 0 }, patient);

  test(
    'last words that can no longer be answered are acknowledged, not read for ever',
    needs(missing),
    async () => {
      const { a, b, action, conversation_id } = await openTalk();
      expect(await b.pendingMessages({})).toMatchObject({
        messages: [{ content: 'これでよいですか？ 100%_ok' }],
        instruction: expect.stringContaining('respond_chat'),
      });
      await a.endConversation({ conversation_id, summary: 'Never mind.' });
      // Once more, and from the other side as well.
      expect(await a.endConversation({ conversation_id })).toMatchObject({ status: 'terminating' });
      const heard = await b.pendingMessages({});
      expect(heard).toMatchObject({ messages: [{ from: 'a' }], conversations: [] });
      expect(heard.instruction).toContain('over');
      expect(await b.endConversation({ conversation_id })).toEqual({ success: true, status: 'ended' });
      await expect(b.respond({ content: 'Fine.' })).rejects.toMatchObject({
        code: 'conflict',
        suggestion: { en: expect.stringContaining('ack') },
      });
      const ids = heard.messages.map((one) => one.message_id);
      expect(await next(b)).toMatchObject({
        action: 'acknowledge',
        tool: 'get_pending_messages',
        needs: { messages: ids },
      });
      expect(await b.pendingMessages({ ack: ids })).toMatchObject({ messages: [] });
      expect(await next(b)).toMatchObject({ action: 'finish' });
      await b.logout();
      expect(await action('b')).toEqual({ action: 'hold', reason: 'no_work' });
    },
  );

  test('nobody is started to wait for an answer', needs(missing), async () => {
    const { clock, a, b, action } = await openTalk();
    expect(await next(a)).toMatchObject({ action: 'wait' });
    await a.logout();
    expect(await action('a')).toEqual({ action: 'hold', reason: 'no_work' });
    await b.pendingMessages({});
    await b.respond({ content: 'Yes.' });
    expect(await action('a')).toMatchObject({ action: 'start', reason: 'has_chat_work' });
    clock.now += 121_000;
    const later = await openTalk();
    await later.a.logout();
    later.clock.now += 300_000;
    // The invitation lapsed: its end is to be reported.
    expect(await later.action('a')).toMatchObject({ action: 'start', reason: 'has_chat_work' });
  });

  test('a delegation is reported once, and serves no conversation after that', needs(missing), async () => {
    const { a, b, task, delegation_id, conversation_id } = await openTalk();
    await b.pendingMessages({});
    await b.endConversation({ conversation_id });
    await a.pendingMessages({});
    const report = { delegation_id, status: 'completed', result: 'Agreed.' } as const;
    expect(await a.reportDelegation(report)).toEqual({ success: true });
    expect(await a.reportDelegation(report)).toEqual({ success: true });
    await expect(a.reportDelegation({ ...report, status: 'failed' })).rejects.toMatchObject({
      code: 'conflict',
      message: `Delegation ${delegation_id} is completed already.`,
    });
    await expect(
      a.startConversation({ participant_agent_id: 'b', purpose: 'More.', max_turns: 4, delegation_id }),
    ).rejects.toMatchObject({ code: 'conflict' });
    const { delegations } = await task.taskConversations({ wait_seconds: 50 }, patient);
    expect(delegations).toMatchObject([{ status: 'completed', conversations: [{ status: 'ended' }] }]);
  });

  test('two who invite each other at the same moment are in one conversation', needs(missing), async () => {
    const { a, b, conversation_id } = await openTalk();
    await a.endConversation({ conversation_id });
    const invitation = { purpose: 'Talk.', max_turns: 4 };
    const both = await Promise.allSettled([
      a.startConversation({ ...invitation, participant_agent_id: 'b' }),
      b.startConversation({ ...invitation, participant_agent_id: 'a' }),
    ]);
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('a chat session does not report its agent’s task', needs(missing), async () => {
    const { store, a } = await openTalk();
    await expect(a.reportCompleted({ result: 'success' })).rejects.toMatchObject({
      code: 'conflict',
      suggestion: { en: expect.stringContaining('This is a chat session') },
    });
    const entry = await strangerAt(store).authenticate({
      agent_id: 'b',
      passkey,
      project_id: 'p',
      purpose: 'task',
    });
    expect(entry).toMatchObject({
      success: false,
      reason: 'no_work',
      instruction: expect.stringContaining('without purpose'),
    });
  });

  test('who is gone is not talked to, and those who talked with them are told', needs(missing), async () => {
    const { store, a, b, delegation_id, conversation_id } = await openTalk();
    await b.pendingMessages({});
    const waiting = a.nextAction({ timeout_seconds: 50 }, patient);
    await store.admin.removeAgent('b');
    expect(await waiting).toMatchObject({ action: 'report_errand', needs: { delegations: [delegation_id] } });
    await expect(a.respond({ conversation_id, content: 'Still there?' })).rejects.toMatchObject({
      code: 'conflict',
      message: `Conversation ${conversation_id} is ended; no more messages can be sent in it.`,
    });
    await expect(a.send({ target_agent_id: 'b', content: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await a.notifications({})).notifications.at(-1)).toMatchObject({
      kind: 'conversation_ended',
      message: 'Agent b has left the project.',
    });
    await expect(b.pendingMessages({})).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
