import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, expect, test } from 'vitest';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import { createLineClient, exitOf, modernCall, modernHeaders, post } from '../support/clients.ts';
import { startFile } from '../support/run-command.ts';

const modes = [['legacy' as const], [{ pin: '2026-07-28' }]] as const;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** The arguments that serve a new folder with one file in it. */
async function serveArgs(...more: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sekisho-protocol-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const root = join(folder, 'root');
  await mkdir(root);
  await writeFile(join(root, 'a.txt'), 'hello\n');
  return [startFile, 'serve', '--root', root, '--state', join(folder, 'state'), ...more];
}

/** A configuration file in a folder of its own. */
async function configFile(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sekisho-protocol-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  const file = join(folder, 'sekisho.jsonc');
  await writeFile(file, JSON.stringify(config));
  return file;
}

function serve(args: readonly string[]): ChildProcess & { readonly said: Promise<string> } {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
  });
  let text = '';
  const said = new Promise<string>((resolve) => {
    child.stderr.on('data', (chunk) => {
      text += chunk;
      if (text.includes('Ctrl-C')) resolve(text);
    });
    child.once('exit', () => resolve(text));
  });
  return Object.assign(child, { said });
}

function openLines(child: ChildProcess): ReturnType<typeof createLineClient> {
  if (!child.stdin || !child.stdout) throw new Error('The child has no pipes.');
  return createLineClient(child.stdin, child.stdout);
}

test('a line piped into the server is answered, and the server leaves', async () => {
  const child = serve(await serveArgs());
  const client = openLines(child);

  client.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'file_read', arguments: { path: 'a.txt' } },
  });
  client.end();

  expect(await client.next((message) => message.id === 1)).toMatchObject({
    result: { structuredContent: { content: 'hello\n' } },
  });
  expect(await exitOf(child)).toBe(0);
});

test.each(modes)("the SDK's client reads and writes over stdio: %j", async (mode) => {
  const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } });
  cleanups.push(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: await serveArgs() }));

  const { tools } = await client.listTools();
  await client.callTool({ name: 'file_write', arguments: { path: 'b.txt', content: 'new\n' } });
  const read = await client.callTool({ name: 'file_read', arguments: { path: 'b.txt' } });
  const wrong = await client.callTool({ name: 'file_read', arguments: { path: '../b.txt' } });

  expect(tools.map((tool) => tool.name)).toContain('file_read');
  expect(read.structuredContent).toMatchObject({ content: 'new\n' });
  expect(wrong.isError).toBe(true);
});

test.each(modes.flatMap(([mode]) => [[mode, 'accept'] as const, [mode, 'decline'] as const]))(
  'a rule that asks reaches the person behind the client, and their word holds: %j %s',
  async (mode, action) => {
    const rules = [{ tool: 'file_write', decision: 'ask', because: 'Somebody looks first.' }];
    const client = new Client(
      { name: 'sdk', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
    );
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      if (action === 'accept') return { action, content: { scope: 'once' } };
      // A program that answers at once is taken for one that has no person.
      await sleep(2000);
      return { action };
    });
    cleanups.push(() => client.close());
    const args = await serveArgs('--config', await configFile({ rules }));
    await client.connect(new StdioClientTransport({ command: process.execPath, args }));

    const written = await client.callTool({
      name: 'file_write',
      arguments: { path: 'b.txt', content: 'new\n' },
    });
    const read = await client.callTool({ name: 'file_read', arguments: { path: 'b.txt' } });

    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('Somebody looks first.');
    expect([written.isError === true, read.isError === true]).toEqual(
      action === 'accept' ? [false, false] : [true, true],
    );
  },
);

test('over HTTP a printed token is needed, both eras are served, and a signal ends it', async () => {
  const child = serve(await serveArgs('--http', '127.0.0.1:0'));
  const said = await child.said;
  const url = /http:\/\/\S+\/mcp/.exec(said)?.[0] ?? '';
  const token = /token +(\S+)/.exec(said)?.[1] ?? '';

  const refused = await post(url, modernCall('file_read', {}), modernHeaders('tools/call', 'file_read'));
  const read: unknown[] = [];
  for (const [mode] of modes) {
    const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const { structuredContent } = await client.callTool({ name: 'file_read', arguments: { path: 'a.txt' } });
    read.push((structuredContent as { content: string }).content);
    await client.close();
  }
  child.kill('SIGTERM');

  expect(refused.status).toBe(401);
  expect(read).toEqual(['hello\n', 'hello\n']);
  expect(await exitOf(child)).toBe(0);
});

test('a hundred reads at once are all answered', async () => {
  const client = openLines(serve(await serveArgs()));
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => client.call('file_read', { path: 'a.txt' })),
  );
  for (const { result } of answers) {
    expect(result).toMatchObject({ structuredContent: { content: 'hello\n' } });
    expect(JSON.stringify(result)).not.toContain('the same result');
  }
});

test('a message of 60 MiB is answered in words that name the limit, and the next call goes on', async () => {
  const client = openLines(serve(await serveArgs()));

  const large = await client.call('file_write', { path: 'b.txt', content: 'x'.repeat(60 * 1024 * 1024) });
  const small = await client.call('file_read', { path: 'a.txt' });

  expect(large.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'too_large' } } });
  expect(small.result).toMatchObject({ structuredContent: { content: 'hello\n' } });
});

test('a server whose client is gone leaves', async () => {
  const child = serve(await serveArgs());
  await openLines(child).request('tools/list');

  child.stdout?.destroy();
  child.stdin?.destroy();

  expect(await exitOf(child)).toBe(0);
});

test('a server that watched a command in the background leaves with its client', async () => {
  const child = serve(await serveArgs('--profile', 'coding'));
  const started = await openLines(child).request('tools/call', {
    name: 'bash',
    arguments: { command: 'sleep 600', background: true },
  });
  expect(JSON.stringify(started)).toContain('Started as p1');

  child.stdin?.end();

  expect(await exitOf(child)).toBe(0);
});

test.each(['legacy', 'modern'])(
  'the Inspector finds no error in the tools of any toolset: %s',
  async (era) => {
    const folder = dirname(
      createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'),
    );
    const args = await serveArgs('--toolsets', toolsetNames.join(','));
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[join(folder, 'clients/launcher/build/index.js'), '--cli', process.execPath, ...args],
      ...['--method', 'tools/list', '--strict', '--format', 'json', '--protocol-era', era],
    ]);
    expect(JSON.parse(stdout)).toHaveProperty('result.tools');
  },
);
