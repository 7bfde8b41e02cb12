import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import { serveHttp } from '../../src/transport/http/serve.ts';
import { fixtureStdioPath } from '../support/clients.ts';
import { createFixtureGateway, type FixtureGateway } from '../support/fixture-gateway.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const eras = [
  ['2025-11-25', 'legacy' as const],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const;
const transports = ['stdio', 'http'] as const;
const matrix = transports.flatMap((transport) => eras.map(([era, mode]) => ({ transport, era, mode })));

async function serveFixture(): Promise<{ url: string; gateway: FixtureGateway }> {
  const gateway = createFixtureGateway();
  const service = await serveHttp({ gateway, host: '127.0.0.1', port: 0, stopGraceMs: 50 });
  cleanups.push(() => service.close());
  return { url: `http://127.0.0.1:${service.address.port}/mcp`, gateway };
}

async function openClient({ transport, mode }: (typeof matrix)[number]): Promise<Client> {
  const client = new Client(
    { name: 'sdk', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { scope: 'session' },
  }));
  cleanups.push(() => client.close());
  await client.connect(
    transport === 'stdio'
      ? new StdioClientTransport({ command: process.execPath, args: [fixtureStdioPath] })
      : new StreamableHTTPClientTransport(new URL((await serveFixture()).url)),
  );
  return client;
}

describe.each(matrix)("the SDK's client over $transport on $era", (row) => {
  test('lists, calls, and reads errors', async () => {
    const client = await openClient(row);

    const { tools } = await client.listTools();
    const echoed = await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    const missing = await client.callTool({ name: 'nope', arguments: {} });

    expect(client.getNegotiatedProtocolVersion()).toBe(row.era);
    expect(client.getServerVersion()?.name).toBe('fixture');
    expect(tools.find((tool) => tool.name === 'echo')?.annotations?.readOnlyHint).toBe(true);
    expect(echoed.structuredContent).toEqual({ text: 'hi' });
    expect(missing.isError).toBe(true);
  });

  test('hears progress', async () => {
    const client = await openClient(row);
    const heard: unknown[] = [];
    const said = [1, 2, 3].map((step) => [step, 3, `step ${step}`]);
    // The answer waits until all was heard: this client drops what comes in the same read as the answer.
    await client.callTool(
      { name: 'steps', arguments: { count: 3, hold: true } },
      {
        onprogress: ({ progress, total, message }) => {
          heard.push([progress, total, message]);
          if (heard.length === 3) void client.callTool({ name: 'release', arguments: {} });
        },
      },
    );
    expect(heard).toEqual(said);
  });

  test('answers a question', async () => {
    const client = await openClient(row);
    const result = await client.callTool({ name: 'guarded', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: 'accept session' }]);
  });

  test('makes a hundred calls at once', async () => {
    const client = await openClient(row);
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, n) => client.callTool({ name: 'echo', arguments: { text: `n${n}` } })),
    );
    expect(results.map((result) => result.structuredContent)).toEqual(
      Array.from({ length: 100 }, (_, n) => ({ text: `n${n}` })),
    );
  });
});

describe.each(eras)('over HTTP on %s', (_era, mode) => {
  test('a call that the client gives up is aborted in the server', async () => {
    const { url, gateway } = await serveFixture();
    const client = new Client({ name: 'sdk', version: '1.0.0' }, { versionNegotiation: { mode } });
    cleanups.push(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const giveUp = new AbortController();
    const started = Promise.withResolvers<AbortSignal>();
    const call = gateway.call;
    Object.assign(gateway, {
      call: (one: Parameters<typeof call>[0]) => {
        started.resolve(one.signal);
        return call(one);
      },
    });

    const waiting = client.callTool({ name: 'wait', arguments: {} }, { signal: giveUp.signal });
    const signal = await started.promise;
    const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    giveUp.abort();

    await expect(waiting).rejects.toThrow();
    await aborted;
    expect(gateway.aborted).toEqual(['wait']);
  });

  test('a changed list is announced', async () => {
    const { url, gateway } = await serveFixture();
    const changed = Promise.withResolvers<void>();
    const client = new Client(
      { name: 'sdk', version: '1.0.0' },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { onChanged: () => changed.resolve(), autoRefresh: false } },
      },
    );
    cleanups.push(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    // The client opens its stream some time after it has connected; a change before that is nobody's.
    // It gathers changes for a while, so they must not come too fast.
    const nudge = setInterval(() => gateway.changeList(), 1000);
    await changed.promise;
    clearInterval(nudge);
  });
});

const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);
const run = promisify(execFile);

describe.each(['legacy', 'modern'])('the Inspector, %s', (era) => {
  async function inspect(target: readonly string[], ...args: readonly string[]): Promise<unknown> {
    const { stdout } = await run(process.execPath, [
      ...[inspector, '--cli', ...target],
      ...['--protocol-era', era, '--format', 'json', ...args],
    ]);
    return JSON.parse(stdout);
  }
  const echo = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-args-json', '{"text":"hi"}'];

  test('lists strictly and calls over stdio', async () => {
    const target = [process.execPath, fixtureStdioPath];
    const listed = await inspect(target, '--method', 'tools/list', '--strict');
    const called = await inspect(target, ...echo);
    expect(JSON.stringify(listed)).toContain('"readOnlyHint":true');
    expect(JSON.stringify(called)).toContain('"structuredContent":{"text":"hi"}');
  });

  test('lists strictly and calls over HTTP', async () => {
    const { url } = await serveFixture();
    const target = ['--server-url', url, '--transport', 'http'];
    const listed = await inspect(target, '--method', 'tools/list', '--strict');
    const called = await inspect(target, ...echo);
    expect(JSON.stringify(listed)).toContain('"readOnlyHint":true');
    expect(JSON.stringify(called)).toContain('"structuredContent":{"text":"hi"}');
  });
});
