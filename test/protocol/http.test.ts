import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { loopbackHosts } from '../../src/ground/secure-url.ts';
import type { HttpOptions, HttpService } from '../../src/transport/http/serve.ts';
import { hostName, serveHttp } from '../../src/transport/http/serve.ts';
import { modernCall, modernHeaders, modernMeta, openSession, post, readEvents } from '../support/clients.ts';
import { createFixtureGateway, type FixtureGateway } from '../support/fixture-gateway.ts';

const services: HttpService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

async function open(options: Partial<HttpOptions> & { readonly gateway?: FixtureGateway } = {}): Promise<{
  url: string;
  base: string;
  gateway: FixtureGateway;
  service: HttpService;
}> {
  const gateway = options.gateway ?? createFixtureGateway();
  const service = await serveHttp({ host: '127.0.0.1', port: 0, stopGraceMs: 50, ...options, gateway });
  services.push(service);
  const base = `http://127.0.0.1:${service.address.port}`;
  return { url: `${base}/mcp`, base, gateway, service };
}

const callHeaders = modernHeaders('tools/call', 'echo');

test('a call of the newest revision is one JSON body', async () => {
  const { url, gateway } = await open();

  const { status, headers, messages } = await post(url, modernCall('echo', { text: 'hi' }), callHeaders);

  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json');
  expect(messages).toMatchObject([
    { id: 1, result: { resultType: 'complete', structuredContent: { text: 'hi' } } },
  ]);
  expect(gateway.calls[0]?.arrival).toMatchObject({
    transport: 'http',
    client: { name: 'raw' },
    address: '127.0.0.1',
  });
});

test('progress turns the answer into a stream', async () => {
  const { url } = await open();
  const { headers, messages } = await post(
    url,
    modernCall('steps', { count: 2 }, { progressToken: 1 }),
    modernHeaders('tools/call', 'steps'),
  );
  expect(headers.get('content-type')).toBe('text/event-stream');
  expect(messages.map((message) => message.method ?? 'answer')).toEqual([
    'notifications/progress',
    'notifications/progress',
    'answer',
  ]);
});

test.each([
  ['no version', { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }],
  ['no method', { 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'echo' }],
  ['no name', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }],
  ['another version', { ...callHeaders, 'mcp-protocol-version': '2025-11-25' }],
  ['another method', { ...callHeaders, 'mcp-method': 'tools/list' }],
  ['another name', { ...callHeaders, 'mcp-name': 'wait' }],
  ['a broken encoding', { ...callHeaders, 'mcp-name': '=?base64?ZWNobw?=' }],
])('headers that differ from the body are refused: %s', async (_name, headers) => {
  const { url, gateway } = await open();
  const { status, messages } = await post(url, modernCall('echo', {}), headers as Record<string, string>);
  expect(status).toBe(400);
  expect(messages).toMatchObject([{ id: 1, error: { code: -32020 } }]);
  expect(gateway.calls).toEqual([]);
});

test('a name that no header can hold comes encoded', async () => {
  const { url, gateway } = await open();
  const encoded = `=?base64?${Buffer.from('読む').toString('base64')}?=`;
  await post(url, modernCall('読む', {}), modernHeaders('tools/call', encoded));
  expect(gateway.calls[0]?.tool).toBe('読む');
});

test('an unknown method of the newest revision is not found, with its id', async () => {
  const { url } = await open();
  for (const method of ['nope', 'ping', 'initialize', 'constructor', '__proto__']) {
    const body = { jsonrpc: '2.0', id: 'x', method, params: { _meta: modernMeta() } };
    const { status, messages } = await post(url, body, modernHeaders(method));
    expect([status, messages[0]]).toMatchObject([404, { id: 'x', error: { code: -32601 } }]);
  }
});

test.each([
  ['not JSON', '{', {}, 400, -32700],
  ['no message', '"x"', {}, 400, -32600],
  ['an empty batch', '[]', {}, 400, -32600],
  ['a batch of the newest revision', JSON.stringify([modernCall('echo', {})]), {}, 400, -32600],
  ['another type', '{}', { 'content-type': 'text/plain' }, 415, -32600],
  ['an encoded body', '{}', { 'content-encoding': 'gzip' }, 415, -32600],
  ['an unknown session', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { 'mcp-session-id': 'x' }, 404, -32000],
  [
    'an unknown version',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    { 'mcp-protocol-version': '1' },
    400,
    -32600,
  ],
])('a malformed request is refused: %s', async (_name, body, headers, status, code) => {
  const { url } = await open();
  const answer = await post(url, body, headers as Record<string, string>);
  expect(answer.status).toBe(status);
  expect(answer.messages).toMatchObject([{ error: { code } }]);
});

test('a body over the limit is refused, told by its length or found while it comes', async () => {
  const { url, gateway } = await open({ maxBodyBytes: 1000 });
  const { port } = new URL(url);
  const told = await post(url, modernCall('echo', { text: 'x'.repeat(5000) }), callHeaders);
  const found = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(
      { port, path: '/mcp', method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => resolve(response.statusCode),
    );
    request.on('error', reject);
    request.write('x'.repeat(2000));
  });
  expect([told.status, found]).toEqual([413, 413]);
  expect(gateway.calls).toEqual([]);
});

test.each([
  ['a foreign Host', { host: 'evil.example' }, 403],
  ['a Host that begins like ours', { host: 'localhost.evil.example' }, 403],
  ['our name with another port', { host: 'localhost:1' }, 200],
  ['a foreign Origin', { origin: 'https://evil.example' }, 403],
  ['an Origin of nothing', { origin: 'null' }, 403],
  ['an allowed Origin', { origin: 'https://app.example' }, 200],
])('Host and Origin are checked: %s', async (_name, headers, status) => {
  const { url } = await open({ allowedOrigins: ['https://app.example'] });
  const { port } = new URL(url);
  const answered = await new Promise((resolve, reject) => {
    httpRequest({ port, path: '/healthz', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(answered).toBe(status);
});

test('a page of our own may call, and a page that is allowed may read the answer', async () => {
  const { url, base } = await open({ allowedOrigins: ['https://app.example'] });
  const own = await post(url, modernCall('echo', {}), { ...callHeaders, origin: base });
  const other = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } });
  expect(own.status).toBe(200);
  expect(other.headers.get('access-control-allow-origin')).toBe('https://app.example');
});

test('without the right token there is nothing but a challenge', async () => {
  const { url, base, gateway } = await open({ gateway: createFixtureGateway({}, { token: 't0k' }) });

  const none = await post(url, modernCall('echo', {}), callHeaders);
  const wrong = await post(url, modernCall('echo', {}), { ...callHeaders, authorization: 'Bearer no' });
  const right = await post(url, modernCall('echo', {}), { ...callHeaders, authorization: 'Bearer t0k' });

  expect([none.status, wrong.status, right.status]).toEqual([401, 401, 200]);
  expect(none.headers.get('www-authenticate')).toBe('Bearer');
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  expect(gateway.calls).toHaveLength(1);
  expect((await fetch(`${base}/healthz`)).status).toBe(200);
});

test('other pages come before not found, and metrics are for those who are let in', async () => {
  const { base } = await open({
    gateway: createFixtureGateway({}, { token: 't0k' }),
    metrics: () => 'calls 3\n',
    routes: (request, response) => {
      if (request.url !== '/hello') return false;
      response.end('hello');
      return true;
    },
  });
  const authorization = 'Bearer t0k';
  expect(await (await fetch(`${base}/hello`)).text()).toBe('hello');
  expect((await fetch(`${base}/metrics`)).status).toBe(401);
  expect(await (await fetch(`${base}/metrics`, { headers: { authorization } })).text()).toBe('calls 3\n');
  expect((await fetch(`${base}/nothing`)).status).toBe(404);
  // A trailing slash leads to the same endpoint, which wants a body.
  expect((await fetch(`${base}/mcp/`, { method: 'POST' })).status).toBe(
    (await fetch(`${base}/mcp`, { method: 'POST' })).status,
  );
  expect((await fetch(`${base}/mcp/`, { method: 'POST' })).status).not.toBe(404);
});

test('a closed stream cancels the call', async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const gateway = createFixtureGateway({
    hang: (_input, call) => {
      started.resolve(call.signal);
      return new Promise(() => {});
    },
  });
  const { url } = await open({ gateway });
  const client = new AbortController();

  const answer = post(url, modernCall('hang', {}), modernHeaders('tools/call', 'hang'), client.signal);
  const signal = await started.promise;
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  client.abort();

  await expect(answer).rejects.toThrow();
  await aborted;
});

test('an older client keeps a session: handshake, call, stream, end', async () => {
  const { url, gateway, service } = await open();
  const session = await openSession(url);

  const called = await post(
    url,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } },
    session,
  );
  const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
  const events = readEvents(stream);
  gateway.changeList();
  const change = await events.next();
  const ended = await fetch(url, { method: 'DELETE', headers: session });
  const after = await post(url, { jsonrpc: '2.0', id: 2, method: 'ping' }, session);

  expect(called.messages).toMatchObject([{ id: 1, result: { structuredContent: { text: 'hi' } } }]);
  expect(change.value).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  expect((await events.next()).done).toBe(true);
  expect([ended.status, after.status, service.sessionCount]).toEqual([204, 404, 0]);
  expect(gateway.left.map((arrival) => arrival.connectionId)).toEqual([
    gateway.calls[0]?.arrival.connectionId,
  ]);
});

test('an older client without a session is served too', async () => {
  const { url } = await open();
  const { messages } = await post(url, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hi' } },
  });
  expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { text: 'hi' } } }]);
});

test('a session belongs to the token that opened it', async () => {
  const gateway = createFixtureGateway();
  const { url } = await open({ gateway });
  const session = await openSession(url, {}, { authorization: 'Bearer a' });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const own = await post(url, ping, session);
  const other = await post(url, ping, { ...session, authorization: 'Bearer b' });
  expect([own.status, other.status]).toEqual([200, 404]);
});

test('an older client is asked on the stream of its call, and answers with a post', async () => {
  const { url } = await open();
  const session = await openSession(url, { elicitation: {} });

  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      ...session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'guarded' } }),
  });
  const events = readEvents(response);
  const question = await events.next();
  await post(url, { jsonrpc: '2.0', id: question.value.id, result: { action: 'decline' } }, session);
  const answer = await events.next();

  expect(question.value).toMatchObject({ method: 'elicitation/create' });
  expect(answer.value).toMatchObject({ id: 1, result: { content: [{ text: 'decline' }] } });
});

test('an older client cancels with a notification', async () => {
  const { url, gateway } = await open();
  const session = await openSession(url);
  const started = new Promise<void>((resolve) => {
    const { push } = gateway.calls;
    gateway.calls.push = (...calls) => {
      resolve();
      return push.apply(gateway.calls, calls);
    };
  });

  const call = post(url, { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait' } }, session);
  await started;
  await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }, session);

  expect((await call).messages).toEqual([]);
  expect(gateway.aborted).toEqual(['wait']);
});

test('a subscription of the newest revision hears what it asked for, and ends in good order', async () => {
  const { url, gateway, service } = await open();
  const body = {
    jsonrpc: '2.0',
    id: 's',
    method: 'subscriptions/listen',
    params: { _meta: modernMeta(), notifications: { toolsListChanged: true } },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...modernHeaders('subscriptions/listen'),
    },
    body: JSON.stringify(body),
  });
  const events = readEvents(response);

  const ack = await events.next();
  gateway.changeList();
  const change = await events.next();
  void service.close();
  const end = await events.next();

  expect(ack.value.method).toBe('notifications/subscriptions/acknowledged');
  expect(change.value).toMatchObject({
    method: 'notifications/tools/list_changed',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } },
  });
  expect(end.value).toMatchObject({ id: 's', result: { resultType: 'complete' } });
});

test('ten thousand abandoned sessions leave a bounded number, and each is left', async () => {
  const max = 50;
  const { url, gateway, service } = await open({ maxSessions: max });
  const total = process.env.SEKISHO_HAMMER ? 10_000 : 1000;

  for (let batch = 0; batch < total / 50; batch += 1) {
    await Promise.all(Array.from({ length: 50 }, () => openSession(url)));
  }

  expect(service.sessionCount).toBe(max);
  expect(gateway.left).toHaveLength(total - max);
});

test('idle sessions give way, used ones stay, and where all are used a new one is refused', async () => {
  const { url } = await open({ maxSessions: 2 });
  const streams: Response[] = [];
  for (let n = 0; n < 2; n += 1) {
    const session = await openSession(url);
    streams.push(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
  }
  const third = await post(url, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  expect(third.status).toBe(503);
  await Promise.all(streams.map((stream) => stream.body?.cancel()));
});

test('a server that stops lets the running call end and takes no new one', async () => {
  const { url, gateway, service } = await open({ stopGraceMs: 10_000 });
  const running = post(url, modernCall('later', { ms: 200 }), modernHeaders('tools/call', 'later'));
  while (gateway.calls.length === 0) await new Promise(setImmediate);
  await service.close();
  expect((await running).messages).toMatchObject([{ result: { content: [{ text: 'late' }] } }]);
  await expect(post(url, modernCall('echo', {}), callHeaders)).rejects.toThrow();
});

test('garbage on the socket is answered and survived', async () => {
  const { url } = await open();
  const { port } = new URL(url);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(Buffer.from([0, 1, 2, 3, 255, 10, 13])),
    );
    socket
      .on('close', () => resolve())
      .on('error', () => resolve())
      .resume();
  });
  expect((await post(url, modernCall('echo', {}), callHeaders)).status).toBe(200);
});

test('a session that is left alone ends', async () => {
  const { url, gateway, service } = await open({ sessionIdleMs: 1, beatMs: 10 });
  await openSession(url);
  while (service.sessionCount > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(gateway.left).toHaveLength(1);
});

test('the newest revision has no streams to get and no sessions to delete', async () => {
  const { url } = await open();
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status } = await fetch(url, { method, headers: modernHeaders('x') });
    expect([method, status]).toEqual([method, 405]);
  }
});

test('a session goes on at another server with the same key, and nowhere else', async () => {
  const sessionKey = Buffer.alloc(32, 7);
  const first = await open({ sessionKey });
  const second = await open({ sessionKey });
  const stranger = await open();
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hi' } },
  };
  const token = { authorization: 'Bearer a' };
  const session = await openSession(first.url, { elicitation: {} }, token);
  const id = session['mcp-session-id'] ?? '';

  await post(first.url, call, session);
  await first.service.close();
  const moved = await post(second.url, call, session);
  const elsewhere = await post(stranger.url, call, session);
  const stolen = await post(second.url, call, { ...session, authorization: 'Bearer b' });
  const forged = await post(second.url, call, { ...session, 'mcp-session-id': `x${id}` });

  expect([moved.status, elsewhere.status, stolen.status, forged.status]).toEqual([200, 404, 404, 404]);
  const [before, after] = [first, second].map(({ gateway }) => gateway.calls[0]);
  expect(after?.arrival.connectionId).toBe(before?.arrival.connectionId);
  expect(after?.arrival.client).toEqual({ name: 'raw', version: '1' });
  expect(id).toMatch(/^[\x21-\x7e]{1,1500}$/);
});

test('a session that gave way to others is taken up again, with what its client can do', async () => {
  const { url, gateway, service } = await open({ maxSessions: 1 });
  const session = await openSession(url, { elicitation: {}, experimental: { x: 'x'.repeat(5000) } });
  await openSession(url);

  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...session },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'guarded' } }),
  });
  const question = await readEvents(response).next();

  expect(question.value.method).toBe('elicitation/create');
  expect([service.sessionCount, gateway.left.length]).toEqual([1, 2]);
});

test('a batch of an older revision is answered in one list, its notifications not at all', async () => {
  const { url, gateway } = await open();
  const session = await openSession(url);
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hi' } },
  };
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };

  const answered = await post(url, [{ jsonrpc: '2.0', id: 1, method: 'ping' }, note, call], session);
  const silent = await post(url, [note], session);

  expect(answered.messages).toMatchObject([
    { id: 1, result: {} },
    { id: 2, result: { structuredContent: { text: 'hi' } } },
  ]);
  expect([silent.status, silent.messages]).toEqual([202, []]);
  expect(gateway.calls).toHaveLength(1);
});

test('in a batch, what is no message and an id that comes twice are refused, and the others answered', async () => {
  const { url, gateway } = await open();
  const session = await openSession(url);
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'hi' } },
  });

  const { status, messages } = await post(
    url,
    [call(1), 5, call(1), { jsonrpc: '2.0', id: 3 }, call(2)],
    session,
  );

  expect(status).toBe(200);
  expect(messages.filter(({ result }) => result !== undefined).map(({ id }) => id)).toEqual([1, 2]);
  const refused = messages.filter(({ error }) => error !== undefined);
  expect(refused.map(({ id }) => String(id)).sort()).toEqual(['1', '3', 'null']);
  expect(refused.map(({ error }) => error)).toMatchObject(refused.map(() => ({ code: -32600 })));
  expect(gateway.calls).toHaveLength(2);
});

test.each([
  ['localhost:7040', [], 'localhost'],
  ['LOCALHOST', [], 'localhost'],
  ['[::1]:7040', [], '[::1]'],
  ['anything.example', ['*'], 'anything.example'],
])('the Host %s is known by its name', async (host, more, name) => {
  expect(hostName(host.toLowerCase())).toBe(name);
  const { url } = await open({ allowedHosts: [...loopbackHosts, ...more] });
  const status = await new Promise((resolve, reject) => {
    httpRequest({ port: new URL(url).port, path: '/healthz', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
});

test.each([
  'localhost:7040@evil.example',
  '[::1]evil.example',
  'localhost:80:80',
  'localhost:x',
  'evil@localhost',
  '',
  '[',
])('the Host %j is no name of ours', (host) => {
  expect(loopbackHosts).not.toContain(hostName(host));
});

test('an empty list of hosts lets nobody in', async () => {
  const { base } = await open({ allowedHosts: [] });
  expect((await fetch(`${base}/healthz`)).status).toBe(403);
});
