import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeEvent } from './events.ts';
import { openHooks } from './open-hooks.ts';

const pre = (cwd: string, tool: string, input: unknown, more = {}) =>
  claudeEvent('PreToolUse', cwd, tool, input, more);
const post = (cwd: string, tool: string, input: unknown, more = {}) =>
  claudeEvent('PostToolUse', cwd, tool, input, more);

test('a shell command is replaced by one that runs behind our walls, once, and can be undone', async () => {
  await using hooks = await openHooks('claude', { files: { 'a.txt': 'old' } });
  const command = `echo new > a.txt; cat ${hooks.folder}/sekisho.jsonc; echo x >> ${hooks.folder}/sekisho.jsonc`;
  const before = readFileSync(join(hooks.folder, 'sekisho.jsonc'), 'utf8');
  const event = pre(hooks.root, 'Bash', { command, description: 'Try it', timeout: 5000 });

  const answer = await hooks.tell(event);
  const said = JSON.parse(hooks.say(answer, event).stdout).hookSpecificOutput;
  expect(said).toEqual({
    hookEventName: 'PreToolUse',
    permissionDecision: 'allow',
    updatedInput: {
      command: expect.stringMatching(/^run [0-9a-f]{32} echo new/),
      description: 'Try it',
      timeout: 5000,
    },
  });
  expect(readFileSync(join(hooks.root, 'a.txt'), 'utf8')).toBe('old');

  const reply = await hooks.run(command);
  expect(reply).toMatchObject({ kind: 'output', structured: { stdout: '', exit_code: expect.any(Number) } });
  expect(readFileSync(join(hooks.root, 'a.txt'), 'utf8')).toBe('new\n');
  expect(readFileSync(join(hooks.folder, 'sekisho.jsonc'), 'utf8')).toBe(before);
  expect(await hooks.run(command)).toBeUndefined();
  expect(await hooks.newest()).toMatchObject({ tool: 'bash', arguments: { command }, outcome: 'ok' });

  expect(await hooks.undo()).toEqual(['undone']);
  expect(readFileSync(join(hooks.root, 'a.txt'), 'utf8')).toBe('old');
});

test('a permit is for one command from one folder', async () => {
  await using hooks = await openHooks('claude', { files: { 'sub/a.txt': '' } });
  await hooks.tell(pre(hooks.root, 'Bash', { command: 'pwd' }));
  const permit = { permit: '0'.repeat(32), command: 'pwd', folder: hooks.root };
  const never = new AbortController().signal;
  expect(await hooks.gate.run(permit, never)).toBeUndefined();
  expect(await hooks.runAs({ command: 'pwd', folder: join(hooks.root, 'sub') })).toBeUndefined();
  expect(await hooks.runAs({ command: 'pwd', as: 'ls' })).toBeUndefined();
  expect(await hooks.run('pwd')).toMatchObject({ structured: { stdout: `${hooks.root}\n` } });
});

test('commands begin where the client works, and a folder lasts as it does in our shell', async () => {
  await using hooks = await openHooks('claude', { files: { 'sub/deep/a.txt': '' } });
  const sub = join(hooks.root, 'sub');
  const say = async (command: string, use: string) => {
    await hooks.tell(pre(sub, 'Bash', { command }, { tool_use_id: use }));
    return hooks.runAs({ command, folder: sub });
  };
  expect(await say('pwd', 'u1')).toMatchObject({ structured: { stdout: `${sub}\n` } });
  expect(await say('cd deep', 'u2')).toMatchObject({ structured: { exit_code: 0 } });
  expect(await say('pwd ', 'u3')).toMatchObject({ structured: { stdout: `${sub}/deep\n` } });
});

test('a client that works outside of the roots is told so, and nothing runs', async () => {
  await using hooks = await openHooks('claude');
  expect(await hooks.tell(pre(hooks.folder, 'Bash', { command: 'touch x' }))).toMatchObject({
    kind: 'deny',
    words: expect.stringContaining('a folder that was not allowed'),
  });
  expect(await hooks.newest()).toMatchObject({ tool: 'bash', code: 'out_of_scope' });
});

test('a file that the client writes is in the history as one of ours is', async () => {
  await using ours = await openHooks('claude', { files: { 'a.txt': 'old' } });
  await ours.call('write_file', { path: join(ours.root, 'a.txt'), content: 'new' });
  await ours.call('write_file', { path: join(ours.root, 'n/b.txt'), content: 'made' });
  await ours.call('edit_file', { path: join(ours.root, 'a.txt'), old_string: 'new', new_string: 'newer' });
  const expected = await ours.changes();

  await using theirs = await openHooks('claude', { files: { 'a.txt': 'old' } });
  const { root } = theirs;
  const use = async (tool: string, path: string, input: object, content: string) => {
    const whole = { file_path: join(root, path), ...input };
    expect(await theirs.tell(pre(root, tool, whole))).toEqual({ kind: 'allow', command: undefined });
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
    await theirs.tell(post(root, tool, whole));
  };
  await use('Write', 'a.txt', { content: 'new' }, 'new');
  await use('Write', 'n/b.txt', { content: 'made' }, 'made');
  await use('Edit', 'a.txt', { old_string: 'new', new_string: 'newer' }, 'newer');
  expect(await theirs.changes()).toEqual(expected);

  expect(await theirs.undo()).toEqual(['undone', 'undone', 'undone', 'undone']);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  expect(existsSync(join(root, 'n'))).toBe(false);
});

test('a tool of the client that failed is an error in the log, and what it left is in the history', async () => {
  await using hooks = await openHooks('claude', { files: { 'a.txt': 'old' } });
  const input = { file_path: join(hooks.root, 'a.txt'), content: 'new' };
  await hooks.tell(pre(hooks.root, 'Write', input));
  writeFileSync(input.file_path, 'half');
  await hooks.tell(claudeEvent('PostToolUseFailure', hooks.root, 'Write', input, { error: 'disk full' }));
  expect(await hooks.newest()).toMatchObject({ tool: 'write_file', outcome: 'error' });
  expect(await hooks.changes()).toMatchObject([{ path: 'a.txt', action: 'replace', after: { bytes: 4 } }]);
});

test.each(['Stop', 'UserPromptSubmit', 'SessionEnd'])(
  'what is open at %s ends as withdrawn',
  async (over) => {
    await using hooks = await openHooks('claude', { files: { 'a.txt': 'old' } });
    const input = { file_path: join(hooks.root, 'a.txt'), content: 'new' };
    await hooks.tell(pre(hooks.root, 'Write', input));
    await hooks.tell(pre(hooks.root, 'Bash', { command: 'touch b' }, { tool_use_id: 'u2' }));
    expect(hooks.gate.openCalls()).toBe(2);
    await hooks.tell(claudeEvent(over, hooks.root, '', {}));
    expect(hooks.gate.openCalls()).toBe(0);
    expect(await hooks.newest()).toMatchObject({ code: 'cancelled' });
    expect(await hooks.run('touch b')).toBeUndefined();
    expect(existsSync(join(hooks.root, 'b'))).toBe(false);
  },
);

test('a client that hangs up in the middle of a command ends it', async () => {
  await using hooks = await openHooks('claude');
  const command = 'sleep 60; touch late';
  await hooks.tell(pre(hooks.root, 'Bash', { command }));
  const gone = new AbortController();
  const running = hooks.run(command, gone.signal);
  await expect.poll(async () => (await hooks.checkpoint.rooms.commands()).counts().started).toBe(1);
  gone.abort();
  expect(await running).toMatchObject({ kind: 'error', code: 'cancelled' });
  expect(await hooks.newest()).toMatchObject({ tool: 'bash', code: 'cancelled' });
});

const rules = [
  { id: 'live', path: 'live/**', decision: 'ask' as const, because: 'Customers see it.' },
  { id: 'tag', command: ['git', 'tag'], decision: 'ask' as const, because: 'It is a release.' },
];

test('what policy asks is asked by the client in our words, and its person answers', async () => {
  await using hooks = await openHooks('claude', { config: { rules } });
  const input = { file_path: join(hooks.root, 'live/a.txt'), content: 'new' };
  const answer = await hooks.tell(pre(hooks.root, 'Write', input));
  expect(answer).toMatchObject({ kind: 'ask', words: expect.stringContaining('Customers see it.') });

  mkdirSync(join(hooks.root, 'live'));
  writeFileSync(input.file_path, 'new');
  await hooks.tell(post(hooks.root, 'Write', input));
  expect(await hooks.newest()).toMatchObject({ outcome: 'ok', rule: 'live', approver: 'client claude' });
  expect(await hooks.changes()).toMatchObject([
    { path: 'live', action: 'create' },
    { path: 'live/a.txt', action: 'create' },
  ]);
});

test('whose person does not answer has said no', async () => {
  await using hooks = await openHooks('claude', { config: { rules } });
  const command = 'git tag v1';
  const answer = await hooks.tell(pre(hooks.root, 'Bash', { command }));
  expect(answer).toMatchObject({ kind: 'ask', command: expect.stringContaining('run ') });
  await hooks.tell(claudeEvent('UserPromptSubmit', hooks.root, '', {}));
  expect(await hooks.newest()).toMatchObject({ outcome: 'error' });
  expect(await hooks.run(command)).toBeUndefined();
});

test.each(['bypassPermissions', 'dontAsk', 'auto', 'something-new'])(
  'in the mode %s the client is not believed to ask: the question waits elsewhere',
  async (permission_mode) => {
    await using hooks = await openHooks('claude', { config: { rules, approval: { waitMs: 50 } } });
    const input = { file_path: join(hooks.root, 'live/a.txt'), content: 'new' };
    expect(await hooks.tell(pre(hooks.root, 'Write', input, { permission_mode }))).toMatchObject({
      kind: 'deny',
      words: expect.stringContaining('sekisho approve'),
    });
  },
);

test('a link that leads outside is written by nobody', async () => {
  await using hooks = await openHooks('claude');
  symlinkSync(hooks.folder, join(hooks.root, 'out'));
  const input = { file_path: join(hooks.root, 'out/x'), content: 'new' };
  expect(await hooks.tell(pre(hooks.root, 'Write', input))).toMatchObject({ kind: 'deny' });
  expect(
    await hooks.tell(pre(hooks.root, 'Read', { file_path: join(hooks.root, 'out/sekisho.jsonc') })),
  ).toMatchObject({ kind: 'deny' });
});

test('what the client can do more than we is left to it: images, files that are not there', async () => {
  await using hooks = await openHooks('claude', { files: { 'a.png': new Uint8Array([137, 80, 78, 71, 0]) } });
  for (const name of ['a.png', 'missing.txt']) {
    const event = pre(hooks.root, 'Read', { file_path: join(hooks.root, name) }, { tool_use_id: name });
    expect(await hooks.tell(event)).toMatchObject({ kind: 'allow' });
  }
});

test.each(['TodoWrite', 'Agent', 'mcp__sekisho__write_file'])('%s is left to the client', async (tool) => {
  await using hooks = await openHooks('claude');
  const event = pre(hooks.root, tool, { anything: 1 });
  expect(hooks.say(await hooks.tell(event), event)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
});

test('a server that is told to stop waits for no client', async () => {
  const hooks = await openHooks('claude');
  await hooks.tell(pre(hooks.root, 'Bash', { command: 'touch b' }));
  await hooks.close();
  expect(hooks.gate.openCalls()).toBe(0);
});
