import { afterAll, describe, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { spawnInTerminal } from '../support/terminal.ts';
import { enter, openTeam, passkey, patient, settle, strangerAt } from './people.ts';
import { createTeamPlace, enterAt, type TeamServer } from './server.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

/** A person and an agent that talk. */
describe.each(engines)('on $name', ({ missing, createPlace }) => {
  async function openStore() {
    const clock = { now: 1_700_000_000_000 };
    const place = await createPlace();
    const store = openTeam(await place.open(() => clock.now), () => clock.now);
    await settle(store);
    const { writeTo, talkWith } = store.admin;
    const say = (words: string) => writeTo('a', 'p', words);
    const hear = (afterSeq?: number, waitMs = 0) => talkWith('a', 'p', { afterSeq, waitMs, signal: patient });
    const coordinator = store.lend(
      { kind: 'coordinator', principal: 'coordinator', sessionId: 'c', remote: true },
      { transport: 'http' },
    );
    return {
      clock,
      store,
      say,
      hear,
      action: () => coordinator.agentAction({ agent_id: 'a', project_id: 'p' }),
    };
  }

  test('an agent is started by a person’s words, and its answer is heard', needs(missing), async () => {
    const { store, say, hear, action } = await openStore();
    expect(await action()).toEqual({ action: 'hold', reason: 'no_work' });
    const { seq } = await say('How far are you?');
    expect((await hear(seq)).isThere).toBe(false);
    expect(await action()).toMatchObject({ action: 'start', reason: 'has_chat_work' });

    const { team } = await enter(store, 'a', 'chat');
    expect(await team.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'read_messages' });
    expect(await team.pendingMessages({})).toMatchObject({
      messages: [{ from: '@person', content: 'How far are you?' }],
      conversations: [{ with: '@person', status: 'active' }],
    });
    const heard = hear(seq, 20_000);
    await team.respond({ content: 'Half way.' });

    expect(await heard).toMatchObject({
      isThere: true,
      messages: [{ isAgents: true, content: 'Half way.' }],
    });
    await team.send({ target_agent_id: '@person', content: 'And now done.' });
    expect((await hear()).messages.map(({ content }) => content)).toEqual([
      'How far are you?',
      'Half way.',
      'And now done.',
    ]);
  });

  test('a person’s words wait for their answer longer than those of agents', needs(missing), async () => {
    const { clock, store, say, hear } = await openStore();
    const { seq } = await say('Whenever you can.');
    clock.now += 8 * 3_600_000;
    const { team } = await enter(store, 'a', 'chat');
    await team.pendingMessages({});
    clock.now += 1_800_000;
    await team.respond({ content: 'Now.' });
    expect((await hear(seq)).messages).toMatchObject([{ content: 'Now.' }]);
    // Nobody is kept alive for what a person may say tomorrow.
    expect(await team.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'wait' });
    clock.now += 600_000;
    expect(await team.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'finish' });
  });

  test('what an agent has ended is taken up in another conversation', needs(missing), async () => {
    const { store, say, hear } = await openStore();
    await say('One.');
    const { team } = await enter(store, 'a', 'chat');
    const [first] = (await team.pendingMessages({})).conversations;
    await team.respond({ content: 'Done.' });
    await team.endConversation({ conversation_id: first?.conversation_id ?? '' });
    const { seq } = await say('Two.');
    const heard = await team.pendingMessages({});
    expect(heard.messages).toMatchObject([{ content: 'Two.' }]);
    expect(heard.messages[0]?.conversation_id).not.toBe(first?.conversation_id);
    await team.respond({ content: 'Again.' });
    expect((await hear(seq)).messages).toMatchObject([{ content: 'Again.' }]);
    await store.admin.removeAgent('a');
    expect((await hear()).messages).toHaveLength(4);
  });

  test('nobody else speaks for the person or hears them', needs(missing), async () => {
    const { store, say } = await openStore();
    await say('For a alone.');
    await expect(store.admin.writeTo('outsider', 'p', 'x')).rejects.toThrow('is not assigned');
    await expect(store.admin.writeTo('nobody', 'p', 'x')).rejects.toThrow('There is no agent');
    await expect(say(' ')).rejects.toThrow('1 to 4000');
    await expect(say('x'.repeat(4001))).rejects.toThrow('1 to 4000');
    await expect(
      store.admin.addAgent({ id: '@person', name: 'P', hierarchy: 'worker', passkey }),
    ).rejects.toThrow('letters, digits');
    await expect(
      strangerAt(store).authenticate({ agent_id: '@person', passkey, project_id: 'p' }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
    await store.admin.addTask({ projectId: 'p', title: 'Talk', assigneeId: 'b', start: true });
    const task = (await enter(store, 'b', 'task')).team;
    await task.delegate({ target_agent_id: 'a', purpose: 'Agree.' });
    const b = (await enter(store, 'b', 'chat')).team;
    expect((await b.pendingMessages({})).messages).toEqual([]);
    await expect(b.send({ target_agent_id: '@person', content: 'Hi' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

test('a person writes from the command line, and reads the answer there', async () => {
  const place = await createTeamPlace();
  const server = await place.serve();
  const answer = place.command('chat', 'a', 'Are', 'you there?');
  const { session_token } = await entered(server);
  await server.call('get_pending_messages', { session_token });
  await server.call('respond_chat', { session_token, content: 'Yes.\u001b[2J And listening.' });
  expect(await answer).toBe('Yes. And listening.');

  const terminal = spawnInTerminal(place.spawnArguments('chat', 'a'), place.options);
  await terminal.until('you: Are you there?');
  await terminal.until('a: Yes. And listening.');
  await terminal.until('> ');
  terminal.type('Then begin.\r');
  const next = await server.call('get_next_action', { session_token, timeout_seconds: 40 });
  expect(next).toMatchObject({ action: 'read_messages' });
  await server.call('get_pending_messages', { session_token });
  await server.call('respond_chat', { session_token, content: 'I begin.' });
  await terminal.until('a: I begin.');
  terminal.type('\x04');
  expect(await terminal.ended).toBe(0);

  await expect(place.command('chat', 'nobody', 'x')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no agent'),
  });
});

/** As soon as there is a message for it. */
async function entered(server: TeamServer): Promise<{ readonly session_token: string }> {
  for (;;) {
    try {
      return await enterAt(server, 'a', 'chat');
    } catch (error) {
      if (!String(error).includes('no_work')) throw error;
    }
  }
}
