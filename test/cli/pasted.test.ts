import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Command } from 'commander';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { withSettings } from '../../src/cli/common/options.ts';
import { loadSettings } from '../../src/config/load.ts';
import { profiles } from '../../src/config/profiles.ts';
import { repeatSettings } from '../../src/config/repeat.ts';
import type { Flags } from '../../src/config/settings.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import { exitOf } from '../support/clients.ts';
import { runCommand, startFile } from '../support/run-command.ts';

let home = '';
let project = '';

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-pasted-')));
  project = join(home, 'my project');
  mkdirSync(join(project, 'sub'), { recursive: true });
  mkdirSync(join(home, 'more'));
  mkdirSync(join(home, 'elsewhere'));
  writeFileSync(join(home, 'rules.jsonc'), JSON.stringify({ rules }));
  writeFileSync(
    join(home, 'roots.jsonc'),
    JSON.stringify({ roots: [{ path: join(home, 'more'), writable: false }], locale: 'en' }),
  );
  writeFileSync(join(home, 'servers.env'), 'X=1\n');
  const behind = { command: process.execPath, args: [behindFile], sandbox: 'off' };
  writeFileSync(join(home, 'behind.jsonc'), JSON.stringify({ mcpServers: { behind } }));
});

afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

const behindFile = join(import.meta.dirname, '../upstream/fixtures/server.ts');
const rules = [{ tool: 'help', decision: 'deny', because: 'Nobody is helped here.' }];

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const among = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const anyFlags = fc.record(
  {
    config: among('../rules.jsonc', '../roots.jsonc'),
    profile: among(...Object.keys(profiles)),
    root: among('.', 'sub', '../more'),
    allowPath: fc.uniqueArray(among('../more', 'sub'), { minLength: 1 }),
    toolsets: fc.uniqueArray(among(...toolsetNames), { minLength: 1 }),
    only: among('file-read', 'shell-exec'),
    mode: among('read-only', 'workspace-write', 'full-access'),
    locale: among('en', 'ja'),
    state: among('../state', '../state 2'),
    allowMime: among(['image/*'], ['image/*', 'audio/*']),
    allowExecutable: among(true),
    sandbox: among('required', 'off'),
    envFile: among('../servers.env'),
  },
  { requiredKeys: [] },
);

const anyVariables = fc.record(
  {
    LANG: among('ja_JP.UTF-8', 'C'),
    XDG_STATE_HOME: fc.constantFrom('state-home').map((name) => join(home, name)),
    XDG_CONFIG_HOME: fc.constantFrom('config-home').map((name) => join(home, name)),
  },
  { requiredKeys: [] },
);

test('what is pasted gives the same settings, wherever and with whatever environment it is started', () => {
  fc.assert(
    fc.property(anyFlags, anyVariables, (flags, variables) => {
      const environment = { HOME: home, ...variables };
      const settings = loadSettings(flags as Flags, environment, project);
      const { args, env } = repeatSettings(flags as Flags, settings, environment, project);
      const again = withSettings(new Command())
        .exitOverride()
        .parse([...args], { from: 'user' });
      const elsewhere = loadSettings(again.opts(), { HOME: home, ...env }, join(home, 'elsewhere'));
      // How it was spelled is not what is served.
      const served = ({ roots, startedIn: _, recordFlags: __, ...rest }: typeof settings) => ({
        ...rest,
        roots: roots.map(({ path, writable }) => ({ path, writable })),
      });
      expect(served(elsewhere)).toEqual(served(settings));
    }),
    { numRuns: 300 },
  );
});

/** Serves over HTTP and takes what the banner prints: the client's entries for HTTP and for stdio. */
async function serveAndRead(args: readonly string[]) {
  const child = spawn(process.execPath, [startFile, 'serve', '--http', '0', ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanups.push(async () => {
    child.kill('SIGTERM');
    await exitOf(child);
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (said.includes('Ctrl-C')) break;
  }
  const [http, stdio] = [...said.matchAll(/^\{\n[\s\S]*?^\}/gm)].map(
    ([words]) => JSON.parse(words).mcpServers.sekisho,
  );
  return { said, http, stdio };
}

async function connect(transport: ConstructorParameters<typeof StdioClientTransport>[0] | URL, token = '') {
  const client = new Client({ name: 'pasted', version: '1' });
  cleanups.push(() => client.close());
  await client.connect(
    transport instanceof URL
      ? new StreamableHTTPClientTransport(transport, { requestInit: { headers: { Authorization: token } } })
      : new StdioClientTransport(transport),
  );
  return client;
}

test.each(Object.keys(profiles))(
  'the lines that serve --http --profile %s prints give its tools, mode and rules',
  async (profile) => {
    const flags = ['--profile', profile, '--mode', 'read-only', '--config', '../rules.jsonc'];
    const { http, stdio } = await serveAndRead(flags);
    const overHttp = await connect(new URL(http.url), http.headers.Authorization);
    const env = { PATH: process.env.PATH ?? '', HOME: home, ...stdio.env };
    const overStdio = await connect({ ...stdio, env, cwd: join(home, 'elsewhere'), stderr: 'ignore' });

    const offered = await overHttp.listTools();
    expect((await overStdio.listTools()).tools).toEqual(offered.tools);
    expect(offered.tools.length).toBeGreaterThan(0);
    for (const client of [overHttp, overStdio]) {
      const refused = await client.callTool({ name: 'help', arguments: {} });
      expect(refused.structuredContent).toMatchObject({ error: { code: 'denied' } });
    }
    const mine = await runCommand(['tools', '--json', ...flags], project, { HOME: home });
    expect(JSON.parse(mine.stdout).map(({ name }: { name: string }) => name)).toEqual(
      offered.tools.map(({ name }) => name),
    );
  },
);

test('over HTTP the token of this machine is the operator: proxied tools, memories, no limit of ten', async () => {
  const { http, stdio, said } = await serveAndRead(['--profile', 'chat', '--config', '../behind.jsonc']);
  expect(said).toContain(
    '10 calls a minute to assistant for each token over HTTP except that of this machine',
  );
  const overHttp = await connect(new URL(http.url), http.headers.Authorization);
  await overHttp.callTool({ name: 'remember', arguments: { content: 'The gate closes at six.' } });
  const overStdio = await connect({
    ...stdio,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stderr: 'ignore',
  });
  const found = await overStdio.callTool({ name: 'recall', arguments: { query: 'gate' } });
  expect(JSON.stringify(found.structuredContent)).toContain('The gate closes at six.');
  const offered = (await overHttp.listTools()).tools.map(({ name }) => name);
  expect(offered.filter((name) => name.startsWith('behind__'))).not.toEqual([]);
  expect((await overStdio.listTools()).tools.map(({ name }) => name)).toEqual(offered);
  for (let call = 0; call < 12; call++) {
    const listed = await overHttp.callTool({ name: 'list_files', arguments: {} });
    expect(listed.isError).toBeFalsy();
  }
});
