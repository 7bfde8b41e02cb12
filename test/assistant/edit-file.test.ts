import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import encodingJapanese from 'encoding-japanese';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { openWorld } from './world.ts';

let world: ReturnType<typeof openWorld>;
afterEach(() => world.close());

const bytesOf = (path: string) => readFileSync(join(world.root, path));
const textOf = (path: string) => bytesOf(path).toString('utf8');
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { code: string; message: string; details?: unknown }) => error,
  );
const sjis = (words: string) =>
  Buffer.from(
    encodingJapanese.convert(encodingJapanese.stringToCode(words), { from: 'UNICODE', to: 'SJIS' }),
  );
const eucjp = (words: string) =>
  Buffer.from(
    encodingJapanese.convert(encodingJapanese.stringToCode(words), { from: 'UNICODE', to: 'EUCJP' }),
  );

test('one occurrence is replaced, and the reply shows the diff', async () => {
  world = openWorld({ 'a.txt': 'one\ntwo\nthree\n' });
  const reply = await world.call('edit_file', { path: 'a.txt', old_string: 'two', new_string: '2' });
  expect(textOf('a.txt')).toBe('one\n2\nthree\n');
  expect(reply.replacements).toBe(1);
  expect(reply.diff).toBe('--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
});

test('the diff of a change far down names the right lines', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`);
  world = openWorld({ 'a.txt': `${lines.join('\n')}\n` });
  const reply = await world.call('edit_file', {
    path: 'a.txt',
    old_string: 'line 4000\n',
    new_string: 'changed\nadded\n',
  });
  expect(reply.diff).toContain(
    '@@ -3997,7 +3997,8 @@\n line 3997\n line 3998\n line 3999\n-line 4000\n+changed\n+added\n line 4001',
  );
});

test('many calls at once, each for its own part of the file, are all made', async () => {
  const parts = Array.from({ length: 30 }, (_, index) => `<${index}>`);
  world = openWorld({ 'a.txt': parts.join('\n') });
  const edit = (part: string) =>
    world.call('edit_file', { path: 'a.txt', old_string: part, new_string: `${part}!` });
  const writes = parts.map((part, index) => (index === 7 ? edit('not there').catch(() => {}) : edit(part)));
  await Promise.all(writes);
  expect(textOf('a.txt')).toBe(parts.map((part, index) => (index === 7 ? part : `${part}!`)).join('\n'));
});

test('special sequences of a replacement mean nothing', async () => {
  world = openWorld({ 'a.txt': 'x = y' });
  await world.call('edit_file', { path: 'a.txt', old_string: 'y', new_string: "$& $1 $$ $` $' \\n" });
  expect(textOf('a.txt')).toBe("x = $& $1 $$ $` $' \\n");
});

test('several occurrences are named by line, and none is changed', async () => {
  world = openWorld({ 'a.txt': 'x\ny\nx\nx x\n' });
  const error = await errorOf(world.call('edit_file', { path: 'a.txt', old_string: 'x', new_string: 'z' }));
  expect(error).toMatchObject({ code: 'conflict', details: { lines: [1, 3, 4, 4] } });
  expect(textOf('a.txt')).toBe('x\ny\nx\nx x\n');
});

test('replace_all replaces every one', async () => {
  world = openWorld({ 'a.txt': 'x\ny\nx\nx x\n' });
  const reply = await world.call('edit_file', {
    path: 'a.txt',
    old_string: 'x',
    new_string: 'xx',
    replace_all: true,
  });
  expect(reply.replacements).toBe(4);
  expect(textOf('a.txt')).toBe('xx\ny\nxx\nxx xx\n');
});

test.each([
  ['', 'x', 'invalid_parameter'],
  ['a', 'a', 'invalid_parameter'],
  ['absent words', 'x', 'not_found'],
])('old_string %j with new_string %j is %s', async (old_string, new_string, code) => {
  world = openWorld({ 'a.txt': 'a' });
  expect(await errorOf(world.call('edit_file', { path: 'a.txt', old_string, new_string }))).toMatchObject({
    code,
  });
  expect(textOf('a.txt')).toBe('a');
});

describe('a miss names the closest place and what differs', () => {
  test.each([
    ['if (x) {\n\treturn 1;\n}\n', 'if (x) {\n    return 1;\n}', 'white space', 1, 3],
    ['a = 1  \nb = 2\n', 'a = 1\nb = 2', 'white space', 1, 2],
    ['say “hello” now\n', 'say "hello" now', 'quotes', 1, 1],
    ['pages 3–5 only\n', 'pages 3-5 only', 'quotes or dashes', 1, 1],
    ['Const Port = 80;\n', 'const port = 80;', 'letter case', 1, 1],
    ['ＡＢＣ商会\n', 'ABC商会', 'width', 1, 1],
    ['function open(path, mode, flags) {\n', 'function open(path, mode) {', 'words', 1, 1],
    ['if (x) {\n\treturn 1;\n}\n', '1\tif (x) {\n2\t\treturn 1;', 'line numbers', 1, 2],
    ['a\nlet b;\n', '  2: let b;\n', 'line numbers', 2, 2],
    ['if (x) {\n\treturn "1";\n}\n', 'if (x) {\\n\\treturn \\"1\\";', 'escapes', 1, 2],
    [`${'x\n'.repeat(1000)}const limit = 10;\n`, 'const  limit=10;', 'white space', 1001, 1001],
  ])('in %j for %j', async (content, old_string, differs, start_line, end_line) => {
    world = openWorld({ 'a.txt': content });
    const error = await errorOf(world.call('edit_file', { path: 'a.txt', old_string, new_string: 'x' }));
    expect(error).toMatchObject({ code: 'not_found', details: { start_line, end_line } });
    expect(error?.message).toContain(differs);
    expect(textOf('a.txt')).toBe(content);
  });

  test('a huge file and a huge string are answered', async () => {
    world = openWorld({ 'a.txt': 'some words on a line\n'.repeat(200_000) });
    const error = await errorOf(
      world.call('edit_file', {
        path: 'a.txt',
        old_string: 'other words on lines\n'.repeat(10_000),
        new_string: 'x',
      }),
    );
    expect(error?.code).toBe('not_found');
  }, 60_000);
});

describe('line endings stay', () => {
  test.each([
    ['a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['a\r\nb\r\n', 'b', 'b\nc', 'a\r\nb\r\nc\r\n'],
    ['a\r\nb\r\n', 'a\r\nb', 'x\ny', 'x\r\ny\r\n'],
    ['a\nb\nc\r\n', 'a\nb', 'x\ny', 'x\ny\nc\r\n'],
    ['a\nb\n', 'a', 'x\r\ny', 'x\r\ny\nb\n'],
    ['a\nb', 'b', 'c', 'a\nc'],
    ['a\r\n\r\nb', '\n\n', '\n', 'a\r\nb'],
    ['a\r\nb\nc\r\nd\n', 'b\nc\nd', 'B\nC\nD', 'a\r\nB\nC\r\nD\n'],
    ['a\r\nb\nc\r\nd\n', 'a\nb\nc\n', 'x\ny\nz\nzz\n', 'x\r\ny\nz\r\nzz\r\nd\n'],
    ['a\r\nb\r\nc', '\nb', '', 'a\r\nc'],
    ['a\nb\nc\n', 'a\r\nb', 'x\r\ny', 'x\ny\nc\n'],
    ['a\r\nb\r\n.\na\nb\n', 'a\nb', 'x\ny', 'a\r\nb\r\n.\nx\ny\n'],
    ['a\nb\r\nc', 'c', 'd\ne', 'a\nb\r\nd\r\ne'],
  ])('%j: %j becomes %j', async (content, old_string, new_string, expected) => {
    world = openWorld({ 'a.txt': content });
    await world.call('edit_file', { path: 'a.txt', old_string, new_string });
    expect(textOf('a.txt')).toBe(expected);
  });
});

test('with replace_all both kinds of line endings are met, and each stays as it is', async () => {
  world = openWorld({ 'a.txt': 'a\r\nb\r\n-\na\nb\n' });
  const reply = await world.call('edit_file', {
    path: 'a.txt',
    old_string: 'a\nb\n',
    new_string: 'x\ny\n',
    replace_all: true,
  });
  expect(reply.replacements).toBe(2);
  expect(textOf('a.txt')).toBe('x\r\ny\r\n-\nx\ny\n');
});

test('a replacement that would grow without bounds is refused before it is made', async () => {
  world = openWorld({ 'a.txt': 'x'.repeat(200_000) });
  const error = await errorOf(
    world.call('edit_file', {
      path: 'a.txt',
      old_string: 'x',
      new_string: 'y'.repeat(100_000),
      replace_all: true,
    }),
  );
  expect(error?.code).toBe('too_large');
  expect(textOf('a.txt')).toBe('x'.repeat(200_000));
});

describe('what was not touched keeps its bytes', () => {
  test('the byte order mark of UTF-8', async () => {
    world = openWorld({ 'a.txt': Buffer.from('\ufeffone two') });
    await world.call('edit_file', { path: 'a.txt', old_string: 'one', new_string: '1' });
    expect(bytesOf('a.txt')).toEqual(Buffer.from('\ufeff1 two'));
  });

  test.each(['utf16le', 'utf16be'])('%s', async (kind) => {
    const write = (words: string) => {
      const bytes = Buffer.from(`\ufeff${words}`, 'utf16le');
      return kind === 'utf16le' ? bytes : bytes.swap16();
    };
    world = openWorld({ 'a.txt': write('一つ two 😀\r\n') });
    await world.call('edit_file', { path: 'a.txt', old_string: 'two', new_string: '二つ' });
    expect(bytesOf('a.txt')).toEqual(write('一つ 二つ 😀\r\n'));
  });

  test.each([
    ['shift_jis', sjis],
    ['euc-jp', eucjp],
  ] as const)('%s', async (_name, write) => {
    const before = '関所を通る旅人は、手形を見せる。\nそうでない者は戻される。\nここは変わらない。\n';
    world = openWorld({ 'a.txt': write(before) });
    await world.call('edit_file', { path: 'a.txt', old_string: '手形', new_string: '通行証' });
    expect(bytesOf('a.txt')).toEqual(write(before.replace('手形', '通行証')));
  });

  test('characters that Shift_JIS can write in two ways stay as they were written', async () => {
    // ≒ as 81 E0 and as the NEC copy 87 90: a round trip would make them one.
    const twice = Buffer.concat([
      sjis('これは日本語の文章です。記号は'),
      Buffer.from([0x81, 0xe0, 0x87, 0x90, 0x0a]),
      sjis('終わりの文字です。\n'),
    ]);
    world = openWorld({ 'a.txt': twice });
    await world.call('edit_file', {
      path: 'a.txt',
      old_string: 'これ',
      new_string: 'それ',
      edits: [{ old_string: '終わり', new_string: 'おしまい' }],
    });
    const expected = Buffer.concat([
      sjis('それは日本語の文章です。記号は'),
      Buffer.from([0x81, 0xe0, 0x87, 0x90, 0x0a]),
      sjis('おしまいの文字です。\n'),
    ]);
    expect(bytesOf('a.txt')).toEqual(expected);
  });

  test('a Japanese text of mixed line endings', async () => {
    const before = '関所を通る旅人は、\r\n手形を見せる。\nそうでない者は\r\n戻される。\n';
    world = openWorld({ 'a.txt': sjis(before) });
    await world.call('edit_file', {
      path: 'a.txt',
      old_string: '手形を見せる。\nそうでない者は\n',
      new_string: '札を見せる。\nほかの者は\n',
    });
    expect(bytesOf('a.txt')).toEqual(sjis('関所を通る旅人は、\r\n札を見せる。\nほかの者は\r\n戻される。\n'));
  });

  test('a character that the encoding lacks is refused, and the file stays', async () => {
    const before = sjis('関所を通る旅人は、手形を見せる。そうでない者は戻される。\n');
    world = openWorld({ 'a.txt': before });
    const error = await errorOf(
      world.call('edit_file', { path: 'a.txt', old_string: '手形', new_string: '😀' }),
    );
    expect(error?.code).toBe('unsupported_encoding');
    expect(bytesOf('a.txt')).toEqual(before);
  });

  test('the mode', async () => {
    world = openWorld({ 'run.sh': '#!/bin/sh\necho one\n' });
    chmodSync(join(world.root, 'run.sh'), 0o750);
    await world.call('edit_file', { path: 'run.sh', old_string: 'one', new_string: 'two' });
    expect(statSync(join(world.root, 'run.sh')).mode & 0o777).toBe(0o750);
  });

  test('any text, any edit: only the occurrence changes', async () => {
    world = openWorld();
    const words = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\t', ' ', '語', '😀', '$', '\\') });
    await fc.assert(
      fc.asyncProperty(words, words, words, words, async (before, wanted, after, instead) => {
        fc.pre(wanted !== '' && wanted !== instead);
        const content = before + wanted + after;
        fc.pre(content.split(wanted).length === 2 && content.trim() !== '');
        writeFileSync(join(world.root, 'p.txt'), content);
        await world.call('edit_file', { path: 'p.txt', old_string: wanted, new_string: instead });
        expect(textOf('p.txt')).toBe(content.replace(wanted, () => instead));
      }),
      { seed: 7, numRuns: 150 },
    );
  }, 60_000);
});

describe('several edits', () => {
  test('are made one after the other', async () => {
    world = openWorld({ 'a.txt': 'one two three' });
    const reply = await world.call('edit_file', {
      path: 'a.txt',
      old_string: 'one',
      new_string: 'two',
      edits: [
        { old_string: 'two two', new_string: '2 2' },
        { old_string: '2', new_string: 'x', replace_all: true },
      ],
    });
    expect(textOf('a.txt')).toBe('x x three');
    expect(reply.replacements).toBe(4);
  });

  test('are all made or none, and the reply says which did not fit', async () => {
    world = openWorld({ 'a.txt': 'one two three' });
    const error = await errorOf(
      world.call('edit_file', {
        path: 'a.txt',
        old_string: 'one',
        new_string: '1',
        edits: [{ old_string: 'absent', new_string: 'x' }],
      }),
    );
    expect(error?.message).toMatch(/^Edit 2: /);
    expect(textOf('a.txt')).toBe('one two three');
  });
});

test('a dry run shows the diff and writes nothing', async () => {
  world = openWorld({ 'a.txt': 'one' });
  const reply = await world.call('edit_file', {
    path: 'a.txt',
    old_string: 'one',
    new_string: '1',
    dry_run: true,
  });
  expect(reply.diff).toContain('+1');
  expect(textOf('a.txt')).toBe('one');
});

test('edits at the same time do not lose each other: one of them is told of the other', async () => {
  world = openWorld({ 'a.txt': 'left middle right' });
  const outcomes = await Promise.allSettled([
    world.call('edit_file', { path: 'a.txt', old_string: 'left', new_string: 'L' }),
    world.call('edit_file', { path: 'a.txt', old_string: 'right', new_string: 'R' }),
  ]);
  const made = outcomes.filter(({ status }) => status === 'fulfilled').length;
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  expect(refused.every((code) => code === 'conflict')).toBe(true);
  expect(textOf('a.txt').split(/L|R/).length - 1).toBe(made);
});

test.each(['/etc/passwd', '../a.txt', 'x/../../a.txt', '~/a.txt', 'C:\\a.txt', '..'])(
  'the path %s is refused',
  async (path) => {
    world = openWorld({ 'a.txt': 'a' });
    const error = await errorOf(world.call('edit_file', { path, old_string: 'a', new_string: 'b' }));
    expect(error?.code).toBe(path.startsWith('/') ? 'out_of_scope' : 'invalid_path');
    expect(textOf('a.txt')).toBe('a');
  },
);

test('names with dots in them are names', async () => {
  world = openWorld({ 'a..b/..c': 'x', '...': 'y' });
  await world.call('edit_file', { path: 'a..b/..c', old_string: 'x', new_string: 'z' });
  await world.call('edit_file', { path: '...', old_string: 'y', new_string: 'z' });
  expect(textOf('a..b/..c') + textOf('...')).toBe('zz');
});

test('a file of the workspace is not edited through the desk of the day', async () => {
  world = openWorld({ 'a.txt': 'a' }, { layout: 'output' });
  const error = await errorOf(world.call('edit_file', { path: 'a.txt', old_string: 'a', new_string: 'b' }));
  expect(error?.code).toBe('forbidden');
  expect(textOf('a.txt')).toBe('a');
  expect(existsSync(join(world.root, 'output'))).toBe(false);
});
