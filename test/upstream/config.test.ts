import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { loadSettings } from '../../src/config/load.ts';
import { ConfigError } from '../../src/contract/error.ts';

/** Settings from files beside the root; `$` in a path is the folder that they lie in. */
function load(world: {
  readonly file?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly envFile?: string;
}) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-servers-'));
  mkdirSync(join(folder, 'root'));
  for (const [path, words] of Object.entries(world.files ?? {})) writeFileSync(join(folder, path), words);
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify(world.file ?? {}));
  const at = (path: string) => path.replace('$', folder);
  const environment = Object.fromEntries(
    Object.entries(world.environment ?? {}).map(([name, value]) => [name, at(value)]),
  );
  return loadSettings(
    {
      root: join(folder, 'root'),
      config,
      state: join(folder, 'state'),
      envFile: world.envFile && at(world.envFile),
    },
    { HOME: folder, ...environment },
    folder,
  );
}

const example =
  '{\n  "servers": [\n    {\n      "name": "filesystem",\n      "command": "mcp-filesystem",\n      "args": ["/allowed/path"]\n    }\n  ]\n}\n';

test("document 001's mcp-config.json loads as written, by MCP_CONFIG_PATH", () => {
  const { servers } = load({
    files: { 'mcp-config.json': example },
    environment: { MCP_CONFIG_PATH: '$/mcp-config.json' },
  });
  expect(servers).toMatchObject([
    {
      name: 'filesystem',
      enabled: true,
      start: { kind: 'stdio', command: 'mcp-filesystem', args: ['/allowed/path'], sandbox: 'required' },
      startTimeoutMs: 30_000,
      callTimeoutMs: 60_000,
      callsAtOnce: 5,
    },
  ]);
});

test("and by the document's .env, named by --env-file", () => {
  const { servers } = load({
    files: { 'mcp-config.json': example, 'settings.env': '# .env\nMCP_CONFIG_PATH=mcp-config.json\n' },
    envFile: '$/settings.env',
  });
  expect(servers.map(({ name }) => name)).toEqual(['filesystem']);
});

test.each([
  ['a list with names', { servers: [{ name: 'a', command: 'x' }] }],
  ["clients' mcpServers", { mcpServers: { a: { command: 'x', type: 'stdio' } } }],
  ["VS Code's servers", { servers: { a: { type: 'stdio', command: 'x' } } }],
])('%s is understood in our file', (_, file) => {
  expect(load({ file }).servers).toMatchObject([{ name: 'a', start: { kind: 'stdio', command: 'x' } }]);
});

test('what other programs write beside it says nothing', () => {
  const file = {
    inputs: [],
    mcpServers: { a: { url: 'https://x.example/mcp', autoApprove: ['*'], timeout: 3 } },
  };
  const { servers } = load({
    files: { 'mcp.json': JSON.stringify(file) },
    environment: { MCP_CONFIG_PATH: '$/mcp.json' },
  });
  expect(servers).toMatchObject([
    { start: { kind: 'http', url: 'https://x.example/mcp' }, ask: 'never', flow: 'ask' },
  ]);
});

test('variables are filled in from the environment, the file of variables and their defaults', () => {
  const { servers } = load({
    file: {
      mcpServers: {
        a: {
          url: 'https://${HOST}/mcp',
          headers: { Authorization: 'Bearer ${TOKEN}', X: '${env:HOST}${NONE:-y}' },
        },
      },
    },
    files: { 'a.env': 'TOKEN=from-file\nHOST=ignored' },
    envFile: '$/a.env',
    environment: { HOST: 'h.example' },
  });
  expect(servers[0]?.start).toEqual({
    kind: 'http',
    url: 'https://h.example/mcp',
    isSafe: true,
    headers: { Authorization: 'Bearer from-file', X: 'h.exampley' },
  });
});

test('a server that is switched off needs no variables', () => {
  const a = { command: 'x', env: { A: '${NOT_SET}' } };
  expect(load({ file: { mcpServers: { a: { ...a, disabled: true } } } }).servers[0]?.enabled).toBe(false);
  expect(load({ file: { mcpServers: { a: { ...a, enabled: false } } } }).servers[0]?.enabled).toBe(false);
});

test.each([
  [
    'a variable that is not set',
    { mcpServers: { a: { command: 'x', env: { A: '${NOT_SET}' } } } },
    'NOT_SET',
  ],
  ['neither command nor url', { mcpServers: { a: {} } }, 'either command or url'],
  ['both', { mcpServers: { a: { command: 'x', url: 'https://x.example' } } }, 'either command or url'],
  ['a url of another kind', { mcpServers: { a: { url: 'file:///etc/passwd' } } }, 'http://'],
  ['a name that could be taken for two', { mcpServers: { a__b: { command: 'x' } } }, 'a__b'],
  ['a name for a path', { mcpServers: { '../a': { command: 'x' } } }, '../a'],
  [
    'two of one name',
    { servers: [{ name: 'a', command: 'x' }], mcpServers: { a: { command: 'y' } } },
    'two servers',
  ],
  [
    'a key that is no setting',
    { mcpServers: { a: { command: 'x', sandbx: 'off' } } },
    'mcpServers.a.sandbx is not a setting.',
  ],
  [
    "a client's standing consent",
    { mcpServers: { a: { command: 'x', alwaysAllow: ['b'] } } },
    'mcpServers.a.alwaysAllow is not a setting. Here, standing consent is given with "ask" or "tools".',
  ],
  [
    "a client's name for a key",
    { mcpServers: { a: { serverUrl: 'https://x.example' } } },
    'It is called "url" here.',
  ],
  ['a value of another type', { mcpServers: { a: { command: 'x', args: 'y' } } }, 'mcpServers.a.args: '],
  ['the same in a list', { servers: [{ name: 'a', command: 'x', env: { K: 7 } }] }, 'servers.0.env.K: '],
  ['a server without a name', { servers: [{ command: 'x' }] }, 'servers.0.name is missing'],
  [
    'the transport that was given up',
    { mcpServers: { a: { type: 'sse', url: 'https://x.example/sse' } } },
    'often /mcp instead of /sse',
  ],
  [
    'a folder that is not there',
    { mcpServers: { a: { command: 'x', folders: ['/not/there'] } } },
    '/not/there',
  ],
])('%s stops start-up with a line that names it', (_, file, words) => {
  expect(() => load({ file })).toThrow(ConfigError);
  expect(() => load({ file })).toThrow(words);
});

test.each([
  ['MCP_CONFIG_PATH', { environment: { MCP_CONFIG_PATH: '$/root/mcp.json' } }],
  ['--env-file', { envFile: '$/root/.env' }],
])('%s may not lie where a tool could write it', (name, world) => {
  const files = { 'root/mcp.json': example, 'root/.env': 'A=b' };
  expect(() => load({ ...world, files })).toThrow(name);
});

test('import takes over the servers of a client and leaves comments and names in place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-import-'));
  const from = join(folder, 'claude.json');
  const out = join(folder, 'sekisho.jsonc');
  const servers = {
    'my server': { command: 'uvx', args: ['thing'], env: { KEY: '${KEY}' }, alwaysAllow: ['x'] },
    kept: { command: 'other' },
    sekisho: { command: 'npx', args: ['-y', 'sekisho', 'serve'] },
  };
  writeFileSync(from, JSON.stringify({ mcpServers: servers, projects: {} }));
  writeFileSync(out, '{\n  // mine\n  "mcpServers": { "kept": { "command": "mine" } }\n}\n');

  expect(await main(['import', from, '--out', out, '--dry-run'])).toBe(0);
  expect(readFileSync(out, 'utf8')).not.toContain('uvx');
  expect(await main(['import', from, '--out', out])).toBe(0);

  const words = readFileSync(out, 'utf8');
  expect(words).toContain('// mine');
  expect(JSON.parse(words.replace('// mine', ''))).toEqual({
    mcpServers: {
      kept: { command: 'mine' },
      'my-server': { command: 'uvx', args: ['thing'], env: { KEY: '${KEY}' } },
    },
  });
});
