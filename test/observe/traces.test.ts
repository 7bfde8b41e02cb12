import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLineClient, exitOf, modernCall, modernHeaders, post } from '../support/clients.ts';
import { habitual } from '../upstream/world.ts';
import { openReceiver } from './receiver.ts';

/** The product as it is shipped: what is bundled must find all that it needs. */
const built = mkdtempSync(join(tmpdir(), 'sekisho-built-'));
beforeAll(() => {
  const repository = join(import.meta.dirname, '../..');
  for (const name of ['src', 'package.json', 'node_modules', 'LICENSE']) {
    symlinkSync(join(repository, name), join(built, name));
  }
  execFileSync(process.execPath, [join(repository, 'scripts/build.ts'), '--bundle-only'], { cwd: built });
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Served {
  readonly child: ChildProcess;
  readonly client: ReturnType<typeof createLineClient>;
  /** Everything that was said on stderr so far. */
  said(): string;
  command(...args: readonly string[]): string;
  /** Ends the input and waits for the process. */
  end(): Promise<number | null>;
}

function serve(
  environment: Readonly<Record<string, string>>,
  config: object = {},
  ...more: string[]
): Served {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-traces-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  writeFileSync(join(root, 'secret-name.txt'), 'the-content\n');
  const file = join(folder, 'sekisho.jsonc');
  writeFileSync(file, JSON.stringify({ mode: 'full-access', ...config }));
  const place = ['--root', root, '--state', join(folder, 'state'), '--config', file];
  const binary = join(built, 'dist/sekisho.js');
  // It sends what is left as it ends, and the shared server does not end with its client.
  const env = { HOME: folder, PATH: process.env.PATH ?? '', SEKISHO_RESIDENT: 'off', ...environment };
  const child = spawn(process.execPath, [binary, 'serve', ...place, ...more], { env });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return {
    child,
    client: createLineClient(child.stdin, child.stdout),
    // As root, each start warns of that.
    said: () => said.replace(/^Warning: Sekisho runs as root.*\n+/m, ''),
    command: (...args) =>
      execFileSync(process.execPath, [binary, ...args, ...place], { env, encoding: 'utf8' }),
    end: () => {
      child.stdin.end();
      return exitOf(child);
    },
  };
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

test('a call becomes a span of its caller’s trace, and the audit log has the same trace', async () => {
  await using receiver = await openReceiver();
  const served = serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.endpoint}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc%20def,tenant=a',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'tenant=b',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_SERVICE_NAME: 'door',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%2C1,service.name=passed-over',
  });
  const _meta = { traceparent, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' };
  await served.client.call('file_read', { path: 'secret-name.txt' }, _meta);
  await served.client.call('file_read', { path: 'nothing-there.txt' });
  await served.client.call('a-name-that-nothing-has', {});
  expect(await served.end()).toBe(0);

  const call = receiver.named('tools/call file_read');
  expect(call).toMatchObject({
    traceId,
    parentSpanId: '00f067aa0ba902b7',
    traceState: _meta.tracestate,
    kind: 2,
    status: { code: 0 },
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'file_read',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': 'r1',
      'network.transport': 'pipe',
      'sekisho.stop': 'run',
      'sekisho.outcome': 'ok',
    },
  });
  expect(receiver.named('run')).toMatchObject({ traceId, parentSpanId: call.spanId, kind: 1 });
  for (const span of receiver.spans) {
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  }
  const failed = receiver.spans.filter(({ kind }) => kind === 2).slice(1);
  expect(
    failed.map(({ name, status, attributes }) => [name, status.code, attributes['sekisho.error.code']]),
  ).toEqual([
    ['tools/call file_read', 2, 'not_found'],
    ['tools/call', 2, 'not_found'],
  ]);
  for (const { attributes } of failed) expect(attributes['error.type']).toBe('tool_error');
  expect(receiver.resources[0]).toMatchObject({
    'service.name': 'door',
    'service.version': expect.any(String),
    'deployment.environment.name': 'test,1',
  });
  expect(receiver.requests[0]).toMatchObject({
    url: '/v1/traces',
    headers: { 'api-key': 'abc def', tenant: 'b', 'content-type': 'application/x-protobuf' },
  });
  // No argument, result or name of a stranger; no host, process or path.
  for (const body of receiver.bodies) {
    for (const word of ['secret-name', 'the-content', 'nothing-there', 'a-name-that', 'host.', 'process.']) {
      expect(body).not.toContain(word);
    }
  }
  const log = served
    .command('audit', 'search', '--json')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line));
  const recorded = log.map((entry: { traceId?: string }) => entry.traceId).sort();
  const spans = receiver.spans.filter(({ kind }) => kind === 2).map((span) => span.traceId);
  expect(recorded).toEqual(spans.sort());
  expect(served.said()).toBe('');
});

test('a request to a proxied server carries the trace on, in either of its ways', async () => {
  await using receiver = await openReceiver();
  const mcpServers = { older: habitual(), newest: habitual('newest') };
  const served = serve(
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    { mcpServers, toolsets: ['agent-cli'] },
  );
  await served.client.request('tools/list', {});
  const sent: string[] = [];
  for (const server of ['older', 'newest']) {
    const reply = await served.client.call(
      `${server}__echo`,
      { text: 'meta' },
      { traceparent, tracestate: 'rojo=1', progressToken: 'p' },
    );
    const content = (reply.result as { content: { text: string }[] }).content;
    const meta = JSON.parse(content.at(-1)?.text ?? '');
    expect(meta).toMatchObject({
      tracestate: 'rojo=1',
      traceparent: expect.stringContaining(`00-${traceId}-`),
    });
    expect(meta.progressToken).toBeDefined();
    served.client.received.length = 0;
    sent.push(meta.traceparent.split('-')[2]);
  }
  expect(await served.end()).toBe(0);

  const requests = receiver.spans.filter(({ kind }) => kind === 3);
  expect(
    requests.map(({ name, spanId, attributes }) => [name, spanId, attributes['sekisho.server']]),
  ).toEqual([
    ['tools/call echo', sent[0], 'older'],
    ['tools/call echo', sent[1], 'newest'],
  ]);
  const parents = receiver.spans.filter(({ name }) => name === 'run').map(({ spanId }) => spanId);
  expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(parents);
});

test('over HTTP, _meta goes before the header, and a caller’s word not to record is kept', async () => {
  await using receiver = await openReceiver();
  const served = serve(
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.endpoint}/whole/path`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    {},
    '--http',
    '127.0.0.1:0',
  );
  while (!served.said().includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 50));
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(served.said())?.[0] ?? '';
  const { token } = JSON.parse(served.command('token', 'create', '--user', 'u', '--json'));
  const call = async (meta: object, headers: Record<string, string>) => {
    const message = modernCall('file_read', { path: 'secret-name.txt' });
    const { params } = message as unknown as { params: { _meta: object } };
    Object.assign(params._meta, meta);
    const all = { ...modernHeaders('tools/call', 'file_read'), authorization: `Bearer ${token}`, ...headers };
    expect((await post(`${address}/mcp`, message, all)).status).toBe(200);
  };
  const other = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
  await call({}, { traceparent });
  await call({ traceparent: traceparent.replace(traceId, other) }, { traceparent });
  await call({ traceparent: traceparent.replace(/01$/, '00') }, {});
  await call({ traceparent: traceparent.replace(traceId, '0'.repeat(32)) }, {});
  served.child.kill('SIGTERM');
  expect(await exitOf(served.child)).toBe(0);

  const calls = receiver.spans.filter(({ kind }) => kind === 2);
  expect(receiver.requests[0]?.url).toBe('/whole/path');
  expect(calls.map((span) => span.traceId).slice(0, 2)).toEqual([traceId, other]);
  expect(calls).toHaveLength(3);
  expect(calls[2]?.parentSpanId).toBeUndefined();
  expect(calls[0]?.attributes).toMatchObject({
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'mcp.protocol.version': '2026-07-28',
  });
});

const troubles: readonly [string, Parameters<typeof openReceiver>[0]][] = [
  ['says nothing', () => {}],
  [
    'answers by the drop',
    (response) => {
      const timer = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(timer));
      response.writeHead(200);
    },
  ],
  ['is overloaded for ever', (response) => response.writeHead(503, { 'retry-after': '3600' }).end()],
  ['refuses', (response) => response.writeHead(400).end('secret words')],
  ['sends elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()],
  ['hangs up', (response) => response.destroy()],
];

test.each(troubles)('a collector that %s holds up neither calls nor the end', async (_, answer) => {
  await using receiver = await openReceiver(answer);
  const served = serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
  });
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => served.client.call('file_read', { path: 'secret-name.txt' })),
  );
  expect(replies.every(({ result }) => !(result as { isError?: boolean }).isError)).toBe(true);
  // Its time-out is ten minutes: what ends sooner than the test did not wait for it.
  expect(await served.end()).toBe(0);
  // On a slow machine the calls are sent in several parts, and it takes no second one.
  expect(receiver.spans.length).toBeGreaterThan(0);
  expect(served.said()).not.toContain('secret words');
});

test('what the variables ask for and cannot be had is said, and serving goes on without', async () => {
  for (const [name, value, problem] of [
    [
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'grpc',
      'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/protobuf, http/json',
    ],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'OTEL_TRACES_SAMPLER must be one of'],
  ] as const) {
    await using receiver = await openReceiver();
    const served = serve({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, [name]: value });
    const reply = await served.client.call('file_read', { path: 'secret-name.txt' });
    expect(reply).toMatchObject({ result: { structuredContent: { content: 'the-content\n' } } });
    expect(await served.end()).toBe(0);
    expect(served.said()).toContain(`Warning: calls are not traced: ${problem}`);
    expect(receiver.requests).toEqual([]);
  }
});

test.each([
  { OTEL_SDK_DISABLED: 'true' },
  { OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_TRACES_SAMPLER: 'always_off' },
  { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
])('nothing is sent with %j', async (environment) => {
  await using receiver = await openReceiver();
  const served = serve({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...environment });
  await served.client.call('file_read', { path: 'secret-name.txt' }, { traceparent });
  expect(await served.end()).toBe(0);
  expect(receiver.requests).toEqual([]);
  expect(served.said()).toBe('');
  const [entry] = served
    .command('audit', 'search', '--json')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line));
  expect(entry.traceId).toBe(traceId);
});
