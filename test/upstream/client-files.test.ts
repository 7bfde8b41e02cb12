import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { parseJsonc } from '../../src/config/file/jsonc.ts';
import { loadSettings } from '../../src/config/load.ts';

let printed = '';
beforeEach(() => {
  printed = '';
  const keep = (words: unknown) => {
    printed += String(words);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Imports a client's file and loads what was written; the variables are what the person set since. */
async function taken(file: unknown, environment: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho client '));
  const from = join(folder, 'client.json');
  const config = join(folder, 'sekisho.jsonc');
  mkdirSync(join(folder, 'root'));
  writeFileSync(from, typeof file === 'string' ? file : JSON.stringify(file));
  expect(await main(['import', from, '--out', config])).toBe(0);
  const settings = loadSettings(
    { root: join(folder, 'root'), config, state: join(folder, 'state') },
    { HOME: folder, ...environment },
    folder,
  );
  return { servers: settings.servers, folder, words: readFileSync(config, 'utf8') };
}

test.each([
  [
    'Claude Desktop',
    { mcpServers: { a: { command: '/opt/my tools/a', args: ['--dir', '/my notes'], env: { K: 'v' } } } },
    { kind: 'stdio', command: '/opt/my tools/a', args: ['--dir', '/my notes'], env: { K: 'v' } },
  ],
  [
    'Cursor',
    '{ // mine\n "mcpServers": { "a": { "url": "https://x.example/mcp", "headers": { "A": "Bearer ${env:T}" } } } }',
    { kind: 'http', url: 'https://x.example/mcp', headers: { A: 'Bearer t' } },
  ],
  [
    'Windsurf',
    { mcpServers: { a: { serverUrl: 'https://x.example/mcp', disabledTools: [] } } },
    { kind: 'http', url: 'https://x.example/mcp' },
  ],
  [
    'Gemini',
    { mcpServers: { a: { httpUrl: 'https://x.example/mcp', timeout: 5000, trust: true } } },
    { kind: 'http', url: 'https://x.example/mcp' },
  ],
  [
    'VS Code',
    {
      inputs: [],
      servers: { a: { type: 'http', url: 'https://x.example/mcp', headers: { A: '${input:t}' } } },
    },
    { kind: 'http', headers: { A: 't' } },
  ],
  [
    "VS Code's settings",
    { mcp: { servers: { a: { command: 'x', args: ['${userHome}${/}a', '${workspaceFolderBasename}'] } } } },
    { kind: 'stdio', command: 'x', args: [expect.stringMatching(/^\/.*\/a$/), 'root'] },
  ],
  [
    'Zed',
    { context_servers: { a: { source: 'custom', command: { path: 'x', args: ['y'], env: { K: 'v' } } } } },
    { kind: 'stdio', command: 'x', args: ['y'], env: { K: 'v' } },
  ],
  [
    'Windows',
    { mcpServers: { a: { command: 'cmd', args: ['/c', 'npx', '-y', 'thing'] } } },
    { kind: 'stdio', command: 'npx', args: ['-y', 'thing'] },
  ],
])('import understands a file of %s', async (_, file, start) => {
  const { servers } = await taken(file, { T: 't' });
  expect(servers).toMatchObject([{ name: 'a', ask: 'never', flow: 'ask', trustAnnotations: false, start }]);
});

test('a server that is downloaded at its start cannot start in the sandbox, and import says so at once', async () => {
  await taken({ mcpServers: { a: { command: 'npx', args: ['-y', 'x'] }, b: { command: 'b' } } });
  expect(printed.match(/cannot start in the sandbox like this: npx downloads the program/g)).toHaveLength(1);
});

test("a client's standing consent is not imported, and import says so", async () => {
  const a = { command: 'x', alwaysAllow: ['write'], autoApprove: ['*'], trust: true, timeout: 9 };
  const { servers, words } = await taken({ mcpServers: { a } });
  expect(servers[0]).toMatchObject({ ask: 'never', flow: 'ask' });
  expect(words).not.toMatch(/alwaysAllow|autoApprove|trust|timeout/);
  for (const key of ['alwaysAllow', 'autoApprove', 'trust'])
    expect(printed).toContain(`${key} is not imported`);
  expect(printed).toContain('timeout is left out');
});

test('a file gives its servers no rights: those are the operator’s to write', async () => {
  const a = {
    command: 'x',
    sandbox: 'off',
    ask: 'never',
    trustAnnotations: true,
    roles: ['all'],
    folders: ['/'],
  };
  const { servers } = await taken({ mcpServers: { a } });
  expect(servers).toMatchObject([
    {
      ask: 'never',
      flow: 'ask',
      trustAnnotations: false,
      roles: [],
      start: { sandbox: 'required', folders: [] },
    },
  ]);
  for (const key of Object.keys(a).slice(1)) expect(printed).toContain(`${key} is not imported`);
});

test('what a client hides or allows alone stays so, in a file that is named as well', async () => {
  const file = {
    mcpServers: { a: { command: 'x', disabledTools: ['b'] }, c: { command: 'x', includeTools: ['d'] } },
  };
  expect((await taken(file)).servers).toMatchObject([{ deny: ['b'] }, { allow: ['d'] }]);
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-client-'));
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify(file));
  const { servers } = loadSettings(
    { root: join(folder, 'root'), state: join(folder, 'state') },
    { HOME: folder, MCP_CONFIG_PATH: join(folder, 'mcp.json') },
    folder,
  );
  expect(servers).toMatchObject([{ deny: ['b'] }, { allow: ['d'] }]);
});

test('values that VS Code would ask for become variables, which import names', async () => {
  const file = { servers: { a: { command: 'x', env: { KEY: '${input:api-key}', ID: 'u-${input:2nd}' } } } };
  const { servers } = await taken(file, { API_KEY: 'k', _2ND: 'two' });
  expect(servers[0]?.start).toMatchObject({ env: { KEY: 'k', ID: 'u-two' } });
  expect(printed).toContain('set the variable API_KEY');
  await expect(taken(file)).rejects.toThrow('API_KEY is not set');
});

test('a switched-off server stays off', async () => {
  const { servers } = await taken({ mcpServers: { a: { command: 'x', disabled: true } } });
  expect(servers).toMatchObject([{ name: 'a', enabled: false }]);
});

test.each([
  { mcpServers: { a: { type: 'sse', url: 'https://x.example/events' } } },
  { mcpServers: { a: { url: 'https://x.example/sse' } } },
])('a server of the old transport is left out with a line that says so', async (file) => {
  const { servers } = await taken({ mcpServers: { ...file.mcpServers, b: { command: 'x' } } });
  expect(servers.map(({ name }) => name)).toEqual(['b']);
  expect(printed).toContain('a: left out');
});

test("a server's own file of variables is read, env wins, and a file that tools can write is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-client-'));
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'a.env'), 'ONE=1\nTWO="2 2"\n');
  writeFileSync(join(folder, 'root/a.env'), 'ONE=1\n');
  const load = (envFile: string) => {
    const config = join(folder, 'sekisho.jsonc');
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { a: { command: 'x', envFile, env: { ONE: 'own' } } } }),
    );
    return loadSettings(
      { root: join(folder, 'root'), config, state: join(folder, 'state') },
      { HOME: folder },
      folder,
    ).servers;
  };
  expect(load('a.env')[0]?.start).toMatchObject({ env: { ONE: 'own', TWO: '2 2' } });
  expect(() => load('${workspaceFolder}/a.env')).toThrow('servers.a.envFile must be outside');
  expect(() => load('none.env')).toThrow('servers.a.envFile');
});

test.each([
  ['codex.toml', '[mcp_servers.a]\ncommand = "x"\n', 'TOML'],
  ['empty.json', '{}', 'neither'],
  ['odd.json', '{"mcpServers": {"a": {"command": 7}}}', 'a.command'],
  ['list.json', '[]', 'neither'],
  ['broken.json', '{"mcpServers": ', 'line 1'],
])('%s is refused with a line that says why', async (name, words, why) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-client-'));
  writeFileSync(join(folder, name), words);
  expect(await main(['import', join(folder, name), '--out', join(folder, 'out.jsonc')])).toBe(2);
  expect(printed).toContain(why);
});

test('names that mean something to JavaScript are names', async () => {
  const file =
    '{"mcpServers": {"constructor": {"command": "x", "env": {"__proto__": "y"}}, "toString": {"command": "z"}}}';
  const { words } = await taken(file);
  expect(Object.keys((parseJsonc('f', words) as { mcpServers: object }).mcpServers)).toEqual([
    'constructor',
    'toString',
  ]);
});
