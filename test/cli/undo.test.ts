import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';

let folder = '';
let root = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-undo-'));
  root = join(folder, 'project');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(root, 'b.txt'), Uint8Array.of(0, 1, 2));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sekisho = (...args: string[]) => runCommand(args, root, { HOME: folder });

function write(path: string, content: string) {
  return sekisho('call', 'file_write', JSON.stringify({ path, content, overwrite: true }));
}

test('history lists a change, diff shows it, undo takes it back, and its own line brings it back', async () => {
  await write('a.txt', 'one\n2\n');
  const listed = await sekisho('history', 'a.txt', '--json');
  expect(listed.code).toBe(0);
  const { id } = JSON.parse(listed.stdout) as { id: string };
  const diff = await sekisho('diff', id);
  expect(diff.stdout).toContain('-two\n+2\n');
  const undone = await sekisho('undo', id);
  expect(undone.code).toBe(0);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  const twice = await sekisho('undo', id);
  expect(twice).toMatchObject({ code: 1, stdout: expect.stringContaining(`${id} has already been undone.`) });
  expect(twice.stdout).toMatch(/`sekisho undo h[0-9a-f]{14}` redoes it/);
  const again = /sekisho (undo --session \S+)`/.exec(undone.stdout)?.[1]?.split(' ') ?? [];
  expect((await sekisho(...again)).code).toBe(0);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n2\n');
  const audit = await sekisho('audit', 'search', 'sekisho undo');
  expect(audit.stdout).toContain('sekisho undo');
});

test('a change by hand stops it with exit code 1 and says so; --force goes on', async () => {
  await write('a.txt', 'agent\n');
  writeFileSync(join(root, 'a.txt'), 'by hand\n');
  const stopped = await sekisho('undo', '--since', '1h');
  expect(stopped).toMatchObject({ code: 1, stdout: expect.stringContaining('a.txt: changed since') });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('by hand\n');
  expect((await sekisho('undo', '--since', '1h', '--force')).code).toBe(0);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});

test('what stands in the way of one file does not keep the others, with --force', async () => {
  await write('d/e/f.txt', 'first\n');
  await write('a.txt', 'agent\n');
  await write('d/e/f.txt', 'second\n');
  rmSync(join(root, 'd/e'), { recursive: true });
  writeFileSync(join(root, 'd/e'), 'by hand\n');
  const stopped = await sekisho('undo', '--since', '1h');
  expect(stopped).toMatchObject({ code: 1, stdout: expect.stringContaining('d/e is not a folder') });
  expect(stopped.stdout).toMatch(/^h[0-9a-f]{14} {2}d\/e\/f\.txt: cannot be undone/);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('agent\n');
  const forced = await sekisho('undo', '--since', '1h', '--force');
  expect(forced).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/--session undo-\w+` redoes it/),
  });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});

test('binary content is said to be so, and what cannot be meant is exit code 2', async () => {
  await write('b.txt', 'text now\n');
  const { id } = JSON.parse((await sekisho('history', '--json')).stdout) as { id: string };
  expect((await sekisho('diff', id)).stdout).toContain('b.txt: binary');
  expect((await sekisho('diff', 'h0')).code).toBe(1);
  expect((await sekisho('undo', 'h0', '--since', '1h')).code).toBe(2);
  expect((await sekisho('undo', id, '--since', '1h')).code).toBe(2);
});

test('without a word undo shows the last call, and takes it back only where that is agreed to', async () => {
  expect(await sekisho('undo')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('nothing to undo'),
  });
  await write('a.txt', 'earlier\n');
  await write('c.txt', 'last\n');
  const shown = await sekisho('undo');
  expect(shown.code).toBe(1);
  expect(shown.stderr).toMatch(/The last call that changed something, file_write at .*:\n {2}created c\.txt/);
  expect(shown.stderr).toContain('Nothing was undone. Add --yes to undo it.');
  expect(readFileSync(join(root, 'c.txt'), 'utf8')).toBe('last\n');

  expect((await sekisho('undo', '--yes')).code).toBe(0);
  expect([existsSync(join(root, 'c.txt')), readFileSync(join(root, 'a.txt'), 'utf8')]).toEqual([
    false,
    'earlier\n',
  ]);
  // What was taken back is not the last call any more, and neither is the undo.
  expect((await sekisho('undo', '--yes')).code).toBe(0);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});
