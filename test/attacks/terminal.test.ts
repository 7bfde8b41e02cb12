import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cleanText } from '../../src/contract/text/clean-text.ts';
import { needs, superuser } from '../support/needs.ts';
import { runCommand } from '../support/run-command.ts';

const evil = 'a\u001b]0;title\u0007\u001b[2J\u009b31m\u202eb\nforged\trow\u200b';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-terminal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server whose tool has this name. */
const serverNamed = (name: string) => `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const { protocolVersion } = params ?? {};
  if (method === 'initialize')
    answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/list')
    answer({ tools: [{ name: ${JSON.stringify(name)}, inputSchema: { type: 'object' } }] });
}
`;

const shown = [
  ['task', 'list'],
  ['project', 'list'],
  ['agent', 'list'],
  ['audit', 'tail'],
  ['history'],
  ['digest'],
  ['sessions'],
  ['token', 'list'],
  ['approve', 'list'],
  ['memory', 'export'],
  ['tools'],
  ['notify', 'list'],
  ['policy', 'explain'],
];

test('no command lets out what controls a terminal, whoever wrote it, and no cell begins a row', async () => {
  const folder = newFolder();
  const run = (args: readonly string[]) => runCommand(args, folder, { HOME: join(folder, 'home') });
  const value = JSON.stringify(evil);
  await run(['project', 'add', 'shop', '--name', evil]);
  await run(['agent', 'add', 'lead', '--name', evil, '--project', 'shop']);
  const made = await run(['task', 'add', '--project', 'shop', '--title', evil, '--description', evil]);
  const id = made.stdout.trim();
  expect(id).toMatch(/^tsk_/);
  await run(['call', 'memory_store', `{"content": ${value}}`]);
  await run(['call', 'write_file', `{"path": ${value}, "content": ${value}}`, '--profile', 'coding']);
  await run(['call', 'read_file', `{"path": ${value}}`, '--profile', 'coding']);
  await run(['token', 'create', '--user', 'ann']);
  writeFileSync(join(folder, 'server.mjs'), serverNamed(evil));
  mkdirSync(join(folder, 'home/.config/sekisho'), { recursive: true });
  writeFileSync(
    join(folder, 'home/.config/sekisho/sekisho.jsonc'),
    JSON.stringify({ mcpServers: { ev: { command: process.execPath, args: [join(folder, 'server.mjs')] } } }),
  );
  const commands = [
    ...shown,
    ['server', 'check'],
    ['server', 'list'],
    ['task', 'show', id],
    ['call', 'get_my_task', `{"session_token": ${value}}`],
  ];
  for (const command of commands) {
    for (const args of [command, [...command, '--json']]) {
      const { stdout, stderr } = await run(args);
      const all = stdout + stderr;
      expect(cleanText(all), args.join(' ')).toBe(all);
      expect(
        all.split('\n').filter((line) => line.startsWith('forged')),
        args.join(' '),
      ).toEqual([]);
    }
  }
  const { stdout } = await run(['task', 'list', '--json']);
  expect(JSON.parse(stdout)[0].title).toBe(evil);
}, 240_000);

test('what commands print goes out at one place', () => {
  const folder = new URL('../../src/cli/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const direct = files.filter((name) =>
    /process\.std(?:out|err)\.write|console\.(?:log|error)/.test(readFileSync(new URL(name, folder), 'utf8')),
  );
  // Their own words, the progress of a count, and what the protocols of hooks and of a first start have.
  expect(direct.sort()).toEqual([
    'common/say.ts',
    'common/store.ts',
    'hook/answer.ts',
    'hook/client.ts',
    'hook/run.ts',
    'init/init.ts',
    'init/questions.ts',
    'memory.ts',
    'resident/join.ts',
    'start.ts',
  ]);
});

test('arguments of a call can come by the input, where no command line shows them', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'a.txt'), 'words');
  writeFileSync(join(folder, 'input.json'), '{"path": "a.txt"}');
  writeFileSync(join(folder, 'run.sh'), '"$@" < input.json\n');
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const { startFile } = await import('../support/run-command.ts');
  const { stdout } = await promisify(execFile)(
    'sh',
    ['run.sh', process.execPath, startFile, 'call', 'read_file', '-'],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: join(folder, 'home'), LANG: 'C.UTF-8' } },
  );
  expect(stdout).toContain('words');
});

test('a state folder that others can write, or that holds a link, is refused', async () => {
  const folder = newFolder();
  const [state, root] = [join(folder, 'state'), join(folder, 'root')];
  mkdirSync(state);
  mkdirSync(root);
  const call = () =>
    runCommand(['call', 'read_file', '{"path": "a"}', '--state', state], root, { HOME: folder });
  chmodSync(state, 0o777);
  expect(await call()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('other users can write to it'),
  });
  expect(readdirSync(state)).toEqual([]);
  chmodSync(state, 0o755);
  symlinkSync(join(folder, 'elsewhere'), join(state, 'audit.key'));
  expect(await call()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('audit.key in it is a link'),
  });
  expect(readdirSync(folder)).not.toContain('elsewhere');
  rmSync(join(state, 'audit.key'));
  expect((await call()).code).not.toBe(2);
});

test("another user's state folder is refused", needs(superuser()), async () => {
  const folder = newFolder();
  const [state, root] = [join(folder, 'state'), join(folder, 'root')];
  mkdirSync(state);
  mkdirSync(root);
  chownSync(state, 1234, 1234);
  const said = await runCommand(['call', 'read_file', '{"path": "a"}', '--state', state], root, {
    HOME: folder,
  });
  expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to another user (1234)') });
  expect(readdirSync(state)).toEqual([]);
});
