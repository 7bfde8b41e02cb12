import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAskServer } from './http-world.ts';
import { answersStatus, calls, openScriptedModel, type Step, says, send, stream } from './scripted-model.ts';

const hangs: Step = (_seen, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(response, { delta: { content: 'half ' } });
};

test('a question is answered as JSON, with what was called for it', async () => {
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'a.txt' }]),
    says('It says ', 'A.'),
  );
  await using server = await openAskServer(model.url, { files: { 'a.txt': 'A' } });

  const { status, body } = await server.ask('ann', { message: 'read a.txt' });

  expect(status).toBe(200);
  expect(body).toEqual({
    answer: 'It says A.',
    reason: 'answered',
    session: expect.stringMatching(/^ask_/),
    model: 'test',
    rounds: 2,
    calls: [{ tool: 'read_file', ok: true }],
  });
});

test('or as a stream of the events that --event-output writes', async () => {
  await using model = await openScriptedModel(
    calls.thinking('hm', ['read_file', { path: 'a.txt' }]),
    says('A\u001b[2J'),
  );
  await using server = await openAskServer(model.url, { files: { 'a.txt': 'A' } });

  const { type, events } = await server.streamed('ann', { message: 'read a.txt' });

  expect(type).toBe('text/event-stream');
  expect(events.map((event) => event.type)).toEqual([
    ...['start', 'round', 'call', 'result', 'round', 'text', 'end'],
  ]);
  expect(events[0]).toEqual({ type: 'start', model: 'test', session: expect.stringMatching(/^ask_/) });
  expect(events[5]).toEqual({ type: 'text', text: 'A\u001b[2J' });
});

test('whatever a model writes, the JSON is safe to show, and loses nothing', async () => {
  const hostile = '\u001b[2J\u009b31m\u202eevil\u2028😀';
  await using model = await openScriptedModel(says(hostile));
  await using server = await openAskServer(model.url);
  const words = await (await server.send('ann', { message: 'x' })).text();
  expect(words).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e\u2028]/);
  expect(JSON.parse(words).answer).toBe(hostile);
});

test('what the model thought is told only to who asks for it', async () => {
  await using model = await openScriptedModel(calls.thinking('secret plan', ['list_files', {}]), says('ok'));
  await using server = await openAskServer(model.url);
  const silent = await server.ask('ann', { message: 'go' });
  expect(JSON.stringify(silent.body)).not.toContain('secret plan');

  await using again = await openScriptedModel(calls.thinking('secret plan', ['list_files', {}]), says('ok'));
  await using other = await openAskServer(again.url);
  expect((await other.ask('ann', { message: 'go', reasoning: true })).body.reasoning).toBe('secret plan');
});

test("calls are the token's user's, and recorded as such", async () => {
  await using model = await openScriptedModel(calls(['remember', { content: 'blue' }]), says('ok'));
  await using server = await openAskServer(model.url);

  await server.ask('ann', { message: 'remember it' });

  const { audit } = await server.checkpoint.store();
  expect(await audit.search({ limit: 5 })).toMatchObject([
    {
      tool: 'remember',
      principal: 'user:ann',
      transport: 'http',
      client: expect.stringContaining('sekisho ask'),
      facts: { chain: ['user:ann', expect.stringMatching(/^model:./)] },
    },
  ]);
  const store = await server.checkpoint.store();
  expect(await store.memoriesFor('user:ann').recall({ query: 'blue', limit: 5 })).toMatchObject([
    { content: 'blue' },
  ]);
});

test('a conversation goes on by its id, for its owner alone, until it is forgotten', async () => {
  await using model = await openScriptedModel(says('one'), says('two'), says('three'));
  await using server = await openAskServer(model.url);
  const { session } = (await server.ask('ann', { message: 'first' })).body;

  expect(await server.ask('bob', { message: 'and?', session })).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  });
  expect((await server.ask('ann', { message: 'second', session })).body).toMatchObject({
    answer: 'two',
    session,
  });
  expect(model.seen[1]?.body.messages.slice(1)).toMatchObject([
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'one' },
    { role: 'user', content: 'second' },
  ]);

  const forget = async (user: string) =>
    fetch(`${server.base}/ask/${session}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${await server.tokenOf(user)}` },
    });
  expect((await forget('bob')).status).toBe(404);
  expect((await forget('ann')).status).toBe(204);
  expect((await server.ask('ann', { message: 'third', session })).status).toBe(404);
});

test('two questions to one conversation at once: the second is turned away, and can come again', async () => {
  let goOn = () => {};
  await using model = await openScriptedModel(
    says('one'),
    async (seen, response, request) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      void says('two')(seen, response, request);
    },
    says('three'),
  );
  await using server = await openAskServer(model.url);
  const { session } = (await server.ask('ann', { message: 'first' })).body;

  const second = server.ask('ann', { message: 'second', session });
  await expect.poll(() => model.seen.length).toBe(2);
  const meanwhile = await server.ask('ann', { message: 'meanwhile', session });
  goOn();

  expect(meanwhile).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  expect((await second).body.answer).toBe('two');
  expect((await server.ask('ann', { message: 'meanwhile', session })).body.answer).toBe('three');
});

const asks = { rules: [{ tool: 'write_file', decision: 'ask' as const, because: 'It writes.' }] };
const writes = calls(['write_file', { path: 'a.txt', content: 'x' }]);

test('what needs a yes waits in the queue, is told, and is done when it is asked again after the yes', async () => {
  await using model = await openScriptedModel(writes, says('It waits.'), writes, says('Done.'));
  await using server = await openAskServer(model.url, { config: { ...asks, approval: { waitMs: 50 } } });

  const { events } = await server.streamed('ann', { message: 'write' });
  const { session } = events[0] ?? {};
  const result = events.find((event) => event.type === 'result');
  expect(result).toMatchObject({
    ok: false,
    code: 'approval_pending',
    approval_id: expect.stringMatching(/^apr_/),
  });
  expect(events.find((event) => event.type === 'progress')?.message).toBe(
    `waiting for a person: sekisho approve ${result?.approval_id}`,
  );
  expect(existsSync(join(server.root, 'a.txt'))).toBe(false);

  const { approvals } = await server.checkpoint.store();
  await approvals.decide(String(result?.approval_id), 'approved', 'local', 'once', Date.now());
  const { body } = await server.ask('ann', { message: 'now', session });
  expect(body).toMatchObject({ answer: 'Done.', calls: [{ tool: 'write_file', ok: true }] });
  expect(readFileSync(join(server.root, 'a.txt'), 'utf8')).toBe('x');
});

test('headless refuses it at once, and still says what a person could agree to', async () => {
  await using model = await openScriptedModel(writes, says('I may not.'));
  await using server = await openAskServer(model.url, { config: asks });

  const { body } = await server.ask('ann', { message: 'write', headless: true });

  expect(body).toMatchObject({
    answer: 'I may not.',
    calls: [{ tool: 'write_file', ok: false, code: 'denied' }],
    pending: [{ tool: 'write_file', approval_id: expect.stringMatching(/^apr_/) }],
  });
  expect(existsSync(join(server.root, 'a.txt'))).toBe(false);
});

test('ten questions a minute each, and when the next may come', async () => {
  await using model = await openScriptedModel(says('ok'));
  await using server = await openAskServer(model.url);
  for (let index = 0; index < 10; index += 1) {
    expect((await server.ask('ann', { message: 'again' })).status).toBe(200);
  }

  const { status, headers, body } = await server.ask(
    'ann',
    { message: 'again' },
    { accept: 'text/event-stream', 'accept-language': 'fr, ja;q=0.9, en;q=0.5' },
  );

  expect(status).toBe(429);
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(body.error).toMatchObject({
    code: 'rate_limited',
    message: '質問は 1 分あたり 10 回までです。',
    details: { retry_after_ms: expect.any(Number) },
  });
  expect(model.seen).toHaveLength(10);
  expect((await server.ask('bob', { message: 'mine' })).status).toBe(200);
});

test.each([
  ['no object', '[1]', 400, 'invalid_parameter'],
  ['no JSON', '{oops', 400, 'invalid_parameter'],
  ['nothing', '', 400, 'invalid_parameter'],
  ['no message', {}, 400, 'invalid_parameter'],
  ['a blank message', { message: ' \n' }, 400, 'invalid_parameter'],
  ['a number', { message: 7 }, 400, 'invalid_parameter'],
  ['an unknown field', { message: 'x', __proto__: null, tools: [] }, 400, 'invalid_parameter'],
  ['a session that is no text', { message: 'x', session: { $ne: '' } }, 400, 'invalid_parameter'],
  ['a session of nobody', { message: 'x', session: "' or 1=1 --" }, 404, 'not_found'],
  ['a NUL in a session', { message: 'x', session: 'a\0' }, 400, 'invalid_parameter'],
  ['an unknown model', { message: 'x', model: 'constructor' }, 404, 'not_found'],
  ['too much', { message: 'x'.repeat(9_000_000) }, 413, 'too_large'],
])('%s is refused, and asks no model', async (_what, body, status, code) => {
  await using model = await openScriptedModel(says('ok'));
  await using server = await openAskServer(model.url);

  expect(await server.ask('ann', body)).toMatchObject({ status, body: { error: { code } } });
  expect(model.seen).toEqual([]);
  expect(server.faults).toEqual([]);
});

test('strangers are let in nowhere, whatever they bring', async () => {
  await using model = await openScriptedModel(says('ok'));
  for (const toolsets of [['assistant'], ['assistant', 'collaboration']] as const) {
    await using server = await openAskServer(model.url, { config: { toolsets: [...toolsets] } });
    for (const headers of [{}, { authorization: 'Bearer skt_wrong' }, { authorization: 'Basic YTpi' }]) {
      const response = await fetch(`${server.base}/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"message":"hi"}',
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'unauthenticated' } });
    }
  }
  expect(model.seen).toEqual([]);
});

test('foreign pages and names are turned away as at /mcp, and GET says what to send', async () => {
  await using model = await openScriptedModel(says('ok'));
  await using server = await openAskServer(model.url);
  const from = (origin: string) =>
    server.send('ann', { message: 'x' }, { headers: { origin } }).then((response) => response.status);
  expect(await from('https://evil.example')).toBe(403);
  expect(model.seen).toEqual([]);

  const get = await fetch(`${server.base}/ask`, {
    headers: { authorization: `Bearer ${await server.tokenOf('ann')}` },
  });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
});

test('without models there is nobody to ask, and it says so', async () => {
  await using server = await openAskServer(undefined);
  expect(await server.ask('ann', { message: 'x' })).toMatchObject({
    status: 503,
    body: { error: { code: 'unavailable', message: 'No model is configured here.' } },
  });
});

test('a key that is missing is told to the operator', async () => {
  await using server = await openAskServer(undefined, {
    config: { models: { m: { model: 'm', url: 'http://127.0.0.1:9/v1', keyVariable: 'NOT_SET_HERE' } } },
  });
  const { status, body } = await server.ask('ann', { message: 'x' });
  expect(status).toBe(503);
  expect(JSON.stringify(body)).not.toContain('NOT_SET_HERE');
  expect(String(server.faults[0])).toContain('NOT_SET_HERE');
});

test.each([
  ['is busy', answersStatus(429, 'quota of sk-inner'), 503, 'unavailable'],
  ['fails', answersStatus(500, 'at /srv/inner'), 502, 'upstream_error'],
  ['refuses our key', answersStatus(401, 'bad key sk-inner'), 502, 'upstream_error'],
  [
    'answers with a page',
    ((_seen, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>inner</h1>')) as Step,
    502,
    'upstream_error',
  ],
])(
  'a model whose server %s is told without its words, which the operator gets',
  async (_how, step, status, code) => {
    await using model = await openScriptedModel(step);
    await using server = await openAskServer(model.url);

    const reply = await server.ask('ann', { message: 'x' });

    expect(reply).toMatchObject({ status, body: { error: { code }, reason: 'failed' } });
    expect(JSON.stringify(reply.body.error)).not.toMatch(/inner|127\.0\.0\.1|40[01]|429|500/);
    expect(reply.body).not.toHaveProperty('answer');
    expect(server.faults.length).toBeGreaterThan(0);
    const { events } = await server.streamed('ann', { message: 'x' });
    expect(JSON.stringify(events)).not.toMatch(/inner|127\.0\.0\.1/);
    expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'failed' });
  },
);

test('a model that hangs is given up', async () => {
  await using model = await openScriptedModel(hangs);
  await using server = await openAskServer(undefined, {
    config: { models: { test: { model: 'm', url: model.url, silenceMs: 1000 } } },
  });
  expect(await server.ask('ann', { message: 'x' })).toMatchObject({
    status: 503,
    body: { error: { code: 'unavailable' }, answer: 'half  …' },
  });
});

test('a client that goes away half-way stops the model and the command, and the conversation can go on', async () => {
  let modelClosed = false;
  await using model = await openScriptedModel(
    says('one'),
    calls(['bash', { command: 'sleep 30' }]),
    says('never'),
    (seen, response, request) => {
      response.once('close', () => {
        modelClosed = true;
      });
      return hangs(seen, response, request);
    },
  );
  await using server = await openAskServer(model.url, { config: { process: { sandbox: 'off' } } });
  const { session } = (await server.ask('ann', { message: 'first' })).body;

  const cancel = new AbortController();
  const response = await server.send(
    'ann',
    { message: 'sleep', session },
    { headers: { accept: 'text/event-stream' }, signal: cancel.signal },
  );
  let shown = '';
  await (async () => {
    for await (const chunk of response.body ?? []) {
      shown += Buffer.from(chunk).toString('utf8');
      if (shown.includes('"type":"call"')) cancel.abort();
    }
  })().catch(() => {});
  const { audit } = await server.checkpoint.store();
  await expect
    .poll(async () => (await audit.search({ limit: 5 })).map(({ tool, code }) => [tool, code]))
    .toEqual([['bash', 'cancelled']]);
  expect(model.seen).toHaveLength(2);

  await expect
    .poll(async () => (await server.ask('ann', { message: 'and now', session })).body.answer)
    .toBe('never');

  const speaking = new AbortController();
  const spoken = server.send('ann', { message: 'speak', session }, { signal: speaking.signal });
  await expect.poll(() => model.seen.length).toBe(4);
  speaking.abort();
  await spoken.catch(() => {});
  await expect.poll(() => modelClosed).toBe(true);
});

test('more than four questions of one person at once are too many', async () => {
  await using model = await openScriptedModel(hangs);
  await using server = await openAskServer(model.url);
  const cancel = new AbortController();
  const four = Array.from({ length: 4 }, () =>
    server.send('ann', { message: 'x' }, { signal: cancel.signal }).catch(() => {}),
  );
  await expect.poll(() => model.seen.length).toBe(4);
  expect(await server.ask('ann', { message: 'x' })).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited' } },
  });
  cancel.abort();
  await Promise.all(four);
});

test('a client that reads nothing is cut off before a whole conversation waits for it', async () => {
  // Each character is six in the stream; what the kernel takes for the client is filled after a round or two.
  const words = Array.from({ length: 900 }, () => ({ content: '\u202e'.repeat(1000) }));
  await using model = await openScriptedModel((seen, response) => {
    const call = {
      index: 0,
      id: `c${seen.body.messages.length}`,
      function: { name: 'list_files', arguments: '{}' },
    };
    stream(response, [...words, { tool_calls: [call] }], 'tool_calls');
  });
  await using server = await openAskServer(model.url);
  const { hostname, port } = new URL(server.base);
  const socket = connect(Number(port), hostname);
  const body = '{"message":"talk"}';
  socket.write(
    `POST /ask HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${await server.tokenOf('ann')}\r\n` +
      `accept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.on('error', () => {});
  const { db } = await (await server.checkpoint.store()).engine();
  const kept = () => db.selectFrom('ask_sessions').select('id').execute();
  await expect.poll(async () => (await kept()).length).toBe(1);
  expect(model.seen.length).toBeLessThan(20);
  socket.destroy();
});

test('a server that stops answers what runs as cancelled, and keeps what was said', async () => {
  await using model = await openScriptedModel(says('one'), hangs);
  await using server = await openAskServer(model.url);
  const { session } = (await server.ask('ann', { message: 'first' })).body;
  const running = server.ask('ann', { message: 'second', session });
  await expect.poll(() => model.seen.length).toBe(2);

  await server.service.close();

  expect(await running).toMatchObject({
    status: 503,
    body: { error: { code: 'cancelled' }, answer: 'half  …' },
  });
  const { askSessions } = await server.checkpoint.store();
  const key = { principal: 'user:ann', id: String(session), holder: 'look' };
  expect(await askSessions.take(key, Date.now() + 1000, Date.now())).toMatchObject({
    kind: 'taken',
    body: expect.stringContaining('"second"'),
  });
});
