import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFile } from '../support/run-command.ts';
import { claudeEvent } from './events.ts';
import { hookServersOf } from './hook-servers.ts';

let home: string;
let root: string;
let other: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'sekisho-quick-'));
  [root, other] = [join(home, 'root'), join(home, 'other')];
  for (const folder of [root, other]) mkdirSync(folder);
  await start(process.execPath, [startFile, 'init', '--yes', '--root', root, '--profile', 'coding']);
  await start(process.execPath, [startFile, 'init', '--hooks', '--yes']);
});
afterEach(() => {
  for (const pid of hookServersOf(home)) process.kill(pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function start(file: string, args: readonly string[] = [], { input = '', cwd = root } = {}) {
  const child = spawn(file, args, { env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' }, cwd });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...said })),
  );
}

const program = () => join(home, '.local/state/sekisho/hooks/claude-hook');
const config = () => join(home, '.config/sekisho/sekisho.jsonc');
let uses = 0;
async function hook(tool: string, input: object, cwd = root): Promise<string> {
  const event = claudeEvent('PreToolUse', cwd, tool, input, { tool_use_id: `u${uses++}` });
  const said = await start(program(), [], { input: JSON.stringify(event), cwd });
  expect(said).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(said.stdout).hookSpecificOutput.permissionDecision;
}
const read = (path: string, cwd?: string) => hook('Read', { file_path: path }, cwd);

test('uses of tools start the program, which nobody else may touch; what ends a turn starts Node', () => {
  expect(statSync(program()).mode & 0o777).toBe(0o700);
  expect(statSync(join(program(), '..')).mode & 0o777).toBe(0o700);
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'));
  const started = (event: string) => hooks[event][0].hooks[0].command;
  expect([started('PreToolUse'), started('PostToolUse')]).toEqual([program(), program()]);
  expect(started('UserPromptSubmit')).toContain(' hook claude --config ');
});

test('twenty at once start one server, and it decides as ever', async () => {
  writeFileSync(join(root, 'a.txt'), 'a');
  writeFileSync(join(home, 'b.txt'), 'b');
  const files = Array.from({ length: 20 }, (_, at) =>
    join(at % 2 === 0 ? root : home, at % 2 === 0 ? 'a.txt' : 'b.txt'),
  );
  const all = await Promise.all(files.map((file) => read(file)));
  expect(all).toEqual(files.map((_, at) => (at % 2 === 0 ? 'allow' : 'deny')));
  expect(hookServersOf(home)).toHaveLength(1);
  // Nobody waits for a start that is over.
  expect(readdirSync(join(program(), '..')).filter((name) => name.endsWith('.starting'))).toEqual([]);
});

test('a changed configuration holds from the next hook', async () => {
  writeFileSync(join(root, 'a.txt'), 'a');
  expect(await hook('Write', { file_path: join(root, 'b.txt'), content: 'b' })).toBe('allow');
  const words = readFileSync(config(), 'utf8');
  writeFileSync(config(), words.replace('"mode": "workspace-write"', '"mode": "read-only"'));
  expect(await hook('Write', { file_path: join(root, 'c.txt'), content: 'c' })).toBe('deny');
  writeFileSync(config(), words);
  expect(await hook('Write', { file_path: join(root, 'd.txt'), content: 'd' })).toBe('allow');
});

test('one server decides for each folder by the project that it belongs to', async () => {
  for (const folder of [root, other]) writeFileSync(join(folder, 'a.txt'), 'a');
  for (const folder of [root, other, root, other]) {
    expect(await read(join(folder, 'a.txt'), folder)).toBe('allow');
    expect(await read(join(folder === root ? other : root, 'a.txt'), folder)).toBe('deny');
  }
  expect(hookServersOf(home)).toHaveLength(1);
});

test('a server that was killed is started anew', async () => {
  writeFileSync(join(root, 'a.txt'), 'a');
  expect(await read(join(root, 'a.txt'))).toBe('allow');
  for (const pid of hookServersOf(home)) process.kill(pid, 'SIGKILL');
  expect(await read(join(root, 'a.txt'))).toBe('allow');
});

test.each(['', '{', 'x'.repeat(10_000_000), '{}{}'])(
  'an event that is none is refused (%#)',
  async (input) => {
    for (const round of ['starting the server', 'with the server']) {
      const said = await start(program(), [], { input });
      expect([round, said.code, said.stdout]).toEqual([round, 2, '']);
      expect(said.stderr.length).toBeGreaterThan(30);
    }
  },
);

test('a configuration that is none refuses, in its own words, each time at once', async () => {
  writeFileSync(config(), '{"mode": "sometimes"}');
  const event = JSON.stringify(claudeEvent('PreToolUse', root, 'Bash', { command: 'ls' }));
  for (const round of [1, 2]) {
    const said = await start(program(), [], { input: event });
    // In its own words: a hook that waited for such a server would say that none answers.
    expect({ round, ...said }).toMatchObject({
      round,
      code: 2,
      stderr: expect.stringContaining('sometimes'),
    });
  }
});

test('without its runtime it refuses as well', async () => {
  const moved = readFileSync(program());
  let written = 0;
  for (let at = moved.indexOf(process.execPath); at >= 0; at = moved.indexOf(process.execPath, at)) {
    moved.write('/nowhere\0', at);
    written++;
  }
  // The server's, and that of the slow hook.
  expect(written).toBe(2);
  writeFileSync(`${program()}2`, moved, { mode: 0o700 });
  const said = await start(`${program()}2`, [], { input: '{}' });
  expect(said).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('sekisho doctor') });
});
