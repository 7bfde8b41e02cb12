import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unreadEnvFile } from '../../src/config/file/unread-env-file.ts';
import { loadSettings } from '../../src/config/load.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { runCommand, startFile } from '../support/run-command.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'start-folder-')));
  folder = join(home, 'project');
  mkdirSync(folder);
});
afterEach(() => rmSync(home, { recursive: true }));

function put(path: string, content = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const vaultRootOf = (toolsets: readonly string[], profile?: string) =>
  loadSettings({ root: folder, toolsets, profile }, { HOME: home }, folder).vault.root;

test.each([
  [['today.md'], 'the root'],
  [['ideas/house.md'], 'the root'],
  [[], 'vault'],
  [['today.md', 'vault/a.md'], 'vault'],
  [['notes.txt', '.obsidian/x.md'], 'vault'],
])('of a root with %j the vault alone serves %s', (paths, served) => {
  for (const path of paths) put(path);
  expect(vaultRootOf(['vault'])).toBe(served === 'vault' ? join(folder, 'vault') : folder);
});

test('beside other tools a Markdown file makes no vault of a project', () => {
  put('README.md');
  expect(vaultRootOf(['vault', 'assistant'])).toBe(join(folder, 'vault'));
});

test('the profile for notes reads the notes of the folder that it is given', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.md': 'one' }, flags: { profile: 'notes' } });
  const written = await world.call('vault_create', { path: 'ideas/b.md', content: 'two' });
  expect(written).toMatchObject({ kind: 'output' });
  expect(await world.call('vault_list', { recursive: true })).toMatchObject({
    structured: { entries: [{ path: 'ideas' }, { path: 'ideas/b.md' }, { path: 'a.md' }] },
  });
});

test.each([
  ['MCP_CONFIG_PATH=/x/mcp.json\n', {}, {}, true],
  ['OTHER=1\n  export MCP_CONFIG_PATH = mcp.json', {}, {}, true],
  ['# MCP_CONFIG_PATH=/x\nOTHER=1\n', {}, {}, false],
  ['MCP_CONFIG_PATH=/x/mcp.json\n', { envFile: '../env' }, {}, false],
  ['MCP_CONFIG_PATH=/x/mcp.json\n', {}, { MCP_CONFIG_PATH: '/y' }, false],
])(
  'a .env of %j in the start folder, with %j and %j: said that it is not read: %s',
  (words, flags, variables, isSaid) => {
    put('.env', words);
    expect(unreadEnvFile(flags, variables, folder) !== undefined).toBe(isSaid);
  },
);

test('a start folder without a .env, or with a folder of that name, is nothing to speak of', () => {
  expect(unreadEnvFile({}, {}, folder)).toBeUndefined();
  mkdirSync(join(folder, '.env'));
  expect(unreadEnvFile({}, {}, folder)).toBeUndefined();
});

test.each([['serve'], ['tools'], ['call', 'help'], ['ask', 'hello', '--headless']])(
  '%s says in one line why such a .env is not read, and what to do',
  (...words) => {
    put('.env', 'MCP_CONFIG_PATH=/x/mcp.json\n');
    const env = { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' };
    const { stderr } = spawnSync(process.execPath, [startFile, ...words], {
      cwd: folder,
      env,
      input: '',
      encoding: 'utf8',
    });
    const lines = stderr.split('\n').filter((line) => line.includes('.env'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\.env sets MCP_CONFIG_PATH and is not read: .* --env-file PATH/);
  },
);

test('doctor tells of such a .env, and of a program of pipelines that is not there, with what installs it', async () => {
  put('.env', 'MCP_CONFIG_PATH=/x/mcp.json\n');
  const { stdout } = await runCommand(
    ['doctor', '--toolsets', 'pipeline', '--json', '--locale', 'ja'],
    folder,
    {
      HOME: home,
      PATH: '/nonexistent',
    },
  );
  const findings = JSON.parse(stdout) as { what: string; works: boolean; detail: string; remedy?: string }[];
  expect(findings.find(({ what }) => what === '.env')?.detail).toContain('読み込みません');
  const jq = findings.find(({ what }) => what === 'program jq');
  expect(jq?.works === true || jq?.remedy?.includes('jq')).toBe(true);
});
