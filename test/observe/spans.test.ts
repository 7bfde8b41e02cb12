import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tracesOf } from '../../src/config/traces.ts';
import type { Call, Reply } from '../../src/contract/call.ts';
import type { TraceSettings } from '../../src/contract/trace.ts';
import { openTracing } from '../../src/observe/tracing.ts';
import { readTraceContext, traceContextOf } from '../../src/transport/trace.ts';
import { needs, programs } from '../support/needs.ts';
import { openReceiver } from './receiver.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test('the variables are read as the standard has them', () => {
  expect(tracesOf({})).toBeUndefined();
  expect(tracesOf({ OTEL_SERVICE_NAME: 'x' })).toBeUndefined();
  expect(tracesOf({ ...endpoint, OTEL_TRACES_EXPORTER: '' })).toEqual({
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    timeoutMs: 10_000,
    encoding: 'protobuf',
    compression: 'none',
    sampler: { root: 'always_on', ratio: 1, followsParent: true },
    tls: {},
  });
  expect(
    tracesOf({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'not looked at',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '5000',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2500',
      OTEL_EXPORTER_OTLP_HEADERS: ' a = b%3D , ',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }),
  ).toMatchObject({
    url: 'https://traces.example/in',
    timeoutMs: 2500,
    encoding: 'json',
    headers: { a: 'b=' },
    sampler: { root: 'traceidratio', ratio: 0.25, followsParent: true },
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', /must be an address/],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://u:passwort@h/', /^(?!.*passwort).*must be an address/],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc', /must be one of http\/protobuf, http\/json, got "grpc"/],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', /milliseconds, got "10s"/],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '-1', /milliseconds/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'passwort', /^(?!.*passwort).*must be a list/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0d%0ac: d', /must be a list/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz', /must be a list/],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', /one of none, gzip/],
  ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/nothing/there.pem', /cannot be read/],
  ['OTEL_TRACES_EXPORTER', 'console', /must be otlp or none/],
  ['OTEL_TRACES_SAMPLER', 'parentbased_parentbased_always_on', /must be one of/],
])('%s=%s is refused in words that say why', (name, value, words) => {
  expect(() => tracesOf({ ...endpoint, [name]: value })).toThrow(words);
});

test.each(['2', '-0.1', 'half', 'NaN'])('a share of %s is refused', (share) => {
  const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: share };
  expect(() => tracesOf({ ...endpoint, ...sampler })).toThrow('must be a number from 0 to 1');
});

const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test.each([
  '',
  5,
  null,
  {},
  `${good}-00`,
  good.toUpperCase(),
  good.replace(/^00/, 'ff'),
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  `${good}\n`,
  'x'.repeat(1_000_000),
])('a traceparent that is none is left out, with its state: %j', (traceparent) => {
  expect(readTraceContext(traceparent, 'rojo=1')).toEqual({});
});

test('a state is kept as far as it is one, and comes from where the parent came from', () => {
  expect(readTraceContext(good, 'rojo=1')).toEqual({ traceparent: good, tracestate: 'rojo=1' });
  for (const state of ['', 'a\nb', 'x'.repeat(513), 'ü=1', 7]) {
    expect(readTraceContext(good, state)).toEqual({ traceparent: good });
  }
  const arrived = { traceparent: good, tracestate: 'header=1' };
  expect(traceContextOf({}, arrived)).toEqual(arrived);
  expect(traceContextOf({ _meta: { tracestate: 'meta=1' } }, arrived)).toEqual(arrived);
  // Somebody between us and the caller must not be taken for the caller.
  expect(traceContextOf({ _meta: { traceparent: 'broken' } }, arrived)).toEqual({});
});

test('a collector that takes nothing costs no more memory than the spans that may wait', async () => {
  await using receiver = await openReceiver(() => {});
  const onFault = vi.fn();
  const settings: TraceSettings = {
    url: receiver.endpoint,
    headers: {},
    timeoutMs: 600_000,
    encoding: 'json',
    compression: 'none',
    sampler: { root: 'always_on', ratio: 1, followsParent: true },
    tls: {},
  };
  const tracing = openTracing(settings, { version: '1', onFault });
  const call: Call = {
    tool: 'file_read',
    input: {},
    arrival: { transport: 'stdio' },
    signal: new AbortController().signal,
  };
  const reply: Reply = { kind: 'output', content: [] };
  for (let n = 0; n < 20_000; n++) {
    const watch = tracing.begin(call);
    watch.reached('run');
    watch.ended({ reply, stop: 'run', tool: undefined, approver: undefined });
  }
  await vi.waitFor(() => expect(receiver.requests.length).toBe(1), 20_000);
  await tracing.close();

  // One batch was on its way, and what the queue holds was never sent: the rest was dropped as it came.
  expect(receiver.spans.length).toBeLessThanOrEqual(512);
  // What is given up because the server stops is no fault of the collector's.
  expect(onFault).not.toHaveBeenCalled();
});

test('a collector that fails is told of once, without its words or the password in its address', async () => {
  await using receiver = await openReceiver((response) => response.writeHead(400).end('strange words'));
  const onFault = vi.fn();
  const url = new URL(receiver.endpoint);
  url.password = 'passwort';
  const settings = tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: url.href });
  if (!settings) throw new Error('no settings');
  const tracing = openTracing(settings, { version: '1', onFault });
  const arrival = { transport: 'stdio' } as const;
  const call: Call = { tool: 'x', input: {}, arrival, signal: new AbortController().signal };
  const end = {
    reply: { kind: 'output', content: [] },
    stop: 'run',
    tool: undefined,
    approver: undefined,
  } as const;
  for (let n = 0; n < 2000; n++) tracing.begin(call).ended(end);
  await tracing.close();

  expect(receiver.requests.length).toBeGreaterThan(1);
  expect(onFault).toHaveBeenCalledTimes(1);
  const [error] = onFault.mock.calls[0] as [Error];
  expect(error.message).toBe(`Traces could not be sent to ${receiver.endpoint}; calls go on without them.`);
});

test(
  'a collector behind an authority of its own is believed by its certificate alone',
  needs(programs('openssl')),
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...name], {
      stdio: 'ignore',
    });
    let received = 0;
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      request.resume().on('end', () => {
        received += 1;
        response.end();
      });
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    const address = `https://localhost:${(server.address() as AddressInfo).port}`;
    const sendOne = async (more: Record<string, string>) => {
      const settings = tracesOf({ OTEL_EXPORTER_OTLP_ENDPOINT: address, ...more });
      if (!settings) throw new Error('no settings');
      const tracing = openTracing(settings, { version: '1' });
      const arrival = { transport: 'stdio' } as const;
      const call: Call = { tool: 'x', input: {}, arrival, signal: new AbortController().signal };
      const reply: Reply = { kind: 'output', content: [] };
      tracing.begin(call).ended({ reply, stop: 'run', tool: undefined, approver: undefined });
      await tracing.close();
    };
    await sendOne({});
    expect(received).toBe(0);
    await sendOne({ OTEL_EXPORTER_OTLP_CERTIFICATE: cert });
    expect(received).toBe(1);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  },
);
