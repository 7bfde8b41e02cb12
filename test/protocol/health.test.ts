import { createServer, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createHealth, type Stopping } from '../../src/transport/http/health.ts';
import { serveHttp } from '../../src/transport/http/serve.ts';
import { createFixtureGateway } from '../support/fixture-gateway.ts';

test('health says that the process answers, ready that it wants work, and why not', async () => {
  let stopping: Stopping = 'no';
  let records: () => Promise<unknown> = async () => {};
  const ask = await asking(
    createHealth(
      () => stopping,
      () => records(),
    ),
  );

  expect(await ask('/health')).toEqual([200, { ok: true }]);
  expect(await ask('/ready')).toEqual([200, { ready: true }]);

  records = () => Promise.reject(new Error('no connection'));
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await ask('/ready')).toEqual([503, { ready: false, because: 'records' }]);
  expect(await ask('/health')).toEqual([200, { ok: true }]);

  stopping = 'draining';
  expect(await ask('/ready')).toEqual([503, { ready: false, because: 'draining' }]);
  expect(await ask('/health')).toEqual([200, { ok: true }]);
  expect(await ask('/healthz')).toEqual([200, { ok: true }]);
  stopping = 'stopping';
  expect(await ask('/healthz')).toEqual([503, { ok: false }]);
});

test('records that never answer make it not ready within seconds, and are asked once a second by however many', async () => {
  let asked = 0;
  const ask = await asking(
    createHealth(
      () => 'no',
      () => {
        asked += 1;
        return new Promise(() => {});
      },
    ),
  );
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/ready')));

  expect(answers.every(([status]) => status === 503)).toBe(true);
  expect(asked).toBeLessThan(4);
});

test('a server that drains still answers calls, and says to each that its connection ends', async () => {
  const server = await serveHttp({ gateway: createFixtureGateway(), host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const base = `http://127.0.0.1:${server.address.port}`;
  expect((await fetch(`${base}/ready`)).status).toBe(200);
  server.drain();
  const ready = await fetch(`${base}/ready`);
  const call = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });

  expect(ready.status).toBe(503);
  expect(ready.headers.get('connection')).toBe('close');
  // It reached the protocol, which says what it misses, instead of being turned away.
  expect(await call.text()).toContain('jsonrpc');
});

/** Asks by HTTP; what is no page of it is 404. */
async function asking(health: { answer(path: string, response: ServerResponse): Promise<boolean> }) {
  const server = createServer((request, response) => {
    void health.answer(request.url ?? '', response).then((was) => {
      if (!was) response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    return [reply.status, await reply.json()];
  };
}
