import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { runCommand, startFile } from '../support/run-command.ts';

let home = '';
let project = '';
let config = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sekisho-answering-'));
  project = join(home, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'a.txt'), 'old\n');
  config = join(home, 'rules.jsonc');
  const rules = [{ tool: 'file_write', decision: 'ask', because: 'Somebody looks first.' }];
  writeFileSync(config, JSON.stringify({ rules, approval: { waitMs: 0 } }));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const change = '{"path": "a.txt", "content": "new\\n", "overwrite": true}';
const sekisho = (args: readonly string[], cwd = project) => runCommand(args, cwd, { HOME: home });
const text = () => readFileSync(join(project, 'a.txt'), 'utf8');

/** The command that a reply says a person should run. */
const hintOf = (stderr: string) => /Ask them to run `([^`]*)`/.exec(stderr)?.[1] ?? '';

/** Pasted in a folder that has nothing to do with it. */
function paste(command: string): string {
  const elsewhere = join(home, 'elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  const { stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: elsewhere,
    env: { PATH: '/usr/bin:/bin', HOME: home },
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('the hint, pasted in any folder, answers; it names a state folder that no command would find', async () => {
  const state = join(home, 'my state');
  for (const flags of [
    ['--config', config, '--state', state],
    ['--config', config],
  ]) {
    writeFileSync(join(project, 'a.txt'), 'old\n');
    const asked = await sekisho(['call', 'file_write', change, ...flags]);
    expect(asked.code).toBe(2);
    const hint = hintOf(asked.stderr);
    expect(hint.includes(` --root ${project} --state '${state}'`)).toBe(flags.includes(state));
    expect(paste(hint)).toMatch(
      /^apr_\w+: approved \(once\)\. No call is waiting any more\. The same call is allowed if it is sent again, until 20/,
    );
    expect(await sekisho(['call', 'file_write', change, ...flags])).toMatchObject({ code: 0 });
    expect(text()).toBe('new\n');
  }
});

test('the hint names the file that says where records are', async () => {
  const rules = [{ tool: 'file_write', decision: 'ask', because: 'Somebody looks first.' }];
  writeFileSync(config, JSON.stringify({ rules, approval: { waitMs: 0 }, state: join(home, 'records') }));
  const { stderr } = await sekisho(['call', 'file_write', change, '--config', config]);
  expect(hintOf(stderr)).toMatch(new RegExp(` approve \\S+ --root \\S+ --config ${config}$`));
});

test('who lists the questions sees how long a call waits, and who answers that it went on', async () => {
  const rules = [{ tool: 'file_write', decision: 'ask', because: 'Somebody looks first.' }];
  writeFileSync(config, JSON.stringify({ rules, approval: { waitMs: 60_000 } }));
  const call = sekisho(['call', 'file_write', change, '--config', config]);
  let listed = '';
  while (!listed.startsWith('apr_')) listed = (await sekisho(['approve', '--config', config])).stdout;
  expect(listed).toMatch(/^apr_\w+ {2}pending {2}since \S+ {2}its call waits for another \d\d? s\n/);
  const answered = await sekisho(['approve', listed.slice(0, 20), '--config', config]);
  expect(answered.stdout).toMatch(/^apr_\w+: approved \(once\)\. The waiting call continues\.$/m);
  expect(await call).toMatchObject({ code: 0 });
});

test('the beginning of an id is enough for approve, diff and undo', async () => {
  const flags = ['--config', config];
  const asked = await sekisho(['call', 'file_write', change, ...flags]);
  const id = / approve (\w+)`/.exec(asked.stderr)?.[1] ?? '';
  expect(id).toMatch(/^apr_/);
  expect((await sekisho(['approve', id.slice(0, 4)])).stdout).toBe(
    `There is no question ${id.slice(0, 4)}. \`sekisho approve\` lists them.\n`,
  );
  expect((await sekisho(['approve', id.slice(4, 9)])).stdout).toContain(`${id}: approved (once). `);
  await sekisho(['call', 'file_write', change, ...flags]);
  const [entry = ''] = (await sekisho(['history'])).stdout.split(' ');
  expect((await sekisho(['diff', entry.slice(0, 10)])).stdout).toContain('+new');
  expect((await sekisho(['undo', entry.slice(0, 10)])).code).toBe(0);
  expect(text()).toBe('old\n');
});

test.each([
  ['y\n', 0, 'new\n'],
  ['n\n', 2, 'old\n'],
])('sekisho call at a terminal asks in place; %j', needs(programs('script')), (answer, code, left) => {
  const args = `'${process.execPath}' '${startFile}' call file_write '${change}' --config '${config}'`;
  const { stdout, status } = spawnSync('script', ['-qec', args, '/dev/null'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    input: answer,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(stdout).toContain('Why you are asked: Somebody looks first.');
  expect(status).toBe(code);
  expect(text()).toBe(left);
});

test("--only takes the document's whole name of a server", async () => {
  const { stdout } = await sekisho(['tools', '--only', 'mcp-server/file-read']);
  expect(stdout).toMatch(/^file_read /);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const wrong = await sekisho(['tools', '--only', 'mcp-server/vault']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--only must be one of file-read, file-write, shell-exec, got "vault".');
});
