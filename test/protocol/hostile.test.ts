import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { HttpOptions } from '../../src/transport/http/serve.ts';
import { serveHttp } from '../../src/transport/http/serve.ts';
import { modernCall, modernHeaders, modernMeta, openSession, openStdio, post } from '../support/clients.ts';
import type { FixtureGateway } from '../support/fixture-gateway.ts';
import { createFixtureGateway, words } from '../support/fixture-gateway.ts';
import { hammer, needs } from '../support/needs.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function open(
  options: Partial<HttpOptions> & { readonly gateway?: FixtureGateway } = {},
): Promise<{ url: string; gateway: FixtureGateway }> {
  const gateway = options.gateway ?? createFixtureGateway();
  const service = await serveHttp({ host: '127.0.0.1', port: 0, stopGraceMs: 50, ...options, gateway });
  cleanups.push(() => service.close());
  return { url: `http://127.0.0.1:${service.address.port}/mcp`, gateway };
}

const seed = 20_261_122;
const methods = [
  ...['initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'subscriptions/listen'],
  ...['notifications/cancelled', 'notifications/initialized', 'resources/read', '__proto__', 'toString'],
];
const names = ['echo', 'steps', 'guarded', 'boom', 'nope', '__proto__'];

/** Messages that are nearly right: right words, wrong shapes. */
const message = fc.record(
  {
    jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...methods), fc.jsonValue()),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          name: fc.oneof(fc.constantFrom(...names), fc.jsonValue()),
          arguments: fc.oneof(fc.record({ count: fc.integer({ max: 3 }) }), fc.jsonValue()),
          protocolVersion: fc.jsonValue(),
          capabilities: fc.oneof(fc.record({ elicitation: fc.jsonValue() }), fc.jsonValue()),
          clientInfo: fc.jsonValue(),
          requestId: fc.jsonValue(),
          notifications: fc.jsonValue(),
          inputResponses: fc.jsonValue(),
          _meta: fc.oneof(fc.jsonValue(), fc.constant(modernMeta()), fc.constant({ progressToken: 1 })),
        },
        { requiredKeys: [] },
      ),
    ),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test('messages that are nearly right are answered, and never end a stdio connection', async () => {
  const { client } = openStdio();
  let pings = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(message, fc.jsonValue()), { maxLength: 5 }), async (values) => {
      for (const value of values) client.write(`${JSON.stringify(value)}\n`);
      pings += 1;
      expect((await client.request('ping', undefined, `ping ${pings}`)).result).toEqual({});
      client.received.length = 0;
    }),
    { seed, numRuns: 300 },
  );
});

test('messages that are nearly right never fail an HTTP server', async () => {
  const faults: unknown[] = [];
  const { url } = await open({ onFault: (error) => faults.push(error) });
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, fc.jsonValue()), fc.boolean(), async (value, isModern) => {
      const isListening = (value as { method?: unknown } | null)?.method === 'subscriptions/listen';
      fc.pre(!isListening);
      const { status } = await post(url, value, isModern ? modernHeaders('ping') : {});
      expect(status).toBeLessThan(500);
    }),
    { seed, numRuns: 300 },
  );
  // The fixture's own failure is the only one there may be.
  expect(faults.map(String).filter((fault) => !fault.includes('secret words'))).toEqual([]);
});

test('input nested a hundred thousand deep reaches the gateway or is refused, and the next call goes on', async () => {
  const { client } = openStdio();
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  client.write(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":1,"x":${deep}}}}\n`,
  );
  await client.next((one) => one.id === 1);
  expect((await client.request('ping')).result).toEqual({});
});

/** A tool that says a lot while it works. */
function flooding(): { readonly gateway: FixtureGateway; readonly said: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gateway = createFixtureGateway({
    flood: async (_input, call) => {
      for (let step = 1; step <= 50_000; step += 1) {
        call.progress?.(step, 50_000, 'x'.repeat(200));
        if (step % 100 === 0) await new Promise(setImmediate);
      }
      resolve();
      return words('done');
    },
  });
  return { gateway, said: promise };
}

test('a stdio reader that stands still is not buried in progress, and gets its answer', async () => {
  const { gateway, said } = flooding();
  const { client, output } = openStdio({ gateway });
  output.pause();
  const answer = client.call('flood', {}, { progressToken: 1 });
  await said;
  output.resume();
  expect((await answer).result).toMatchObject({ content: [{ text: 'done' }] });
  expect(client.received.length).toBeLessThan(50_000);
});

test('an HTTP reader that stands still is not buried in progress, and gets its answer', async () => {
  const { gateway, said } = flooding();
  const { url } = await open({ gateway });
  const request = httpRequest(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...modernHeaders('tools/call', 'flood'),
    },
  });
  request.end(JSON.stringify(modernCall('flood', {}, { progressToken: 1 })));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await said;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  expect(text).toContain('"done"');
  expect(text.split('\n\n').length).toBeLessThan(50_000);
});

test('an answer that takes long becomes a stream that says it is there', async () => {
  const { url } = await open({ beatMs: 20 });
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...modernHeaders('tools/call', 'later'),
    },
    body: JSON.stringify(modernCall('later', { ms: 300 })),
  });
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(text).toMatch(/^: still here\n\n/);
  expect(text).toContain('"late"');
});

test('more requests at once than are allowed are turned away, and the others go on', async () => {
  const { client, gateway } = openStdio();
  for (let id = 0; id < 1100; id += 1) {
    client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } });
  }
  const refused = await client.next((one) => one.id === 1099);
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  const pong = await client.request('ping');

  expect(refused.error).toMatchObject({ code: -32000 });
  expect(pong.result).toEqual({});
  // Calls that arrive together are begun one after another.
  await expect.poll(() => gateway.calls.length).toBe(1024);
});

test('answers to questions that were never asked, or were asked of another, change nothing', async () => {
  const { url } = await open();
  const one = await openSession(url, { elicitation: {} });
  const other = await openSession(url, { elicitation: {} });
  const ac = new AbortController();
  const asked = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...one },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'guarded' } }),
    signal: ac.signal,
  });
  const reader = asked.body?.pipeThrough(new TextDecoderStream()).getReader();
  const question = (await reader?.read())?.value ?? '';
  const id = /"id":"([^"]+)"/.exec(question)?.[1];
  const yes = { jsonrpc: '2.0', id, result: { action: 'accept' } };

  await post(url, yes, other);
  await post(url, { ...yes, id: 'ask-99' }, one);
  await post(url, { ...yes, result: { action: 'decline' } }, one);

  expect(question).toContain('elicitation/create');
  expect((await reader?.read())?.value).toContain('"decline"');
  ac.abort();
});

test('memory does not grow with calls', needs(hammer()), async () => {
  const gateway = createFixtureGateway();
  const { client } = openStdio({ gateway });
  const burst = async (count: number): Promise<number> => {
    for (let n = 0; n < count; n += 100) {
      await Promise.all(Array.from({ length: 100 }, () => client.call('echo', { text: 'x' })));
      gateway.calls.length = 0;
      client.received.length = 0;
    }
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const early = await burst(1000);
  const late = await burst(100_000);
  expect(late).toBeLessThan(early * 1.2 + 8 * 1024 * 1024);
});
