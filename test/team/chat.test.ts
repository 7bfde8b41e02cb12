import { afterAll, describe, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, patient, settle } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  /** `a` and `b` in a conversation that `a` began for an errand, with a clock that the test moves. */
  async function openTalk(maxTurns: number) {
    const clock = { now: 1_700_000_000_000 };
    const place = await createPlace();
    const store = openTeam(await place.open(() => clock.now), () => clock.now);
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
    const task = (await enter(store, 'a', 'task')).team;
    await task.claimTask({});
    const errand = await task.delegate({ target_agent_id: 'b', purpose: 'Agree.' });
    const a = (await enter(store, 'a', 'chat')).team;
    const { conversation_id } = await a.startConversation({
      participant_agent_id: 'b',
      purpose: 'Agree.',
      max_turns: maxTurns,
      delegation_id: errand.delegation_id,
    });
    return { clock, store, task, errand, a, conversation_id };
  }

  test(
    'turns are counted, a reminder comes with each fifth, and the last one ends it',
    needs(missing),
    async () => {
      const { store, a, conversation_id } = await openTalk(7);
      const b = (await enter(store, 'b', 'chat')).team;
      expect(await b.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
        action: 'read_messages',
        needs: { conversations: [conversation_id] },
      });
      expect((await b.pendingMessages({})).conversations).toMatchObject([{ status: 'active', with: 'a' }]);
      const sent = [];
      for (let turn = 1; turn <= 7; turn += 1) {
        const [speaker, other] = turn % 2 === 1 ? [a, 'b'] : [b, 'a'];
        sent.push(await speaker.send({ target_agent_id: other, content: `Turn ${turn}` }));
      }
      expect(sent.map((one) => [one.turns, one.status, one.reminder !== undefined])).toEqual([
        [1, 'active', false],
        [2, 'active', false],
        [3, 'active', false],
        [4, 'active', false],
        [5, 'active', true],
        [6, 'active', false],
        [7, 'ended', false],
      ]);
      await expect(a.send({ target_agent_id: 'b', content: 'One more' })).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(b.respond({ conversation_id, content: 'One more' })).rejects.toMatchObject({
        code: 'conflict',
      });
      // What was said before the end is still heard.
      expect((await b.pendingMessages({})).messages.map((one) => one.content)).toEqual([
        'Turn 1',
        'Turn 3',
        'Turn 5',
        'Turn 7',
      ]);
    },
  );

  test('turns taken at the same moment are counted one by one', needs(missing), async () => {
    const { a } = await openTalk(5);
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => a.send({ target_agent_id: 'b', content: `${n}` })),
    );
    const turns = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.turns] : []));
    expect(turns.toSorted()).toEqual([1, 2, 3, 4, 5]);
  });

  test(
    'a message is delivered again until a reply or an ack follows its delivery',
    needs(missing),
    async () => {
      const { store, a } = await openTalk(40);
      for (let n = 1; n <= 12; n += 1) await a.send({ target_agent_id: 'b', content: `M${n}` });
      const b = (await enter(store, 'b', 'chat')).team;
      await expect(b.respond({ content: 'Too early' })).rejects.toMatchObject({ code: 'conflict' });
      const first = await b.pendingMessages({});
      expect(first.messages).toHaveLength(10);
      expect(first.more).toBe(true);
      expect((await b.pendingMessages({})).messages).toEqual(first.messages);
      const third = await b.pendingMessages({ ack: [first.messages[0]?.message_id ?? ''] });
      expect(third.messages.map((one) => one.content)).toEqual([
        'M2',
        'M3',
        'M4',
        'M5',
        'M6',
        'M7',
        'M8',
        'M9',
        'M10',
        'M11',
      ]);
      expect(third.context.map((one) => one.content)).toEqual(['M1']);
      // The reply reads what was delivered, and not what nobody has seen.
      await b.respond({ content: 'Yes.' });
      expect((await b.pendingMessages({})).messages.map((one) => one.content)).toEqual(['M12']);
    },
  );

  test('an invitation lapses after five minutes and a silent talk after ten', needs(missing), async () => {
    const lapsed = await openTalk(4);
    lapsed.clock.now += 300_000;
    await expect(lapsed.a.send({ target_agent_id: 'b', content: 'Hello?' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await lapsed.a.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
      action: 'report_errand',
    });
    const { delegations } = await lapsed.task.taskConversations({ wait_seconds: 0 }, patient);
    expect(delegations).toMatchObject([{ status: 'processing', conversations: [{ status: 'expired' }] }]);

    const silent = await openTalk(4);
    const b = (await enter(silent.store, 'b', 'chat')).team;
    await b.pendingMessages({});
    silent.clock.now += 599_999;
    await silent.a.send({ target_agent_id: 'b', content: 'Still here?' });
    silent.clock.now += 600_000;
    await expect(
      b.respond({ conversation_id: silent.conversation_id, content: 'Yes' }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test(
    'only its members see a conversation or write in it, and agents need one to talk',
    needs(missing),
    async () => {
      const { store, a, conversation_id, errand } = await openTalk(4);
      await a.send({ target_agent_id: 'b', content: 'Secret' });
      await expect(a.send({ target_agent_id: 'm', content: 'Hello' })).rejects.toMatchObject({
        code: 'conflict',
      });
      await store.admin.addTask({ projectId: 'p', title: 'Other', assigneeId: 'm' });
      const m = (await enter(store, 'm', 'task')).team;
      await m.claimTask({});
      await expect(m.conversationMessages({ conversation_id })).rejects.toMatchObject({ code: 'not_found' });
      await expect(m.respond({ conversation_id, content: 'x' })).rejects.toMatchObject({ code: 'not_found' });
      await expect(m.endConversation({ conversation_id })).rejects.toMatchObject({ code: 'not_found' });
      await expect(
        m.reportDelegation({ delegation_id: errand.delegation_id, status: 'completed', result: 'x' }),
      ).rejects.toMatchObject({ code: 'not_found' });
      expect(await m.pendingMessages({})).toMatchObject({ messages: [], conversations: [] });
      await expect(
        a.startConversation({ participant_agent_id: 'outsider', purpose: 'x', max_turns: 4 }),
      ).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  test('who ends a conversation leaves the other time to hear the last words', needs(missing), async () => {
    const { store, a, conversation_id } = await openTalk(9);
    const b = (await enter(store, 'b', 'chat')).team;
    await b.pendingMessages({});
    await a.send({ target_agent_id: 'b', content: 'Bye' });
    expect(await a.endConversation({ conversation_id, summary: 'Done.' })).toEqual({
      success: true,
      status: 'terminating',
    });
    await expect(a.send({ target_agent_id: 'b', content: 'And' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await b.pendingMessages({})).messages).toMatchObject([{ content: 'Bye' }]);
    expect(await a.endConversation({ conversation_id })).toEqual({ success: true, status: 'ended' });
  });
});
