import { expect, test } from 'vitest';
import { exitOf, modernMeta, openStdio, spawnFixture } from '../support/clients.ts';

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

test('a call before any handshake is served', async () => {
  const { client } = openStdio();

  const answer = await client.call('echo', { text: 'hi' });

  expect(answer.result).toEqual({
    content: [{ type: 'text', text: 'hi' }],
    structuredContent: { text: 'hi' },
  });
});

test.each([
  ['2025-11-25', '2025-11-25'],
  ['2024-11-05', '2024-11-05'],
  ['1999-01-01', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
])('a handshake that asks for %s settles on %s', async (asked, settled) => {
  const { client } = openStdio();
  const answer = await client.request('initialize', { ...hello, protocolVersion: asked });
  expect(answer.result).toMatchObject({
    protocolVersion: settled,
    serverInfo: { name: 'fixture', version: '1.0.0' },
    instructions: 'Call echo.',
    capabilities: { tools: { listChanged: true } },
  });
});

test('the newest revision needs no handshake, and its results say what they are', async () => {
  const { client, gateway } = openStdio();

  const discovered = await client.request('server/discover', { _meta: modernMeta() });
  const listed = await client.request('tools/list', { _meta: modernMeta() });
  const called = await client.call('echo', { text: 'hi' }, modernMeta());

  expect(discovered.result).toMatchObject({ supportedVersions: ['2026-07-28'], resultType: 'complete' });
  expect(listed.result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' });
  expect(called.result).toMatchObject({
    resultType: 'complete',
    structuredContent: { text: 'hi' },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fixture' } },
  });
  expect(gateway.calls[0]?.arrival.client).toEqual({ name: 'raw', version: '1' });
});

test('an envelope that is incomplete or of another revision is refused by name', async () => {
  const { client, gateway } = openStdio();
  const { 'io.modelcontextprotocol/clientCapabilities': _gone, ...partial } = modernMeta();

  const incomplete = await client.call('echo', {}, partial);
  const other = await client.call(
    'echo',
    {},
    { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': '2999-01-01' },
  );

  expect(incomplete.error).toMatchObject({ code: -32602 });
  expect(other.error).toMatchObject({
    code: -32022,
    data: { supported: ['2026-07-28'], requested: '2999-01-01' },
  });
  expect(gateway.calls).toEqual([]);
});

test('a list shows all four hints, titles and output schemas that an error passes too', async () => {
  const { client } = openStdio();
  const { result } = await client.request('tools/list');
  expect((result as { tools: unknown[] }).tools[0]).toEqual({
    name: 'echo',
    title: 'echo',
    description: 'The fixture echo.',
    inputSchema: { type: 'object' },
    outputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, error: { type: 'object' } },
      anyOf: [{ required: ['text'] }, { required: ['error'] }],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  });
});

test('an unknown tool is an answer of the gateway, an unknown method an error of the protocol', async () => {
  const { client, gateway } = openStdio();

  const tool = await client.call('nope', {});
  const method = await client.request('nope/nope');

  expect(tool.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
  expect(method.error).toMatchObject({ code: -32601 });
  expect(gateway.calls.map((call) => call.tool)).toEqual(['nope']);
});

test("a library's words never reach the client", async () => {
  const faults: unknown[] = [];
  const { client } = openStdio({ onFault: (error) => faults.push(error) });

  const answer = await client.call('boom', {});

  expect(answer.error).toEqual({ code: -32603, message: 'Internal error.' });
  expect(faults).toHaveLength(1);
});

test('a cancelled call is aborted and not answered', async () => {
  const { client, gateway } = openStdio();

  client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', arguments: {} } });
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await client.request('ping');

  expect(gateway.aborted).toEqual(['wait']);
  expect(client.received.filter((message) => message.id === 7)).toEqual([]);
});

test('progress reaches the client that asked for it, in order, before the answer', async () => {
  const { client } = openStdio();

  await client.call('steps', { count: 3 }, { progressToken: 'p' });
  await client.call('steps', { count: 3 });

  expect(client.received.map((message) => message.method ?? 'answer')).toEqual([
    'notifications/progress',
    'notifications/progress',
    'notifications/progress',
    'answer',
    'answer',
  ]);
  expect(client.received[0]?.params).toEqual({
    progressToken: 'p',
    progress: 1,
    total: 3,
    message: 'step 1',
  });
});

test('a hundred calls at once each get their own answer', async () => {
  const { client } = openStdio();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => client.call('echo', { text: `n${n}` })),
  );
  expect(answers.map((answer) => (answer.result as { structuredContent: object }).structuredContent)).toEqual(
    Array.from({ length: 100 }, (_, n) => ({ text: `n${n}` })),
  );
});

test('an id that is already running is refused, and the first keeps running', async () => {
  const { client, gateway } = openStdio();
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });

  const second = await client.request('ping', undefined, 1);

  expect(second.error).toMatchObject({ code: -32600 });
  expect(gateway.aborted).toEqual([]);
});

test.each([
  ['not JSON', 'hello\n', -32700, null],
  ['a number', '42\n', -32600, null],
  ['an empty batch', '[]\n', -32600, null],
  ['another version', '{"jsonrpc":"1.0","id":3,"method":"ping"}\n', -32600, 3],
  ['a method that is no string', '{"jsonrpc":"2.0","id":3,"method":5}\n', -32600, 3],
  ['params that are a list', '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}\n', -32600, 3],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600, null],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600, null],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x22, 0x0a]), -32700, null],
  ['zero bytes', Buffer.from([0, 0, 0, 10]), -32700, null],
  ['a hundred thousand brackets', `${'['.repeat(100_000)}\n`, -32600, null],
])('garbage on the line is answered and survived: %s', async (_name, line, code, id) => {
  const { client } = openStdio();

  client.write(line);
  const error = await client.next((message) => message.error !== undefined);

  expect(error).toMatchObject({ id, error: { code } });
  expect((await client.request('ping')).result).toEqual({});
});

test('blank lines and carriage returns are nothing', async () => {
  const { client } = openStdio();
  client.write('\n\r\n  \n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n');
  await client.next((message) => message.id === 1);
  expect(client.received).toHaveLength(1);
});

test.each([
  ['first', (text: string) => `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"x":"${text}"}}`, 9],
  [
    'last',
    (text: string) => `{"method":"tools/call","params":{"x":"${text}"},"jsonrpc":"2.0","id":"q"}`,
    'q',
  ],
  ['in the middle', (text: string) => `{"method":"x","id":9,"params":{"x":"${text}"}}`, null],
  ['inside a string', (text: string) => `{"method":"x","params":{"x":"${text},\\"id\\":9}"}}`, null],
])('an oversized message is answered by its id where the id stands %s', async (_where, message, id) => {
  const { client } = openStdio({ maxMessageBytes: 10_000 });

  client.write(`${message('x'.repeat(50_000))}\n`);
  const error = await client.next((one) => one.error !== undefined);

  expect(error).toMatchObject({ id, error: { code: -32600 } });
  expect((await client.request('ping')).result).toEqual({});
});

test('a batch of an older revision is answered in one list', async () => {
  const { client } = openStdio();
  const lists: unknown[] = client.received;
  client.write(
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
  );
  await client.next((message) => Array.isArray(message));
  expect(lists).toEqual([
    [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ],
  ]);
});

test('an older client that can show forms is asked while the call waits', async () => {
  const { client } = openStdio();
  await client.request('initialize', { ...hello, capabilities: { elicitation: {} } });

  const answer = client.call('guarded', {});
  const question = await client.next((message) => message.method === 'elicitation/create');
  client.send({
    jsonrpc: '2.0',
    id: question.id,
    result: { action: 'accept', content: { scope: 'session' } },
  });

  expect(question.params).toMatchObject({ message: 'Delete everything?' });
  expect((await answer).result).toEqual({ content: [{ type: 'text', text: 'accept session' }] });
});

test.each([
  [{ action: 'accept' }, 'accept once'],
  [{ action: 'accept', content: { scope: 'always' } }, 'accept once'],
  [{ action: 'decline' }, 'decline'],
  [{ action: 'yes please' }, 'cancel'],
  [undefined, 'cancel'],
])('on the newest revision the question comes back with the retry: %j', async (response, said) => {
  const { client } = openStdio();
  const meta = modernMeta({ elicitation: {} });

  const first = await client.call('guarded', {}, meta);
  const second = await client.request('tools/call', {
    name: 'guarded',
    arguments: {},
    _meta: meta,
    inputResponses: { approval: response ?? null },
    requestState: 'state-1',
  });

  expect(first.result).toMatchObject({
    resultType: 'input_required',
    requestState: 'state-1',
    inputRequests: { approval: { method: 'elicitation/create', params: { message: 'Delete everything?' } } },
  });
  expect(second.result).toMatchObject({ content: [{ text: said }] });
});

test('a client that said nothing of forms is never asked', async () => {
  const { client } = openStdio();
  await client.request('initialize', hello);
  const older = await client.call('guarded', {});
  const newer = await client.call('guarded', {}, modernMeta({ elicitation: { url: {} } }));
  expect(older.result).toMatchObject({ isError: true });
  expect(newer.result).toMatchObject({ isError: true });
  expect(client.received.some((message) => message.method === 'elicitation/create')).toBe(false);
});

test('list changes reach older clients after the handshake, newer ones where they listen', async () => {
  const { client, gateway } = openStdio();

  gateway.changeList();
  await client.request('initialize', hello);
  gateway.changeList('another connection');
  client.send({
    jsonrpc: '2.0',
    id: 'sub',
    method: 'subscriptions/listen',
    params: { _meta: modernMeta(), notifications: { toolsListChanged: true, promptsListChanged: true } },
  });
  const ack = await client.next((m) => m.method === 'notifications/subscriptions/acknowledged');
  gateway.changeList();
  await client.request('ping');
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'sub' } });
  gateway.changeList();
  await client.request('ping');

  const marked = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } };
  expect(ack.params).toEqual({ notifications: { toolsListChanged: true }, ...marked });
  const changes = client.received.filter((m) => m.method === 'notifications/tools/list_changed');
  expect(changes.map((m) => m.params)).toEqual([undefined, marked, undefined]);
});

test('calls that run when the input ends are answered first', async () => {
  const { client, closed, gateway } = openStdio();
  client.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'later', arguments: { ms: 50 } },
  });
  client.end();

  await closed;

  expect(client.received).toMatchObject([{ id: 1, result: { content: [{ text: 'late' }] } }]);
  expect(gateway.left).toHaveLength(1);
});

test('when told to stop, calls that do not end are aborted and still answered', async () => {
  const stop = new AbortController();
  const { client, closed } = openStdio({ signal: stop.signal });
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
  await client.request('ping');

  stop.abort();
  await closed;

  expect(await client.next((m) => m.id === 1)).toMatchObject({ result: { isError: true } });
});

test('a signal that comes after the end of the input stops what is left', async () => {
  const stop = new AbortController();
  const { client, closed } = openStdio({ signal: stop.signal });
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
  await client.request('ping');
  client.end();
  await new Promise(setImmediate);

  stop.abort();
  await closed;

  expect(await client.next((m) => m.id === 1)).toMatchObject({ result: { isError: true } });
});

test('a reader that stands still holds back the input, and loses nothing', async () => {
  const { client, output } = openStdio();
  output.pause();
  const length = 300_000;

  const answers = Array.from({ length: 40 }, () => client.call('large', { length }));
  while (!output.writableNeedDrain) await new Promise(setImmediate);
  output.resume();

  for (const answer of await Promise.all(answers)) {
    expect((answer.result as { content: [{ text: string }] }).content[0].text).toHaveLength(length);
  }
});

test('a message of 60 MiB is read in time that grows with its length', async () => {
  const { client, child } = spawnFixture();
  const length = 60 * 1024 * 1024;

  const answer = await client.call('size', { text: 'x'.repeat(length) });

  expect(answer.result).toEqual({ content: [{ type: 'text', text: String(length) }] });
  client.end();
  expect(await exitOf(child)).toBe(0);
});

test('a process whose client is gone leaves, though a call still runs', async () => {
  const { client, child } = spawnFixture();
  await client.request('ping');
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });

  child.stdout?.destroy();
  child.stdin?.destroy();

  expect(await exitOf(child)).toBe(0);
});

test('a process whose input ends, with the reader still there, answers and leaves', async () => {
  const { client, child } = spawnFixture();
  client.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'later', arguments: { ms: 1200 } },
  });
  client.end();

  const answer = await client.next((message) => message.id === 1);

  expect(answer.result).toEqual({ content: [{ type: 'text', text: 'late' }] });
  expect(await exitOf(child)).toBe(0);
});
