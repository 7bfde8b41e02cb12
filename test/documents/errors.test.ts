import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
beforeAll(async () => {
  world = await openTestCheckpoint({
    files: { 'a.txt': 'one\ntwo\n', 'binary.bin': Uint8Array.from([0, 1, 2, 255]) },
    flags: { toolsets: ['agent-cli', 'assistant', 'vault', 'pipeline'] },
  });
});
afterAll(() => world.close());

/** Document 001: the inside of the machine is hidden, and messages are plain. */
test.each([
  ['read_file', { path: 'missing.txt' }],
  ['read_file', { path: 'a.txt/b' }],
  ['read_file', { path: 'binary.bin' }],
  ['read_file', { path: '../../etc/passwd' }],
  ['write_file', { path: 'a/../../b', content: '' }],
  ['edit_file', { path: 'missing.txt', old_string: 'a', new_string: 'b' }],
  ['edit_file', { path: 'a.txt', old_string: 'none', new_string: 'b' }],
  ['list_files', { path: 'missing' }],
  ['glob', { pattern: '[', path: '.' }],
  ['grep', { pattern: '(', path: '.' }],
  ['grep', { pattern: 'x', path: 'missing' }],
  ['file_read', { path: 'missing.txt' }],
  ['file_write', { path: 'a.txt', content: 'x' }],
  ['vault_read', { path: 'missing.md', full: true }],
  ['vault_create', { path: '.system/a.md', content: 'x' }],
  ['shelpa_pipe', { command: 'head missing.txt' }],
])('%s with %j names no path of the machine', async (tool, input) => {
  const reply = await world.call(tool, input);
  expect(reply.kind, JSON.stringify(reply)).toBe('error');
  expect(JSON.stringify(reply)).not.toContain(world.folder);
  expect(JSON.stringify(reply)).not.toMatch(/\bat .*\.ts:\d|node:internal|ENOENT|EINVAL/);
});
