import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFile } from '../support/run-command.ts';
import { claudeEvent } from './events.ts';
import { commandLine, hookServersOf } from './hook-servers.ts';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-hooks-'));
  root = join(folder, 'root');
  mkdirSync(root);
});
afterEach(() => {
  for (const pid of servers()) process.kill(pid, 'SIGKILL');
  // A killed server leaves the kernel's own folders in a layer, which their user may not read.
  spawnSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const flags = () => ['--profile', 'coding', '--root', root];
const environment = () => ({ PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' });

const servers = () => hookServersOf(folder);

function start(
  args: readonly string[],
  input = '',
  cwd = root,
  shell?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const [program, words] = shell ? [shell, args] : [process.execPath, [startFile, ...args]];
  const child = spawn(program, words, { env: environment(), cwd });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

const hook = (event: object) => start(['hook', 'claude', ...flags()], JSON.stringify(event));
const pre = (tool: string, input: object, use = 'u1') =>
  claudeEvent('PreToolUse', root, tool, input, { tool_use_id: use });
const decision = (said: { stdout: string }) => JSON.parse(said.stdout).hookSpecificOutput;

test('twenty hooks at the same time start one server, and all are answered', async () => {
  writeFileSync(join(root, 'a.txt'), 'a');
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, at) => hook(pre('Read', { file_path: join(root, 'a.txt') }, `u${at}`))),
  );
  expect(all.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(Array.from({ length: 20 }, () => '0 '));
  expect(all.map((said) => decision(said).permissionDecision)).toEqual(
    Array.from({ length: 20 }, () => 'allow'),
  );
  expect(servers()).toHaveLength(1);
});

test('the rewritten command runs as a shell would run it, and only once', async () => {
  const { command } = decision(
    await hook(pre('Bash', { command: "echo 'it''s' $((1 + 1)); echo no >&2; exit 3" })),
  ).updatedInput;
  const shell = () =>
    new Promise<object>((resolve) => {
      const child = spawn('sh', ['-c', command], { env: environment(), cwd: root });
      const said = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => (said.stdout += chunk));
      child.stderr.on('data', (chunk) => (said.stderr += chunk));
      child.once('close', (code) => resolve({ code, ...said }));
    });
  expect(await shell()).toEqual({ code: 3, stdout: 'its 2\n', stderr: 'no\n' });
  expect(await shell()).toMatchObject({
    code: 126,
    stdout: '',
    stderr: expect.stringContaining('already used'),
  });
});

test('a session keeps its variables and its files from folder to folder of its project', async () => {
  const inside = join(root, 'sub');
  mkdirSync(inside);
  const say = async (words: string, cwd: string) => {
    const event = pre('Bash', { command: words });
    const { command } = decision(
      await start(['hook', 'claude', ...flags()], JSON.stringify({ ...event, cwd }), cwd),
    ).updatedInput;
    return start(['-c', command], '', cwd, 'sh');
  };
  await say('export GREETING=hello; echo kept >~/note', root);
  expect((await say('echo "$GREETING $(cat ~/note) ${PWD##*/}"', inside)).stdout).toBe('hello kept sub\n');
  expect(servers()).toHaveLength(1);
});

test('a configuration that is no configuration refuses, with its own words', async () => {
  writeFileSync(join(folder, 'bad.jsonc'), '{"mode": "sometimes"}');
  const said = await start(
    ['hook', 'claude', '--config', join(folder, 'bad.jsonc')],
    JSON.stringify(pre('Bash', { command: 'ls' })),
  );
  expect(said).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('sometimes') });
});

test('a configuration for a container refuses, since no server there could decide', async () => {
  writeFileSync(join(folder, 'inside.jsonc'), '{"runtime": "container"}');
  const said = await start(
    ['hook', 'claude', '--config', join(folder, 'inside.jsonc')],
    JSON.stringify(pre('Bash', { command: 'ls' })),
  );
  expect(said).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Hooks need Linux') });
});

test('a server that is killed in the middle lets nothing through, and the next hook has another one', async () => {
  const { command } = decision(await hook(pre('Bash', { command: 'sleep 20; touch late' }))).updatedInput;
  const running = new Promise<number | null>((resolve) => {
    spawn('sh', ['-c', command], { env: environment(), cwd: root }).once('close', resolve);
  });
  await expect.poll(() => sleeping(20)).toBe(true);
  for (const pid of servers()) process.kill(pid, 'SIGKILL');
  expect(await running).toBe(2);
  await expect.poll(() => sleeping(20)).toBe(false);
  expect(readdirSync(root)).toEqual([]);

  expect(decision(await hook(pre('Bash', { command: 'ls' }, 'u2'))).permissionDecision).toBe('allow');
  const log = () => start(['audit', 'tail', '--json', ...flags()]);
  await expect.poll(async () => (await log()).stdout).toContain('"interrupted"');
});

test('a command ends with its client, though the client leaves the shell running', async () => {
  const { command } = decision(await hook(pre('Bash', { command: 'sleep 2121; touch late' }))).updatedInput;
  const leaving = `require('node:child_process').spawn('sh', ['-c', process.argv[1]], { detached: true, stdio: 'ignore' })`;
  const client = spawn(process.execPath, ['-e', leaving, `${command}; true`], {
    env: environment(),
    cwd: root,
  });
  await expect.poll(() => sleeping(2121)).toBe(true);
  client.kill('SIGKILL');
  await expect.poll(() => sleeping(2121)).toBe(false);
  expect(readdirSync(root)).toEqual([]);
});

function sleeping(seconds: number): boolean {
  const line = `sleep\0${seconds}\0`;
  return readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandLine(pid) === line);
}

test('`sekisho run` typed by a person is the same call from where they are', async () => {
  mkdirSync(join(root, 'sub'));
  const child = spawn(process.execPath, [startFile, 'run', ...flags(), '--', 'pwd; echo x > y'], {
    env: environment(),
    cwd: join(root, 'sub'),
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, said]).toEqual([0, `${join(root, 'sub')}\n`]);
  expect(readdirSync(join(root, 'sub'))).toEqual(['y']);
  expect((await start(['undo', '--since', '1h', ...flags()])).code).toBe(0);
  expect(readdirSync(join(root, 'sub'))).toEqual([]);
});

test.each(['Stop', 'UserPromptSubmit', 'SessionEnd', 'AfterAgent'])(
  'where no server starts, %s fails without an order to go on, and a tool is refused',
  async (name) => {
    writeFileSync(join(folder, 'bad.jsonc'), '{"mode": "sometimes"}');
    const bad = ['hook', 'claude', '--config', join(folder, 'bad.jsonc')];
    const nested = claudeEvent('PreToolUse', root, 'Bash', { hook_event_name: name, command: 'ls' });
    const [over, tool] = await Promise.all([
      start(bad, JSON.stringify(claudeEvent(name, root, '', {}))),
      start(bad, JSON.stringify(nested)),
    ]);
    expect([over.code, tool.code]).toEqual([1, 2]);
  },
);
