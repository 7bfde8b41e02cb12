import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openNotes } from './open-notes.ts';

test.each([
  ['', 'invalid_path'],
  ['   ', 'invalid_path'],
  ['\t\n', 'invalid_path'],
  ['\u3000', 'invalid_path'],
  ['a/ /b.md', 'invalid_path'],
  ['/etc/x.md', 'invalid_path'],
  ['\\\\host\\share', 'invalid_path'],
  ['C:', 'invalid_path'],
  ['C:\\x.md', 'invalid_path'],
  ['c:/x.md', 'invalid_path'],
  ['..', 'invalid_path'],
  ['../x.md', 'invalid_path'],
  ['a/../x.md', 'invalid_path'],
  ['a/../../x.md', 'invalid_path'],
  ['a/..', 'invalid_path'],
  ['.system\\x.md', 'invalid_path'],
  ['a\0.md', 'invalid_path'],
  [`${'n'.repeat(256)}.md`, 'invalid_path'],
  ['\ud800.md', 'invalid_path'],
  ['.system/x.md', 'forbidden'],
  ['./.system/x.md', 'forbidden'],
  ['.//.SYSTEM//x.md', 'forbidden'],
  ['.System', 'forbidden'],
  ['.\u017fystem/x.md', 'forbidden'],
  ['.sys\u200btem/x.md', 'forbidden'],
  ['．system/x.md', 'forbidden'],
  ['.system./x.md', 'forbidden'],
  ['daily', 'forbidden'],
  ['DAILY/2026-02-11.md', 'forbidden'],
  ['ｄａｉｌｙ/2026-02-11.md', 'forbidden'],
  ['daily/x.md', 'forbidden'],
  ['daily/2026-02-11', 'forbidden'],
  ['daily/2026-02-11.MD', 'forbidden'],
  ['daily/2026-2-11.md', 'forbidden'],
  ['daily/2026-02-30.md', 'forbidden'],
  ['daily/2025-02-29.md', 'forbidden'],
  ['daily/2026-13-01.md', 'forbidden'],
  ['daily/2026-00-10.md', 'forbidden'],
  ['daily/2026/2026-02-11.md', 'forbidden'],
  ['daily/2026-02-11.md/x.md', 'forbidden'],
  ['daily/２０２６-02-11.md', 'forbidden'],
])('vault_create and vault_append refuse %j with %s and write nothing', async (path, code) => {
  const { root, call } = openNotes();
  expect((await call('vault_create', { path, content: 'x' })).error).toBe(code);
  expect((await call('vault_append', { path, content: 'x' })).error).toBe(code);
  expect((await call('vault_replace', { path, find: 'x', replace: 'y' })).error).toBe(code);
  expect(readdirSync(root)).toEqual([]);
});

test.each(['daily/2026-02-11.md', 'daily/2024-02-29.md', './daily//2026-01-01.md'])(
  'vault_create accepts the day %j',
  async (path) => {
    const { call } = openNotes();
    const written_path = path.replace('./', '').replace('//', '/');
    expect(await call('vault_create', { path, content: '日' })).toEqual({ written_path, written_bytes: 3 });
  },
);

test.each([
  'dailyish/x.md',
  'a/daily/x.md',
  'a b/é 漢.md',
  'notes/x',
  '.hidden.md',
  'e\u0301.md',
  'a..b.md',
  '...md',
])('vault_create accepts %j and keeps its spelling', async (path) => {
  const { root, call } = openNotes();
  expect(await call('vault_create', { path, content: 'x' })).toEqual({
    written_path: path,
    written_bytes: 1,
  });
  expect(existsSync(join(root, path))).toBe(true);
});

test('.system/ and daily/ can be read', async () => {
  const { call } = openNotes({ '.system/a.md': 's', 'daily/2026-02-11.md': 'd' });
  expect((await call('vault_read', { path: '.system/a.md', full: true })).text).toBe('s');
  expect((await call('vault_scan', { path: 'daily/2026-02-11.md' })).text).toBe('d');
});

test('daily notes and .system are not replaced', async () => {
  const { root, call } = openNotes({ '.system/a.md': 's', 'daily/2026-02-11.md': 'd' });
  for (const path of ['.system/a.md', 'daily/2026-02-11.md']) {
    expect((await call('vault_replace', { path, find: 'd', replace: 'x' })).error).toBe('forbidden');
  }
  expect(readFileSync(join(root, 'daily/2026-02-11.md'), 'utf8')).toBe('d');
});

const wrongIntegers = [true, false, '1', '', 1.5, -1, 0, Number.NaN, 1e300, [], {}];

test.each(wrongIntegers)('%j is no line number, no limit and no chunk', async (value) => {
  const { call } = openNotes({ 'a.md': 'a\nb' });
  for (const [name, input, field] of [
    ['vault_read', { range: { start_line: value } }, 'range.start_line'],
    ['vault_read', { range: { end_line: value } }, 'range.end_line'],
    ['vault_read', { full: true, limits: { max_chars: value } }, 'limits.max_chars'],
    ['vault_scan', { cursor: { start_line: value } }, 'cursor.start_line'],
    ['vault_scan', { chunk_lines: value }, 'chunk_lines'],
    ['vault_scan', { limits: { max_chars: value } }, 'limits.max_chars'],
  ] as const) {
    const reply = await call(name, { path: 'a.md', ...input });
    expect([name, reply.error, reply.field]).toEqual([name, 'invalid_parameter', field]);
  }
  if (value !== 0) {
    const reply = await call('vault_replace', {
      path: 'a.md',
      find: 'a',
      replace: 'b',
      max_replacements: value,
    });
    expect(reply).toMatchObject({ error: 'invalid_parameter', field: 'max_replacements' });
  }
});

test.each([
  ['vault_read', {}, 'range'],
  ['vault_read', { full: false }, 'range'],
  ['vault_read', { full: null, range: null }, 'range'],
  ['vault_read', { full: 'true' }, 'full'],
  ['vault_read', { range: { start_line: 2, end_line: 1 } }, 'range.start_line'],
  ['vault_read', { range: { start_line: 3 } }, 'range.start_line'],
  ['vault_read', { range: { start_line: 1, char_offset: 2 } }, 'range.char_offset'],
  ['vault_read', { range: { first: 1 } }, 'range.first'],
  ['vault_scan', { cursor: { start_line: 3 } }, 'cursor.start_line'],
  ['vault_scan', { cursor: { start_line: 2, char_offset: 9 } }, 'cursor.char_offset'],
  ['vault_scan', { chunk_lines: 201 }, 'chunk_lines'],
  ['vault_scan', { chunks: 1 }, 'chunks'],
  ['vault_create', { content: '' }, 'content'],
  ['vault_create', { content: 1 }, 'content'],
  ['vault_create', { content: 'a\0b' }, 'content'],
  ['vault_create', { content: 'half \ud83d' }, 'content'],
  ['vault_create', {}, 'content'],
  ['vault_replace', { find: '', replace: '' }, 'find'],
  ['vault_replace', { find: 'a' }, 'replace'],
])('%s with %j is invalid_parameter, naming %s', async (name, input, field) => {
  const { call } = openNotes({ 'a.md': 'a\nb\n' });
  expect(await call(name, { path: 'a.md', ...input })).toMatchObject({ error: 'invalid_parameter', field });
});

test('a start past the file names the line count', async () => {
  const { call } = openNotes({ 'a.md': 'a\nb\n' });
  const reply = await call('vault_read', { path: 'a.md', range: { start_line: 9 } });
  expect(reply.message).toBe('range.start_line is 9, but a.md has 2 lines.');
  expect(reply.total_lines).toBe(2);
});

test('nulls are as good as absent, ends are clamped and limits capped', async () => {
  const { call } = openNotes({ 'a.md': 'a\nb\n' });
  const whole = { text: 'a\nb', applied_range: { start_line: 1, end_line: 2 }, truncated_reason: 'none' };
  const nulls = { start_line: null, end_line: null, char_offset: null };
  for (const input of [
    { full: null, range: nulls, limits: null },
    { full: true, range: { start_line: 2 }, limits: { max_chars: null } },
    { range: { end_line: 99 }, limits: { max_chars: 9_000_000 } },
  ])
    expect(await call('vault_read', { path: 'a.md', ...input })).toMatchObject(whole);
  const cursor = { start_line: null, char_offset: null, version: null };
  for (const input of [{ cursor: null, chunk_lines: null, limits: null }, { cursor }, { cursor: {} }])
    expect(await call('vault_scan', { path: 'a.md', ...input })).toMatchObject({ ...whole, eof: true });
});

test('the reason says which limit cut', async () => {
  const { call } = openNotes(
    { 'a.md': 'aaaa\nbbbb\ncccc' },
    { config: { hardMaxChars: 10, maxChunkLines: 5, defaultChunkLines: 3 } },
  );
  const read = async (input: object) => {
    const { text, truncated_reason, next_offset } = await call('vault_read', { path: 'a.md', ...input });
    return [text, truncated_reason, next_offset];
  };
  expect(await read({ full: true })).toEqual(['aaaa\nbbbb', 'hard_limit', { start_line: 3 }]);
  expect(await read({ full: true, limits: { max_chars: 99 } })).toEqual([
    'aaaa\nbbbb',
    'hard_limit',
    { start_line: 3 },
  ]);
  expect(await read({ full: true, limits: { max_chars: 10 } })).toEqual([
    'aaaa\nbbbb',
    'hard_limit',
    { start_line: 3 },
  ]);
  expect(await read({ full: true, limits: { max_chars: 9 } })).toEqual([
    'aaaa\nbbbb',
    'max_chars',
    { start_line: 3 },
  ]);
  expect(await read({ full: true, limits: { max_chars: 8 } })).toEqual([
    'aaaa',
    'max_chars',
    { start_line: 2 },
  ]);
  expect(await read({ full: true, limits: { max_chars: 3 } })).toEqual([
    'aaa',
    'max_chars',
    { start_line: 1, char_offset: 3 },
  ]);
  expect(await read({ range: { end_line: 2 } })).toEqual(['aaaa\nbbbb', 'range_end', { start_line: 3 }]);
  expect(await read({ range: { start_line: 2 } })).toEqual(['bbbb\ncccc', 'none', { start_line: null }]);
  // The range would have ended there anyway, but the limit was met inside it.
  expect(await read({ range: { end_line: 2 }, limits: { max_chars: 4 } })).toEqual([
    'aaaa',
    'max_chars',
    { start_line: 2 },
  ]);
  const scan = await call('vault_scan', { path: 'a.md', chunk_lines: 2 });
  expect(scan).toMatchObject({ eof: false, truncated: true, truncated_reason: 'chunk_end' });
  expect(await call('vault_scan', { path: 'a.md', cursor: scan.next_cursor })).toEqual({
    text: 'cccc',
    applied_range: { start_line: 3, end_line: 3 },
    next_cursor: { start_line: null },
    eof: true,
    truncated: false,
    truncated_reason: 'none',
  });
});

test.each([
  ['latin-1', Buffer.from([0x63, 0x61, 0x66, 0xe9])],
  ['a NUL', Buffer.from('a\0b')],
  ['UTF-16', Buffer.from('\ufeffab', 'utf16le')],
  ['a character cut at the end', Buffer.from('漢').subarray(0, 2)],
])('%s is unsupported_encoding', async (_, bytes) => {
  const { call } = openNotes({ 'a.md': bytes });
  expect((await call('vault_read', { path: 'a.md', range: {} })).error).toBe('unsupported_encoding');
  expect((await call('vault_scan', { path: 'a.md' })).error).toBe('unsupported_encoding');
  expect((await call('vault_replace', { path: 'a.md', find: 'a', replace: 'b' })).error).toBe(
    'unsupported_encoding',
  );
});

test.each([
  ['wrong at the end', Buffer.concat([Buffer.alloc(3_000_000, 'a\n'), Buffer.from([0xff])]), 1_500_001],
  [
    'with a NUL inside',
    Buffer.concat([Buffer.alloc(1_500_000, 'é\n'), Buffer.alloc(1), Buffer.alloc(9, 'b')]),
    500_001,
  ],
])('a large file that is %s is read up to there, and is not changed', async (_, bytes, line) => {
  const { call } = openNotes({ 'a.md': bytes });
  expect((await call('vault_read', { path: 'a.md', range: {} })).error).toBeUndefined();
  const range = { start_line: line };
  expect((await call('vault_read', { path: 'a.md', range })).error).toBe('unsupported_encoding');
  expect((await call('vault_scan', { path: 'a.md', cursor: range })).error).toBe('unsupported_encoding');
  expect((await call('vault_replace', { path: 'a.md', find: 'a', replace: 'b' })).error).toBe(
    'unsupported_encoding',
  );
});

test('nothing is added to what is not UTF-8 text', async () => {
  const { root, call } = openNotes({
    'sjis.md': Buffer.from([0x83, 0x6d, 0x0a]),
    'utf16.md': Buffer.from('ab', 'utf16le'),
    'long.md': `x${'漢'.repeat(50_000)}`,
  });
  expect((await call('vault_append', { path: 'sjis.md', content: 'x' })).error).toBe('unsupported_encoding');
  expect((await call('vault_append', { path: 'utf16.md', content: 'x' })).error).toBe('unsupported_encoding');
  expect((await call('vault_append', { path: 'long.md', content: 'x' })).written_bytes).toBe(2);
  expect(statSync(join(root, 'sjis.md')).size).toBe(3);
});

test('what is not there, and a folder, are not_found', async () => {
  const { call } = openNotes({ 'f/a.md': 'x' });
  for (const path of ['none.md', 'none/a.md', 'f', 'f/', '.', 'f/a.md/b.md']) {
    expect((await call('vault_read', { path, full: true })).error).toBe('not_found');
    expect((await call('vault_scan', { path })).error).toBe('not_found');
    expect((await call('vault_replace', { path, find: 'x', replace: 'y' })).error).toBe('not_found');
    expect((await call('vault_append', { path, content: 'y' })).error).toBe('not_found');
  }
});

test('a folder of the new note’s name is said to be one', async () => {
  const { root, call } = openNotes({ 'trip.md/plan.md': 'x' });
  expect(await call('vault_create', { path: 'trip.md', content: 'x' })).toMatchObject({
    error: 'conflict',
    message: 'trip.md is a folder.',
  });
  expect(readdirSync(join(root, 'trip.md'))).toEqual(['plan.md']);
});

test('a symbolic link is refused wherever it stands, and what it points to stays as it is', async () => {
  const outside = openNotes({ 'secret.md': 'secret' });
  const { root, call } = openNotes({ 'real.md': 'real' });
  mkdirSync(join(root, 'd'));
  symlinkSync(join(outside.root, 'secret.md'), join(root, 'leaf.md'));
  symlinkSync(outside.root, join(root, 'd/way'));
  symlinkSync('real.md', join(root, 'inner.md'));
  symlinkSync(join(outside.root, 'new.md'), join(root, 'dangling.md'));
  for (const path of ['leaf.md', 'd/way/secret.md', 'inner.md', 'dangling.md']) {
    expect((await call('vault_read', { path, full: true })).error).toBe('forbidden');
    expect((await call('vault_scan', { path })).error).toBe('forbidden');
    expect((await call('vault_replace', { path, find: 'e', replace: 'x' })).error).toBe('forbidden');
    expect((await call('vault_append', { path, content: 'x' })).error).toBe('forbidden');
    expect((await call('vault_create', { path, content: 'x' })).error).toBe('forbidden');
  }
  expect((await call('vault_create', { path: 'd/way/new.md', content: 'x' })).error).toBe('forbidden');
  expect(readdirSync(outside.root)).toEqual(['secret.md']);
  expect(readFileSync(join(outside.root, 'secret.md'), 'utf8')).toBe('secret');
  expect(lstatSync(join(root, 'dangling.md')).isSymbolicLink()).toBe(true);
});

test('vault_replace replaces the first match, the given number, or none', async () => {
  const { root, call } = openNotes({ 'a.md': 'aaaa' });
  const replace = (max_replacements: number | null | undefined, find = 'aa') =>
    call('vault_replace', { path: 'a.md', find, replace: 'b', max_replacements });
  const before = statSync(join(root, 'a.md'), { bigint: true });
  expect(await replace(0)).toEqual({ written_path: 'a.md', replacements: 0 });
  expect(await replace(5, 'zz')).toEqual({ written_path: 'a.md', replacements: 0 });
  const after = statSync(join(root, 'a.md'), { bigint: true });
  expect([after.mtimeNs, after.ctimeNs, after.ino]).toEqual([before.mtimeNs, before.ctimeNs, before.ino]);
  expect(await replace(null)).toEqual({ written_path: 'a.md', replacements: 1 });
  expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('baa');
  expect(await replace(9)).toEqual({ written_path: 'a.md', replacements: 1 });
  expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('bb');
});

test('vault_replace takes text literally and keeps endings, mark and mode', async () => {
  const { root, call } = openNotes({ 'a.md': '\ufeffone $&\r\ntwo .*\nthree\r\nfour' });
  const file = join(root, 'a.md');
  const replace = (find: string, replacement: string) =>
    call('vault_replace', { path: 'a.md', find, replace: replacement, max_replacements: 9 });
  await replace('.*', '$&$1');
  expect(readFileSync(file, 'utf8')).toBe('\ufeffone $&\r\ntwo $&$1\nthree\r\nfour');
  await replace('$&\ntwo', '1\n2');
  expect(readFileSync(file, 'utf8')).toBe('\ufeffone 1\r\n2 $&$1\nthree\r\nfour');
  await replace('three\nfour', '3');
  expect(readFileSync(file, 'utf8')).toBe('\ufeffone 1\r\n2 $&$1\n3');
});

test('vault_append starts a new line in the endings of the note, and makes only today', async () => {
  const { root, call } = openNotes(
    { 'a.md': 'a', 'b.md': 'b\r\n', 'c.md': '', 'daily/2026-02-10.md': 'd\n' },
    { now: () => new Date('2026-02-10T23:30:00Z'), timeZone: 'Asia/Tokyo' },
  );
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  expect(await call('vault_append', { path: 'a.md', content: 'x\n' })).toEqual({
    written_path: 'a.md',
    written_bytes: 3,
  });
  await call('vault_append', { path: 'b.md', content: 'x\ny' });
  await call('vault_append', { path: 'c.md', content: 'x' });
  await call('vault_append', { path: 'daily/2026-02-10.md', content: 'x' });
  expect(['a.md', 'b.md', 'c.md', 'daily/2026-02-10.md'].map(read)).toEqual([
    'a\nx\n',
    'b\r\nx\r\ny',
    'x',
    'd\nx',
  ]);
  expect((await call('vault_append', { path: 'daily/2026-02-12.md', content: 'x' })).error).toBe('not_found');
  expect((await call('vault_append', { path: 'new.md', content: 'x' })).error).toBe('not_found');
  expect(await call('vault_append', { path: 'daily/2026-02-11.md', content: 'x' })).toEqual({
    written_path: 'daily/2026-02-11.md',
    written_bytes: 1,
    created: true,
  });
});
