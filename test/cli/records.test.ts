import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';

let folder = '';
let root = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-records-'));
  root = join(folder, 'project');
  mkdirSync(root);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sekisho = (...args: string[]) => runCommand(args, root, { HOME: folder });

describe('policy test says what would happen, and runs nothing', () => {
  test.each([
    ['echo hello', 0, 'allow'],
    ['kill 123', 1, 'ask'],
    ['git push origin main', 1, 'ask (rule sends)'],
    ['rm -rf build', 2, 'deny'],
  ])('%s', async (command, code, decision) => {
    const call = JSON.stringify({ tool: 'shell_exec', arguments: { command } });
    expect(await sekisho('policy', 'test', call)).toMatchObject({
      code,
      stdout: expect.stringContaining(decision),
    });
    expect((await sekisho('audit', 'tail')).stdout).toBe('');
  });

  test('names the rule of the operator', async () => {
    const config = join(folder, 'c.jsonc');
    writeFileSync(
      config,
      '{"rules": [{"id": "no-drafts", "path": "drafts/**", "decision": "deny", "because": "Drafts are mine."}]}',
    );
    const call = '{"tool": "file_write", "arguments": {"path": "drafts/a.md", "content": ""}}';
    const { code, stdout } = await sekisho('policy', 'test', call, '--config', config);
    expect(code).toBe(2);
    expect(stdout).toContain('no-drafts');
    expect((await sekisho('policy', 'explain', '--config', config)).stdout).toContain('no-drafts');
  });

  test('show lists whom commands may reach, sets in full', async () => {
    const config = join(folder, 'c.jsonc');
    writeFileSync(config, '{"process": {"network": ["pypi", "files.example.com"]}}');
    const { stdout } = await sekisho('policy', 'show', '--config', config);
    expect(stdout).toContain(
      '\n  pypi: pypi.org, files.pythonhosted.org\n  process.network: files.example.com\n',
    );
  });

  test('says what would be tried first', async () => {
    const config = join(folder, 'c.jsonc');
    writeFileSync(
      config,
      '{"rules": [{"id": "look", "command": ["make"], "decision": "try", "because": "It writes everywhere."}]}',
    );
    const call = JSON.stringify({ tool: 'shell_exec', arguments: { command: 'make' } });
    const { code, stdout } = await sekisho('policy', 'test', call, '--config', config);
    // Where no layer can be had it is asked about, and says so.
    expect({ code, stdout }).toMatchObject(
      code === 4
        ? {
            stdout: expect.stringMatching(
              /^try \(rule look\): .*\nThe rule is written at: .*\nIt runs on a layer first/,
            ),
          }
        : { code: 1, stdout: expect.stringContaining('it is not tried first') },
    );
  });

  test('of effects that are written down, by the rules about them', async () => {
    const config = join(folder, 'c.jsonc');
    writeFileSync(config, '{"rules": [{"effect": {"outside": ["src/**"]}, "then": "deny"}]}');
    const file = join(folder, 'effects.json');
    const tried = async (effects: unknown, ...more: string[]) => {
      writeFileSync(file, JSON.stringify(effects));
      return sekisho('policy', 'test', '--effects', file, '--config', config, ...more);
    };
    const removed = { change: 'deleted', path: 'src/old', kind: 'folder', files: 21 };
    expect(await tried([{ change: 'changed', path: 'src/a.ts' }])).toMatchObject({ code: 0 });
    expect(await tried([removed])).toMatchObject({
      code: 1,
      stdout: 'ask (rule effect-loses-many): it deletes or overwrites 21 files that nothing else keeps\n',
    });
    expect(await tried([{ change: 'created', path: 'b' }], '--json')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('"rule":"rules[0]"'),
    });
    for (const effects of [{}, [{ change: 'gone', path: 'a' }], [{ path: 'a' }]])
      expect(await tried(effects)).toMatchObject({ code: 2, stderr: expect.stringContaining('JSON list') });
    expect(await sekisho('policy', 'test')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--effects'),
    });
    expect((await sekisho('policy', 'show', '--config', config)).stdout).toContain(
      'deny  rules[0]: {"outside":["src/**"]}',
    );
  });

  test.each([
    [
      { effect: { deletes: 'many' }, then: 'ask' },
      /rules\.0\.effect\.deletes: must look like "> 20 files", got "many"/,
    ],
    [{ effect: {}, then: 'ask' }, /rules\.0\.effect: must name deletes, writes or outside/],
    [{ effect: { writes: 'a' }, then: 'maybe' }, /rules\.0\.then: .*"maybe"/],
    [{ effect: { writes: 'a' } }, /rules\.0\.then is missing/],
    [{ effect: { reads: 'a' }, then: 'ask' }, /rules\.0\.effect\.reads is not a setting/],
    [{ tool: 'bash', decision: 'deny' }, /rules\.0\.because is missing/],
    [
      { tool: 'bash', command: 'docker', decision: 'deny', because: 'not here' },
      /rules\.0\.command: must be of type array, got "docker"/,
    ],
    [
      { effect: { deletes: '> 1 file' }, then: 'allow' },
      /rules\[0\]: an effect with "then": "allow" can only use writes/,
    ],
  ])('a rule that is none stops every start, by its key: %j', async (rule, problem) => {
    const config = join(folder, 'c.jsonc');
    writeFileSync(config, JSON.stringify({ rules: [rule] }));
    const { code, stderr } = await sekisho('serve', '--config', config);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(problem) });
  });

  test('a rule that fails its own examples stops every start', async () => {
    const config = join(folder, 'c.jsonc');
    const rule = {
      tool: 'shell_exec',
      command: ['git', 'push'],
      decision: 'deny',
      because: 'No.',
      match: ['git pull'],
    };
    writeFileSync(config, JSON.stringify({ rules: [rule] }));
    expect(await sekisho('serve', '--config', config)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('git pull'),
    });
  });
});

test('memories leave and come back as JSON Lines, to another user and store', async () => {
  const toolsets = ['--toolsets', 'assistant'];
  await sekisho('call', 'remember', '{"content":"好きな色は青","tags":["preference"]}', ...toolsets);
  await sekisho('call', 'remember', '{"content":"The deploy key is in the safe."}', ...toolsets);
  const { stdout } = await sekisho('memory', 'export');
  expect(stdout.trim().split('\n')).toHaveLength(2);
  const file = join(folder, 'memories.jsonl');
  writeFileSync(file, stdout);
  const there = ['--state', join(folder, 'other'), '--user', 'alice'];
  expect(await sekisho('memory', 'import', file, ...there)).toMatchObject({
    code: 0,
    stdout: '2 stored, 0 already there.\n',
  });
  expect(await sekisho('memory', 'import', file, ...there)).toMatchObject({
    stdout: '0 stored, 2 already there.\n',
  });
  expect((await sekisho('memory', 'export', ...there)).stdout).toBe(stdout);
  expect((await sekisho('memory', 'import', join(folder, 'none.jsonl'))).code).toBe(2);
});

test('records move to another store, and their chain still verifies', async () => {
  const state = join(folder, 'state');
  await sekisho('call', 'help', '{}', '--state', state);
  await sekisho('token', 'create', '--user', 'alice', '--state', state);
  const copied = await sekisho(
    'store',
    'copy',
    `sqlite:${state}/sekisho.db`,
    `sqlite:${state}/new.db`,
    '--state',
    state,
  );
  expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/audit\t2\n/) });
  const config = join(folder, 'c.jsonc');
  writeFileSync(config, JSON.stringify({ store: { url: `sqlite:${state}/new.db` } }));
  expect(await sekisho('audit', 'verify', '--config', config, '--state', state)).toMatchObject({ code: 0 });
  expect((await sekisho('token', 'list', '--config', config, '--state', state)).stdout).toContain('alice');
  expect((await sekisho('store', 'copy', 'old.db', 'new.db')).code).toBe(2);
});
