import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { serveHttp } from '../../src/checkpoint/serving.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openWithServers } from './world.ts';

const chromium = '/usr/bin/chromium';
const modules = join(import.meta.dirname, '../../node_modules');
const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);
const run = promisify(execFile);
const eras = [
  ['legacy', 'legacy' as const],
  ['modern', { pin: '2026-07-28' }],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'sekisho five servers '));
let url = '';
let token = '';
let pageUrl = '';
const cleanups: (() => unknown)[] = [];

/** Five servers as npm has them, behind one Sekisho, in folders whose names have spaces. */
beforeAll(async () => {
  writeFileSync(join(folder, 'a note.txt'), 'in the folder');
  const page = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>Served by the test</title><h1>Hello from a page</h1><button>Press</button>');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = page.address();
  pageUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  cleanups.push(() => page.close());

  const world = await openWithServers({
    everything: server('@modelcontextprotocol/server-everything/dist/index.js'),
    files: server('@modelcontextprotocol/server-filesystem/dist/index.js', [folder]),
    memory: {
      ...server('@modelcontextprotocol/server-memory/dist/index.js'),
      env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
    },
    thinking: server('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
    ...(programs('chromium') === undefined && { browser: browser() }),
  });
  cleanups.push(() => world.close());
  const service = await serveHttp(world.checkpoint, { port: 0, stopGraceMs: 50 });
  cleanups.push(() => service.close());
  const { tokens } = await world.checkpoint.store();
  token = (await tokens.create({ user: 'anna' })).token;
  url = `http://127.0.0.1:${service.address.port}/mcp`;
});

afterAll(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

function server(path: string, args: string[] = []) {
  return {
    command: process.execPath,
    args: [join(modules, path), ...args],
    roles: ['user:anna'],
    startTimeoutMs: 60_000,
    ...(sandbox('bubblewrap') === undefined ? { folders: [folder] } : { sandbox: 'off' as const }),
  };
}

/** Chromium that talks to nobody but the page of the test. */
function browser() {
  const config = join(folder, 'browser.json');
  const quiet = ['background-networking', 'component-update', 'sync', 'default-apps', 'domain-reliability'];
  const args = [
    ...quiet.map((word) => `--disable-${word}`),
    '--no-first-run',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ];
  const launchOptions = { headless: true, executablePath: chromium, chromiumSandbox: false, args };
  writeFileSync(
    config,
    JSON.stringify({ browser: { browserName: 'chromium', isolated: true, launchOptions } }),
  );
  return {
    ...server('@playwright/mcp/cli.js', ['--config', config, '--output-dir', join(folder, 'out')]),
    env: { HOME: folder, PATH: process.env.PATH ?? '' },
    sandbox: 'off' as const,
  };
}

async function inspect(era: string, ...args: readonly string[]): Promise<string> {
  const target = ['--server-url', url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
  const { stdout } = await run(process.execPath, [
    ...[inspector, '--cli', ...target],
    ...['--protocol-era', era, '--format', 'json', ...args],
  ]);
  return stdout;
}

function callWith(era: string, tool: string, input: object): Promise<string> {
  const named = ['--tool-name', tool, '--tool-args-json', JSON.stringify(input)];
  return inspect(era, '--method', 'tools/call', ...named);
}

describe.each(eras)("the Inspector's command line, %s", (era) => {
  test('lists the tools of all servers, and uses one of each', async () => {
    const listed = await inspect(era, '--method', 'tools/list');
    const calls: [string, object, string][] = [
      ['everything__get-sum', { a: 2, b: 3 }, 'The sum of 2 and 3 is 5'],
      ['files__read_text_file', { path: join(folder, 'a note.txt') }, 'in the folder'],
      [
        'memory__create_entities',
        { entities: [{ name: `Hana ${era}`, entityType: 'person', observations: ['likes tea'] }] },
        `Hana ${era}`,
      ],
      [
        'thinking__sequentialthinking',
        { thought: 'x', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
        'thoughtHistoryLength',
      ],
    ];
    for (const [tool] of calls) expect(listed).toContain(`"${tool}"`);
    const answers = await Promise.all(calls.map(([tool, input]) => callWith(era, tool, input)));
    for (const [index, [, , words]] of calls.entries()) expect(answers[index]).toContain(words);
    expect(readFileSync(join(folder, 'memory.json'), 'utf8')).toContain(`Hana ${era}`);
  }, 60_000);

  test('lists and reads resources, and fetches prompts', async () => {
    const [resources, templates, prompts, prompt] = await Promise.all([
      inspect(era, '--method', 'resources/list'),
      inspect(era, '--method', 'resources/templates/list'),
      inspect(era, '--method', 'prompts/list'),
      inspect(
        era,
        ...['--method', 'prompts/get', '--prompt-name', 'everything__args-prompt'],
        ...['--prompt-args', 'city=Kyoto'],
      ),
    ]);
    const uri = /upstream:\/\/everything\/[^"]+\.md/.exec(resources)?.[0] ?? '';
    expect(templates).toContain('upstream://everything/demo://resource/dynamic/text/{resourceId}');
    expect(prompts).toContain('everything__completable-prompt');
    expect(prompt).toContain('Kyoto');
    expect(await inspect(era, '--method', 'resources/read', '--uri', uri)).toContain(`"uri":"${uri}"`);
  }, 60_000);
});

test(
  'the Inspector looks at a page through a real browser behind Sekisho',
  needs(programs('chromium')),
  async () => {
    expect(await callWith('legacy', 'browser__browser_navigate', { url: pageUrl })).toContain(
      'Served by the test',
    );
    // Another request, another era, the same browser.
    const seen = await callWith('modern', 'browser__browser_snapshot', {});
    expect(seen).toContain('Hello from a page');
    expect(seen).toContain('Press');
  },
);

describe.each(eras)('what the Inspector cannot do, the SDK does, %s', (_, mode) => {
  async function connected(): Promise<Client> {
    const client = new Client(
      { name: 'sdk', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    cleanups.push(() => client.close());
    return client;
  }
  const work = (duration: number, steps: number) => ({
    name: 'everything__trigger-long-running-operation',
    arguments: { duration, steps },
  });

  test('hears progress, and cancels', async () => {
    const client = await connected();
    const steps: number[] = [];
    await client.callTool(work(1, 4), { onprogress: ({ progress }) => void steps.push(progress) });
    // This client drops what comes in the same read as the answer.
    expect(steps).toEqual([1, 2, 3, 4].slice(0, steps.length));
    expect(steps.length).toBeGreaterThan(1);

    const stop = new AbortController();
    const endless = client.callTool(work(600, 3000), { signal: stop.signal, onprogress: () => stop.abort() });
    await expect(endless).rejects.toThrow();
    expect((await client.callTool(work(0.01, 1))).isError).not.toBe(true);
  }, 60_000);

  test('answers a question of the server', async () => {
    const client = await connected();
    const asked = vi.fn();
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked(params.message);
      return { action: 'accept', content: { name: 'Hana', check: true } };
    });
    const reply = await client.callTool({ name: 'everything__trigger-elicitation-request', arguments: {} });
    expect(asked).toHaveBeenCalledTimes(1);
    expect(asked.mock.calls[0]?.[0]).toMatch(/^\[everything\] /);
    expect(JSON.stringify(reply.content)).toContain('Hana');
  }, 60_000);

  test('completes an argument of a prompt and of a template', async () => {
    const client = await connected();
    const ofPrompt = await client.complete({
      ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
      argument: { name: 'department', value: 'E' },
    });
    expect(ofPrompt.completion.values).toContain('Engineering');
    const ofTemplate = await client.complete({
      ref: {
        type: 'ref/resource',
        uri: 'upstream://everything/demo://resource/dynamic/text/{resourceId}',
      },
      argument: { name: 'resourceId', value: '1' },
    });
    expect(ofTemplate.completion.values).toContain('1');
  }, 60_000);

  test('hears of a changed resource', async () => {
    const client = await connected();
    const updated = vi.fn();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));
    const uri = 'upstream://everything/demo://resource/dynamic/text/1';
    if (mode === 'legacy') await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    await client.callTool({ name: 'everything__toggle-subscriber-updates', arguments: {} });
    try {
      await vi.waitFor(() => expect(updated).toHaveBeenCalledWith(uri), { timeout: 60_000 });
    } finally {
      await client.callTool({ name: 'everything__toggle-subscriber-updates', arguments: {} });
    }
  }, 60_000);
});
