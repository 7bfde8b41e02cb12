import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerEvent } from '../../src/cli/hook/answer.ts';
import { adapters } from '../../src/hooks/adapters.ts';
import { claudeEvent, cursorEvent } from './events.ts';
import { openHooks } from './open-hooks.ts';

const cursor = adapters.get('cursor');
const read = (tool: string, input: unknown, more = {}) =>
  cursor?.read(cursorEvent('preToolUse', '/repo', tool, input, more));

test.each([
  ['Write', { file_path: '/repo/a', content: 'x' }, 'write_file', { path: '/repo/a', content: 'x' }],
  ['Write', { path: 'a', contents: 'x' }, 'write_file', { path: '/repo/a', content: 'x' }],
  [
    'StrReplace',
    { path: 'a', old_string: 'x', new_string: 'y' },
    'edit_file',
    { path: '/repo/a', old_string: 'x', new_string: 'y' },
  ],
  ['Delete', { file_path: '/repo/a' }, 'write_file', { path: '/repo/a', content: '' }],
  ['Read', { path: '/etc/passwd', offset: 3 }, 'read_file', { path: '/etc/passwd' }],
  ['Grep', { pattern: 'x', file_path: '/etc' }, 'grep', { pattern: 'x', path: '/etc' }],
  ['Glob', { glob_pattern: '*.ts', target_directory: 'src' }, 'glob', { pattern: '*.ts', path: '/repo/src' }],
])('%s %j is judged as %s', (tool, input, ours, fields) => {
  expect(read(tool, input)).toMatchObject({ calls: [{ tool: ours, input: fields }] });
});

test.each([
  ['Write', { path: 'a', file_path: 'b', contents: 'x' }],
  ['Write', { path: 'a' }],
  ['Delete', {}],
  ['Delete', { path: ['a'] }],
  ['GenerateImage', { path: 'a' }],
])('%s %j is not known', (tool, input) => {
  expect(read(tool, input)).toMatchObject({ calls: [{ does: 'unknown' }] });
});

test('a command begins in the folder that is named, else in that of the event, else in the workspace', () => {
  const folder = (input: object, more: object = {}) =>
    (read('Shell', { command: 'pwd', ...input }, more) as unknown as { calls: [{ folder: string }] }).calls[0]
      .folder;
  expect(folder({})).toBe('/repo');
  expect(folder({ cwd: '' }, { cwd: '/repo/sub' })).toBe('/repo/sub');
  expect(folder({ working_directory: 'deep' }, { cwd: '/repo/sub' })).toBe('/repo/sub/deep');
  expect(folder({ working_directory: '/repo/other', cwd: '/repo/x' })).toBe('/repo/other');
});

test('a use is answered the same by each hook that tells of it, and its command runs once', async () => {
  await using hooks = await openHooks('cursor', { files: { 'a.txt': 'old' } });
  const command = 'echo new >> a.txt';
  const event = JSON.stringify(cursorEvent('preToolUse', hooks.root, 'Shell', { command }));
  // Cursor starts the hooks of Claude Code too, with its own event.
  const [own, other] = await Promise.all(
    ['cursor', 'claude'].map((client) =>
      answerEvent({ client, args: [], event, folder: hooks.root }, hooks.projects, 'en'),
    ),
  );
  expect(own).toEqual(other);
  expect(JSON.parse(own?.stdout ?? '')).toMatchObject({ permission: 'allow' });
  await hooks.run(command);
  expect(await hooks.run(command)).toBeUndefined();
  expect(readFileSync(join(hooks.root, 'a.txt'), 'utf8')).toBe('oldnew\n');
  expect(await hooks.newest()).toMatchObject({ tool: 'bash', arguments: { command }, outcome: 'ok' });
  expect(await hooks.undo()).toEqual(['undone']);
});

test('an event of Claude Code is none of Cursor, nor the other way round', async () => {
  await using hooks = await openHooks('cursor');
  const event = JSON.stringify(claudeEvent('PreToolUse', hooks.root, 'Bash', { command: 'touch x' }));
  const said = await answerEvent(
    { client: 'cursor', args: [], event, folder: hooks.root },
    hooks.projects,
    'en',
  );
  expect(JSON.parse(said.stdout)).toMatchObject({
    permission: 'deny',
    user_message: expect.stringContaining('not a valid hook event of Cursor'),
  });
  expect(existsSync(join(hooks.root, 'x'))).toBe(false);
});

test('the end of a turn lets the person go on', async () => {
  await using hooks = await openHooks('cursor');
  for (const name of ['beforeSubmitPrompt', 'stop', 'sessionEnd']) {
    const event = JSON.stringify(cursorEvent(name, hooks.root, '', {}));
    const said = await answerEvent(
      { client: 'cursor', args: [], event, folder: hooks.root },
      hooks.projects,
      'en',
    );
    expect(said).toEqual({ stdout: '{"continue":true}\n', stderr: '', exitCode: 0 });
  }
});
