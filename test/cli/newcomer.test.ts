import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { runCommand, startFile } from '../support/run-command.ts';

let home = '';
let project = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sekisho-newcomer-'));
  project = join(home, 'my 計画 (1)');
  mkdirSync(project);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const sekisho = (args: readonly string[], environment: Readonly<Record<string, string>> = { HOME: home }) =>
  runCommand(args, project, environment);

test('in a folder with spaces and Japanese, init writes what doctor and a first call then take', async () => {
  expect(await sekisho(['init', '--yes'])).toMatchObject({ code: 0, stderr: '' });
  expect(await sekisho(['doctor', '--json'])).toMatchObject({ code: 0, stderr: '' });
  writeFileSync(join(project, 'メモ.txt'), 'こんにちは\n');
  expect(await sekisho(['call', 'read_file', '{"path":"メモ.txt"}'])).toMatchObject({
    code: 0,
    stdout: 'こんにちは\n',
    stderr: '',
  });
  expect(readdirSync(project)).toEqual(['メモ.txt']);
});

test.each([
  [['doctor', '--json'], 0],
  [['approve', '--json'], 0],
  [['audit', 'verify', '--json'], 0],
  [['token', 'list', '--json'], 0],
  [['tools', '--json'], 0],
  [['server', 'list', '--json'], 0],
  [['call', 'file_read', '{"path":"none"}', '--json'], 1],
])('%j before anything was done is JSON, with exit code %i and no warning', async (args, code) => {
  const done = await sekisho(args);
  expect({ code: done.code, stderr: done.stderr }).toEqual({ code, stderr: '' });
  expect(() => JSON.parse(done.stdout)).not.toThrow();
});

test.each([
  ['README.md', 'C.UTF-8'],
  ['README.ja.md', 'ja_JP.UTF-8'],
])('the calls in %s are answered as it shows', async (page, LANG) => {
  const samples = readFileSync(page, 'utf8').matchAll(
    /^\$ npx sekisho call (\w+) '(.*)'\n([^`]+(?:`[^`\n]+`[^`]*)*?)```$/gm,
  );
  const shown = [...samples].map(([, tool = '', input = '', reply = '']) => ({ tool, input, reply }));
  expect(shown.map(({ tool }) => tool)).toEqual(['file_read', 'shell_exec']);
  for (const { tool, input, reply } of shown) {
    const { stdout, stderr } = await runCommand(['call', tool, input], process.cwd(), { HOME: home, LANG });
    expect(`${stdout}${stderr}`).toBe(reply);
  }
});

test('the first question is worded as the README shows it', needs(sandbox('bubblewrap')), async () => {
  const data = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`tmpdata/${at}.csv`, `row ${at}\n`]),
  );
  const world = await openTestCheckpoint({
    files: { ...data, 'tidy.py': 'import shutil\nshutil.rmtree("tmpdata")\n' },
    flags: { profile: 'coding' },
    config: { approval: { waitMs: 1 } },
  });
  onTestFinished(() => world.close());
  await world.call('bash', { command: 'python3 tidy.py' });
  const [asked] = await (await world.checkpoint.store()).approvals.list('pending', Date.now());

  for (const [page, locale] of [
    ['README.md', 'en'],
    ['README.ja.md', 'ja'],
  ] as const) {
    const [, shown = ''] = /^```\n([^`]*tidy\.py[^`]*)^```/m.exec(readFileSync(page, 'utf8')) ?? [];
    expect(asked?.message[locale].split('\n')).toEqual(expect.arrayContaining(shown.trim().split('\n')));
  }
});

test.each([
  [['audit', 'tail'], 0, 'No call was recorded yet.'],
  [['audit', 'search', 'zzz'], 1, 'No entry matches.'],
])('%j says that there is nothing', async (args, code, words) => {
  expect(await sekisho(args)).toEqual({ code, stdout: '', stderr: `${words}\n` });
});

test.each([
  ['[]', 'the settings must be one JSON object.'],
  ['{"rules":[{"tool":"x","decision":"allow"}]}', 'rules.0.because is missing.'],
  ['{"models":{"a b":{"model":"x"}}}', 'models.a b is not a name that can be used here.'],
])('a configuration %s is refused in plain words', async (words, message) => {
  mkdirSync(join(home, '.config/sekisho'), { recursive: true });
  writeFileSync(join(home, '.config/sekisho/sekisho.jsonc'), words);
  const { code, stderr } = await sekisho(['tools']);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test.each([
  [['tools', '--root', 'nowhere'], /The folder .*nowhere cannot be opened: it does not exist\./],
  [['tools', '--root', 'メモ.txt'], /メモ\.txt is not a folder\. Name the folder that contains it\./],
  [['tools', '--config', '.'], /cannot be read: it is a folder\. `sekisho init` writes one\./],
  [['memory', 'import', 'nowhere'], /nowhere cannot be read: it does not exist\./],
  [
    ['import', 'zed'],
    /No servers of zed were found .* `sekisho import FILE` imports them from another file\./,
  ],
])('%j is told what is wrong, and exits with 2', async (args, words) => {
  writeFileSync(join(project, 'メモ.txt'), '');
  const { code, stderr } = await sekisho(args);
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, lines: 1 });
  expect(stderr).toMatch(words);
});

test('a port that another program has is named, with the way out', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    expect(await sekisho(['serve', '--http', address])).toMatchObject({
      code: 2,
      stdout: '',
      // As root, a warning of that comes first.
      stderr: expect.stringContaining(
        `sekisho: Nothing can listen at ${address}: another program is using it. Stop it, or choose another port with \`--http PORT\`.\n`,
      ),
    });
  } finally {
    other.close();
  }
});

test('a byte order mark before the configuration is none of its words', async () => {
  mkdirSync(join(home, '.config/sekisho'), { recursive: true });
  writeFileSync(join(home, '.config/sekisho/sekisho.jsonc'), '\ufeff{"mode":"read-only"}');
  expect((await sekisho(['policy', 'explain'])).stdout).toMatch(/^Mode: read-only/);
});

test('a wrong store.url is quoted without the password in it', async () => {
  const config = join(home, 'sekisho.jsonc');
  writeFileSync(config, '{"store":{"url":"mysql://me:hunter2@db/x"}}');
  const { code, stderr } = await sekisho(['tools', '--config', config]);
  expect(code).toBe(2);
  expect(stderr).toContain('store.url must start with sqlite: or postgres://, got "mysql:…".');
  expect(stderr).not.toContain('hunter2');
});

test('a home that is no folder configures nothing, and a state elsewhere is enough', async () => {
  const state = join(home, 'state');
  expect(await sekisho(['tools', '--state', state], { HOME: '/dev/null' })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test.each([[{ HOME: '' }], [{ HOME: '.' }], [{ XDG_CONFIG_HOME: '.config' }]])(
  'with %j a file in the workspace still configures nothing',
  async (environment) => {
    mkdirSync(join(project, '.config/sekisho'), { recursive: true });
    writeFileSync(join(project, '.config/sekisho/sekisho.jsonc'), '{ "mode": "full-access" }');
    const state = join(home, 'state');
    const { stdout } = await sekisho(['policy', 'explain', '--state', state], { HOME: home, ...environment });
    expect(stdout).toMatch(/^Mode: workspace-write/);
  },
);

test('leaving init at its first question writes nothing and says so', needs(programs('script')), () => {
  const command = `'${process.execPath}' '${startFile}' init`;
  const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    input: '\x04',
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(stdout).toContain('Nothing was written.');
  expect(status).toBe(1);
  expect(existsSync(join(home, '.config'))).toBe(false);
});
