import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientNames } from '../../src/cli/clients.ts';
import { needs, programs } from '../support/needs.ts';
import { runCommand } from '../support/run-command.ts';

let folder = '';
let root = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-cli-'));
  root = join(folder, 'project');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sekisho = (...args: string[]) => runCommand(args, root, { HOME: folder });

describe('call', () => {
  test('prints what the tool says, and exits 0', async () => {
    expect(await sekisho('call', 'file_read', '{"path":"a.txt"}')).toMatchObject({
      code: 0,
      stdout: 'one\ntwo\n',
    });
  });

  test('prints data with --json', async () => {
    const { stdout } = await sekisho('call', 'file_read', '{"path":"a.txt"}', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ content: 'one\ntwo\n', encoding: 'utf-8' });
  });

  test('reaches a tool of any toolset, unless the operator chose what is served', async () => {
    expect(await sekisho('call', 'vault_create', '{"path":"n.md","content":"x"}', '--json')).toMatchObject({
      code: 0,
      stdout: '{"written_path":"n.md","written_bytes":1}\n',
    });
    expect(await sekisho('call', 'vault_read', '{"path":"n.md"}', '--toolsets', 'agent-cli')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not_found'),
    });
  });

  test('exits 1 where the tool fails, 2 where it is refused or the arguments are no JSON', async () => {
    expect(await sekisho('call', 'file_read', '{"path":"b.txt"}')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not_found'),
    });
    expect(await sekisho('call', 'file_read', '{"path":"/etc/hostname"}')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--allow-path'),
    });
    expect(await sekisho('call', 'file_read', 'a.txt')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('JSON object'),
    });
  });
});

describe('settings that cannot be meant stop the start and name themselves', () => {
  test.each([
    [['--root', '/nonexistent'], '/nonexistent'],
    [['--toolsets', 'agent-cli,nope'], 'nope'],
    [['--mode', 'yolo'], 'yolo'],
    [['--config', 'missing.jsonc'], 'missing.jsonc'],
    [['--no-such-option'], '--no-such-option'],
  ])('%j', async (args, named) => {
    const { code, stderr } = await sekisho('tools', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(named);
    expect(stderr).not.toContain('    at ');
  });

  test.each([
    ['{ "roots": "here" }', 'roots'],
    ['{ "toolset": ["vault"] }', 'toolset is not a setting'],
    ['{ "http": { "port": 99999 } }', 'http.port'],
    ['{ "mode": "workspace-write" ', 'line 1: not JSON with comments: close brace expected.'],
    ['{ "vault": { "hardMaxChars": "10mb" }, "toolsets": ["vault"] }', 'vault.hardMaxChars'],
    ['{ "assistant": { "timeZone": "Mars/Olympus" } }', 'assistant.timeZone'],
    ['{ "store": { "url": "mysql://x" } }', 'store.url'],
    ['{ "rules": [{ "tool": "a", "decision": "deny" }] }', 'rules.0.because'],
    ['{ "rules": [{ "purpose": "taks", "decision": "deny", "because": "x" }] }', 'rules.0.purpose'],
    ['{ "state": "%ROOT%/state" }', 'state must be outside'],
  ])('%s', async (words, named) => {
    const config = join(folder, 'sekisho.jsonc');
    writeFileSync(config, words.replace('%ROOT%', root));
    const { code, stderr } = await sekisho('tools', '--config', config);
    expect(code).toBe(2);
    expect(stderr).toContain(named);
  });

  test('a file in the workspace configures nothing', async () => {
    writeFileSync(join(root, 'sekisho.jsonc'), '{ "mode": "full-access", "toolsets": ["vault"] }');
    const { stdout } = await sekisho('tools');
    expect(stdout).toContain('file_read');
    expect(stdout).not.toContain('vault_read');
  });
});

test('a token is shown once, listed without its secret, and revoked', async () => {
  const made = JSON.parse(
    (await sekisho('token', 'create', '--user', 'alice', '--expires', '30d', '--json')).stdout,
  ) as {
    token: string;
    id: string;
  };
  const listed = await sekisho('token', 'list');
  expect(listed.stdout).toContain(made.id);
  expect(listed.stdout).not.toContain(made.token);
  expect(await sekisho('token', 'revoke', made.id)).toMatchObject({ code: 0 });
  expect(await sekisho('token', 'revoke', made.id)).toMatchObject({ code: 1 });
});

test('the audit log shows calls of other processes, and verifies', async () => {
  await sekisho('call', 'file_read', '{"path":"a.txt"}');
  await sekisho('call', 'file_read', '{"path":"missing.txt"}');
  const { stdout } = await sekisho('audit', 'tail', '--json');
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { outcome: string });
  expect(entries.map((entry) => entry.outcome)).toEqual(['ok', 'error']);
  expect(await sekisho('audit', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 entries'),
  });
});

describe('init', () => {
  test.each(clientNames)('writes a configuration that loads, and the lines for %s', async (client) => {
    const out = join(folder, `${client}.jsonc`);
    const { code, stdout } = await sekisho('init', '--yes', '--client', client, '--out', out);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('sekisho') });
    expect(readFileSync(out, 'utf8')).toContain(root);
    expect(await sekisho('tools', '--config', out)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('edit_file'),
    });
  });

  test('keeps what stands in a file, and replaces a project only if told to', async () => {
    const out = join(folder, 'mine.jsonc');
    writeFileSync(out, '{ "mode": "read-only" }');
    expect(await sekisho('init', '--yes', '--out', out)).toMatchObject({ code: 0 });
    expect(readFileSync(out, 'utf8')).toContain('"mode": "read-only"');
    expect(await sekisho('init', '--yes', '--out', out)).toMatchObject({ code: 2 });
    expect(await sekisho('init', '--yes', '--force', '--out', out)).toMatchObject({ code: 0 });
  });
});

describe('completion', () => {
  test('bash completes commands and their options', needs(programs('bash')), async () => {
    const { stdout } = await sekisho('completion', 'bash');
    const script = `${stdout}\nCOMP_WORDS=(sekisho token cr); COMP_CWORD=2; _sekisho; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim()).toBe('create');
  });

  test('names every command in zsh and fish too', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await sekisho('completion', shell);
      for (const name of ['serve', 'audit', 'approve', 'doctor']) expect(stdout).toContain(name);
    }
    expect(await sekisho('completion', 'cmd')).toMatchObject({ code: 2 });
  });
});

test('an undo of what never was says so, and where to look', async () => {
  expect(await sekisho('undo', 'nope')).toMatchObject({
    code: 1,
    stdout: 'There is no change nope. `sekisho history` lists what was changed.\n',
  });
});

test('help and the version exit 0', async () => {
  expect(await sekisho('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('serve') });
  expect(await sekisho('--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
