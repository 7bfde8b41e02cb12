import { expect, test } from 'vitest';
import { Suspended } from '../../src/call/suspended.ts';
import type { Answer, FormAnswer, Reply } from '../../src/contract/call.ts';
import { remote } from '../support/open-test-checkpoint.ts';
import { startOverHttp } from './fixtures/over-http.ts';
import { habitual, namesIn, openWithServers, type ServerWorld, wordsOf } from './world.ts';

const hana: FormAnswer = { action: 'accept', content: { name: 'Hana' } };
const carries = { canRetry: true, carriesForms: true };

function questionOf(reply: Reply) {
  if (reply.kind !== 'question') throw new Error(`expected a question, got ${JSON.stringify(reply)}`);
  return reply.question;
}

async function runsOf(world: ServerWorld): Promise<string> {
  return wordsOf(await world.call('fix__echo', { text: 'runs' }));
}

test('a question of a server goes out with the reply, and its answer reaches the call that waits', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const asked = questionOf(await world.call('fix__echo', { text: 'ask' }, carries));
  expect(asked).toMatchObject({
    message: '[fix] Who\\u202e are you?',
    form: { requestedSchema: { properties: { name: { type: 'string' } } } },
  });

  const retry = { ...carries, formAnswer: hana, questionState: asked.state };
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, retry))).toBe(JSON.stringify(hana));
  expect(await runsOf(world)).toBe('1');
  // The same answer once more is no second call.
  expect(await world.call('fix__echo', { text: 'ask' }, retry)).toMatchObject({ code: 'conflict' });
  expect(await runsOf(world)).toBe('1');
});

test('the log shows both requests of one call, and which answer went to which question', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const { state } = questionOf(await world.call('fix__echo', { text: 'ask' }, carries));
  await world.call('fix__echo', { text: 'ask' }, { ...carries, formAnswer: hana, questionState: state });
  const { audit } = await world.checkpoint.store();
  const entries = (await audit.search({ limit: 10 })).filter(({ tool }) => tool === 'fix__echo');
  const [asked, answered] = entries.toSorted((a, b) => a.atMs - b.atMs);
  expect(asked).toMatchObject({ outcome: 'question', facts: { server: 'fix', asks: expect.any(String) } });
  expect(answered).toMatchObject({
    outcome: 'ok',
    facts: { server: 'fix', remote_tool: 'echo', answers: asked?.facts?.asks },
  });
  // What a person filled in is theirs: the log has none of it.
  expect(JSON.stringify(entries)).not.toContain('Hana');
});

test('a call that is withdrawn before or after its question is withdrawn from the server too', async () => {
  await using world = await openWithServers({ fix: habitual('none', undefined, { callsAtOnce: 1 }) });
  await namesIn(world);
  const before = new AbortController();
  const hanging = world.call('fix__echo', { text: 'hang' }, { ...carries, signal: before.signal });
  before.abort();
  expect(await hanging).toMatchObject({ code: 'cancelled' });

  const input = { text: 'ask and hang' };
  const { state } = questionOf(await world.call('fix__echo', input, carries));
  const after = new AbortController();
  const retry = { ...carries, formAnswer: hana, questionState: state, signal: after.signal };
  const answered = world.call('fix__echo', input, retry);
  setTimeout(() => after.abort(), 200);
  expect(await answered).toMatchObject({ code: 'cancelled' });
  // One call at once: were one of them still there, this one would wait for ever.
  expect(wordsOf(await world.call('fix__echo', { text: 'free' }))).toBe('free');
});

test('one call asks twice, and each answer fits its own question', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const input = { text: 'ask twice' };
  const first = questionOf(await world.call('fix__echo', input, carries));
  // A retry without an answer is asked again, under a new state.
  const again = questionOf(await world.call('fix__echo', input, { ...carries, questionState: first.state }));
  expect(again.state).not.toBe(first.state);
  const second = questionOf(
    await world.call('fix__echo', input, { ...carries, formAnswer: hana, questionState: again.state }),
  );
  expect(
    await world.call('fix__echo', input, { ...carries, formAnswer: hana, questionState: again.state }),
  ).toMatchObject({ code: 'conflict' });
  const answer: FormAnswer = { action: 'decline' };
  expect(
    wordsOf(
      await world.call('fix__echo', input, { ...carries, formAnswer: answer, questionState: second.state }),
    ),
  ).toBe(JSON.stringify([hana, { action: 'decline' }]));
  expect(await runsOf(world)).toBe('1');
});

test('two answers at once to one question: one is taken', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const { state } = questionOf(await world.call('fix__echo', { text: 'ask' }, carries));
  const retry = { ...carries, formAnswer: hana, questionState: state };
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => world.call('fix__echo', { text: 'ask' }, retry)),
  );
  expect(replies.filter((reply) => reply.kind === 'output')).toHaveLength(1);
  expect(replies.filter((reply) => reply.kind === 'error' && reply.code === 'conflict')).toHaveLength(4);
  expect(await runsOf(world)).toBe('1');
});

test('an answer with a made-up state, for other arguments, or of another caller is refused, and nothing runs', async () => {
  await using world = await openWithServers({
    fix: habitual('none', undefined, { roles: ['user:anna', 'user:bert'] }),
  });
  await namesIn(world);
  const { tokens } = await world.checkpoint.store();
  const anna = remote((await tokens.create({ user: 'anna' })).token);
  const bert = remote((await tokens.create({ user: 'bert' })).token);
  const { state } = questionOf(await world.call('fix__echo', { text: 'ask' }, { ...carries, arrival: anna }));
  const retry = { ...carries, formAnswer: hana, questionState: state };
  const altered = `${state.slice(0, -2)}${state.endsWith('A') ? 'B' : 'A'}x`;

  const wrong: [unknown, object][] = [
    [{ text: 'ask' }, { ...retry, arrival: anna, questionState: altered }],
    [{ text: 'ask' }, { ...retry, arrival: anna, questionState: '' }],
    [{ text: 'ask' }, { ...retry, arrival: anna, questionState: 'form-1' }],
    [{ text: 'ask twice' }, { ...retry, arrival: anna }],
    [{ text: 'ask' }, { ...retry, arrival: bert }],
    [{ text: 'ask' }, retry],
    // One that says it can show no forms after all.
    [{ text: 'ask' }, { arrival: bert, questionState: state }],
  ];
  for (const [input, more] of wrong) {
    expect(await world.call('fix__echo', input, more)).toMatchObject({ code: 'conflict' });
  }
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, { ...retry, arrival: anna }))).toBe(
    JSON.stringify(hana),
  );
  expect(await runsOf(world)).toBe('1');
});

test('a person agrees to the call first and answers its question then; the agreement is used once', async () => {
  await using world = await openWithServers(
    { fix: habitual('none', undefined, { ask: 'changes' }) },
    { config: { mode: 'workspace-write' } },
  );
  await namesIn(world);
  const answer: Answer = { action: 'accept', scope: 'once' };
  const approval = questionOf(await world.call('fix__echo', { text: 'ask' }, carries));
  expect(approval.approvalId).toBeDefined();
  const form = questionOf(
    await world.call('fix__echo', { text: 'ask' }, { ...carries, answer, questionState: approval.state }),
  );
  expect(form.form).toBeDefined();
  const retry = { ...carries, formAnswer: hana, questionState: form.state };
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, retry))).toBe(JSON.stringify(hana));
  expect(questionOf(await world.call('fix__echo', { text: 'ask' }, carries)).approvalId).toBeDefined();
});

test('whoever leaves is no longer waited for, and the server is told', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const arrival = { transport: 'stdio', connectionId: 'gone' } as const;
  const { state } = questionOf(await world.call('fix__echo', { text: 'ask' }, { ...carries, arrival }));
  await world.checkpoint.gateway.leave(arrival);
  const retry = { ...carries, formAnswer: hana, questionState: state, arrival };
  expect(await world.call('fix__echo', { text: 'ask' }, retry)).toMatchObject({ code: 'conflict' });
  expect(wordsOf(await world.call('fix__echo', { text: 'next' }))).toBe('next');
});

test('a call that waits for an answer does not keep the house from closing', async () => {
  const world = await openWithServers({ fix: habitual() });
  questionOf(await world.call('fix__echo', { text: 'ask' }, carries));
  await world.close();
});

test('a question whose time is over is answered by a cancel, and its call is withdrawn', async () => {
  const ended: string[] = [];
  const seal = { close: (id: string) => id, open: (state: string) => state };
  const stopping = new AbortController().signal;
  const suspended = new Suspended({ seal, stopping, waitMs: 20 });
  const order = {
    caller: { principal: 'a' },
    tool: { name: 't', server: 's' },
    input: {},
    call: { arrival: {} },
  } as unknown as Parameters<typeof suspended.run>[0];
  const base = {
    signal: new AbortController().signal,
    audit() {},
  } as unknown as Parameters<typeof suspended.run>[1];
  const over = Promise.withResolvers<void>();
  const asking = suspended.run(order, base, async ({ elicit, signal }) => {
    ended.push((await elicit?.({ message: 'm', requestedSchema: {} }))?.action ?? '');
    ended.push(String(signal.aborted));
    over.resolve();
    throw new Error('nobody hears of it');
  });
  const { question } = await asking.catch((error) => error);
  await over.promise;
  expect(ended).toEqual(['cancel', 'true']);
  const call = { arrival: {}, questionState: question.state, formAnswer: hana };
  expect(() => suspended.resumes({ ...order, call } as unknown as typeof order)).toThrow(
    'No call is waiting',
  );
});

test('one caller keeps at most eight calls waiting, the next is answered by a cancel', async () => {
  const seal = { close: (id: string) => id, open: (state: string) => state };
  const suspended = new Suspended({ seal, stopping: new AbortController().signal });
  const start = (principal: string) => {
    const order = {
      caller: { principal },
      tool: { name: 't', server: 's' },
      input: {},
      call: { arrival: {} },
    };
    const base = { signal: new AbortController().signal, audit() {} };
    return suspended
      .run(
        order as unknown as Parameters<typeof suspended.run>[0],
        base as unknown as Parameters<typeof suspended.run>[1],
        async ({ elicit }) => ({
          content: () => [],
          structured: { ...(await elicit?.({ message: 'm', requestedSchema: {} })) },
        }),
      )
      .then(
        ({ structured }) => structured?.action,
        () => 'asked',
      );
  };
  const ofA = await Promise.all(Array.from({ length: 10 }, () => start('a')));
  expect(ofA.filter((each) => each === 'asked')).toHaveLength(8);
  expect(ofA.filter((each) => each === 'cancel')).toHaveLength(2);
  expect(await start('b')).toBe('asked');
});

test('a server that asks without end is answered by a cancel after twenty questions, one at a time', async () => {
  await using world = await openWithServers({ fix: habitual() });
  let open = 0;
  let most = 0;
  const reply = await world.call(
    'fix__echo',
    { text: 'ask without end' },
    {
      form: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise(setImmediate);
        open -= 1;
        return hana;
      },
    },
  );
  expect(wordsOf(reply)).toBe('20 accepted');
  expect(most).toBe(1);
});

test('an address that a server wants opened is declined: no form leads anywhere', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const reply = await world.call('fix__echo', { text: 'ask for an address' }, { form: async () => hana });
  expect(wordsOf(reply)).not.toContain('accept');
  expect(JSON.stringify(reply)).not.toContain('evil.example');
});

test('a server of the newest revision that asks is answered, whichever way its question came', async () => {
  await using world = await openWithServers({ fix: habitual('newest') });
  await namesIn(world);
  const asked = questionOf(await world.call('fix__echo', { text: 'ask' }, carries));
  expect(asked.message).toBe('[fix] Who are you?');
  const retry = { ...carries, formAnswer: hana, questionState: asked.state };
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, retry))).toBe(JSON.stringify(hana));
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, { form: async () => hana }))).toBe(
    JSON.stringify(hana),
  );
});

/** The person of one session, who answers with their name and remembers what they were asked. */
function person(name: string) {
  const answer: FormAnswer = { action: 'accept', content: { name } };
  const asked: string[] = [];
  const form = async ({ message }: { readonly message: string }) => {
    asked.push(message);
    return answer;
  };
  const arrival = { transport: 'stdio', connectionId: name } as const;
  return { more: { arrival, form }, asked, said: JSON.stringify(answer) };
}

test('a question waits until only calls of one session run, and reaches its person and nobody else', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const [anna, bert] = [person('anna'), person('bert')];
  const slow = world.call('fix__echo', { text: 'sleep for 700' }, bert.more);
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, anna.more))).toBe(anna.said);
  expect(wordsOf(await slow)).toBe('slept');
  expect([anna.asked.length, bert.asked.length]).toEqual([1, 0]);
});

test('a session works at a server while another one’s person is asked, and is asked itself', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const [anna, bert] = [person('anna'), person('bert')];
  const thinks = Promise.withResolvers<FormAnswer>();
  const isAsked = Promise.withResolvers<void>();
  const form = () => {
    isAsked.resolve();
    return thinks.promise;
  };
  const waits = world.call('fix__echo', { text: 'ask' }, { ...anna.more, form });
  await isAsked.promise;
  expect(wordsOf(await world.call('fix__echo', { text: 'here' }, bert.more))).toBe('here');
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, bert.more))).toBe(bert.said);
  thinks.resolve(hana);
  expect(wordsOf(await waits)).toBe(JSON.stringify(hana));
});

test('two sessions that are asked at the same moment: one is told to call again, and from then on they take turns', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const people = [person('anna'), person('bert')];
  const both = async () =>
    Promise.all(people.map(({ more }) => world.call('fix__echo', { text: 'ask' }, more)));

  const first = await both();
  const answered = first.map((reply, index) => wordsOf(reply).includes(people[index]?.said ?? ''));
  // On a busy machine the second call may begin when the first has its answer.
  expect(answered).toContain(true);
  for (const reply of first.filter((_, index) => !answered[index]))
    expect(wordsOf(reply)).toMatch(/nobody was shown.*\n.*"cancel"/);

  for (let round = 0; round < 3; round++) {
    expect((await both()).map(wordsOf)).toEqual(people.map(({ said }) => said));
  }
  expect(people.map(({ asked }) => asked.length)).toEqual(answered.map((isAnswered) => (isAnswered ? 4 : 3)));
});

test('a question that its server gives up while it waits for its turn is shown to nobody', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const [anna, bert] = [person('anna'), person('bert')];
  const slow = world.call('fix__echo', { text: 'sleep for 700' }, bert.more);
  const given = world.call('fix__echo', { text: 'ask and give up' }, anna.more);
  expect(wordsOf(await given)).toBe('gave up');
  await slow;
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }, bert.more))).toBe(bert.said);
  expect([anna.asked.length, bert.asked.length]).toEqual([0, 1]);
});

test('over HTTP, questions of two calls at once reach each its own person', async () => {
  const waiting: (() => void)[] = [];
  const answers = new Map<unknown, (result: unknown) => void>();
  await using server = await startOverHttp(({ id, method, result }, { stream, response }) => {
    if (method === undefined) answers.get(id)?.(result);
    if (method !== 'tools/call') return false;
    const send = stream();
    waiting.push(() => {
      const question = `question-${id}`;
      answers.set(question, (answer) => {
        send({ id, result: { content: [{ type: 'text', text: JSON.stringify(answer) }] } });
        response.end();
      });
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      send({ id: question, method: 'elicitation/create', params: { message: 'Who?', requestedSchema } });
    });
    if (waiting.length === 2) for (const go of waiting.splice(0)) go();
    return true;
  });
  await using world = await openWithServers({ far: { url: server.url } });
  const people = [person('anna'), person('bert')];
  for (let round = 0; round < 2; round++) {
    const replies = await Promise.all(people.map(({ more }) => world.call('far__echo', {}, more)));
    expect(replies.map(wordsOf)).toEqual(people.map(({ said }) => said));
  }
  expect(people.map(({ asked }) => asked.length)).toEqual([2, 2]);
});
