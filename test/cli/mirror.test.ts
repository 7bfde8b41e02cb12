import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';

let folder = '';
let root = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-mirror-'));
  root = join(folder, 'project');
  mkdirSync(root);
  await sekisho('call', 'shelpa_write', '{"path": "a.txt", "content": "one\\n"}', ...pipes, '--root', root);
  await sekisho(
    'call',
    'shelpa_pipe',
    '{"command": "tail -n 1 a.txt | tee b.txt"}',
    ...pipes,
    '--root',
    root,
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sekisho = (...args: string[]) =>
  runCommand([...args, '--state', join(folder, 'state')], folder, { HOME: folder });
const pipes = ['--profile', 'pipes', '--sandbox', 'off'];
const inMirror = (path: string) => join(root, '.shelpa', path);

function rewrite(path: string, from: string | RegExp, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

test('audit verify reads the mirror, whatever is served now', async () => {
  const { code, stdout } = await sekisho('audit', 'verify', '--root', root);
  expect(stdout).toMatch(/^2 entries, unbroken\. .*\n2 mirrored writes match\.\n$/);
  expect(code).toBe(0);
});

test.each([
  ['the index is gone', () => rmSync(inMirror('index.jsonl')), "lacks 2 of the log's writes"],
  ['all of it is gone', () => rmSync(inMirror(''), { recursive: true }), "lacks 2 of the log's writes"],
  [
    'the last line is gone',
    () => rewrite(inMirror('index.jsonl'), /[^\n]*\n$/, ''),
    "lacks 1 of the log's writes",
  ],
  [
    'a write has other content, and an index that fits it',
    () => {
      rewrite(inMirror('a.txt'), 'one', 'two');
      const two = '27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a';
      rewrite(inMirror('index.jsonl'), /(?<="sha256":")[0-9a-f]+/, two);
    },
    'is not what the log has (call ',
  ],
  [
    'a write is told of another file',
    () => {
      cpSync(inMirror('a.txt'), inMirror('c.txt'));
      rewrite(inMirror('index.jsonl'), '"path":"a.txt"', '"path":"c.txt"');
    },
    'of c.txt is not what the log has (call ',
  ],
])('audit verify tells when %s', async (_what, spoil, problem) => {
  spoil();
  for (const flags of [[], pipes]) {
    const { code, stdout } = await sekisho('audit', 'verify', '--root', root, ...flags);
    expect(stdout).toContain('2 entries, unbroken.');
    expect(stdout).toMatch(/\nThe mirror does not match: /);
    expect(stdout).toContain(problem);
    expect(code).toBe(1);
  }
});

test('audit verify reads the mirror of a root that is served no more, and says where one is gone', async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  const verify = () => sekisho('audit', 'verify', '--root', other, '--json');
  expect(JSON.parse((await verify()).stdout)).toMatchObject({ ok: true, mirror: { ok: true, records: 2 } });

  appendFileSync(inMirror('a.txt'), 'more');
  expect(await verify()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`${root}: the mirror of a.txt`),
  });

  rmSync(root, { recursive: true });
  mkdirSync(root);
  expect(await verify()).toMatchObject({ code: 1 });

  rmSync(root, { recursive: true });
  const { code, stdout } = await verify();
  expect(JSON.parse(stdout).mirror).toEqual({
    ok: true,
    records: 0,
    unreachable: { records: 2, roots: [root] },
  });
  expect(code).toBe(0);
});

test('an index may know of writes that this log does not: another server made them', async () => {
  const elsewhere = ['--root', root, '--state', join(folder, 'state-2')];
  await runCommand(
    ['call', 'shelpa_write', '{"path": "z.txt", "content": ""}', ...pipes, ...elsewhere],
    folder,
    {
      HOME: folder,
    },
  );
  expect((await sekisho('audit', 'verify', '--root', root)).stdout).toContain('3 mirrored writes match.');
});
