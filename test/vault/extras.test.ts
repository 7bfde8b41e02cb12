import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { walkNotes } from '../../src/tools/vault/walk-notes.ts';
import { cpuTimeMs } from '../support/cpu-time.ts';
import { type Answer, openNotes } from './open-notes.ts';

const notes = {
  'b.md': 'b',
  'a.md': '---\ntitle: Alpha\ntags: [recipe/soup, "kitchen"]\nstatus: Done\n---\n# Alpha\nＡＢＣ カタカナ\n',
  'z/deep/c.md': 'one\ntwo #recipe here\nthree\n',
  'z/d.md': 'issue #12, not#tag, https://x/#recipe\n',
  'k/e.md': 'x',
  '.obsidian/app.json': '{}',
  '.hidden.md': 'alpha',
  'image.png': Buffer.from([0x89, 0x50, 0, 0, 0xff]),
};

test('what vault_list shows can be read: names that no path may hold are left out', async () => {
  const { call } = openNotes({
    'a.md': 'a',
    'b\\c.md': 'b',
    'C:d.md': 'c',
    'z/C:e.md': 'e',
    'z/f\\g.md': 'f',
  });
  const { entries } = await call('vault_list', { recursive: true });
  expect(entries.map((entry: Answer) => entry.path)).toEqual(['z', 'z/C:e.md', 'a.md']);
  expect((await call('vault_read', { path: 'z/C:e.md', full: true })).error).toBeUndefined();
});

test('vault_list shows folders first and leaves hidden names and links out', async () => {
  const { root, call } = openNotes(notes);
  symlinkSync('/etc', join(root, 'etc'));
  const flat = await call('vault_list', {});
  expect(flat.entries.map((entry: Answer) => [entry.kind, entry.path, entry.bytes])).toEqual([
    ['folder', 'k', undefined],
    ['folder', 'z', undefined],
    ['file', 'a.md', Buffer.byteLength(notes['a.md'])],
    ['file', 'b.md', 1],
    ['file', 'image.png', 5],
  ]);
  expect(flat.next_cursor).toBeUndefined();
  expect((await call('vault_list', { path: 'none' })).error).toBe('not_found');
  expect((await call('vault_list', { path: '../x' })).error).toBe('invalid_path');
  expect((await call('vault_list', { path: 'etc' })).error).toBe('forbidden');
});

test('an empty or missing vault lists as empty', async () => {
  const { call } = openNotes();
  expect(await call('vault_list', {})).toEqual({ entries: [] });
});

test('a folder that goes away or turns into a link while it is listed does not end the list', async () => {
  const { root, vault } = openNotes({ 'a/x.md': '', 'b/x.md': '', 'c/x.md': '', 'z.md': '' });
  const { signal } = new AbortController();
  const paths: string[] = [];
  const walk = walkNotes(vault.folder, vault.folder.at('.'), { recursive: true, signal });
  for await (const { kind, place } of walk) {
    paths.push(place.path);
    if (kind === 'folder' && place.path !== 'c') rmSync(join(root, place.path), { recursive: true });
    if (place.path === 'b') symlinkSync('/etc', join(root, 'b'));
  }
  expect(paths).toEqual(['a', 'b', 'c', 'c/x.md', 'z.md']);
});

test.each([1, 2, 3, 7])('pages of %d show every entry once, in the order of one page', async (limit) => {
  const { call } = openNotes(notes);
  const all = (await call('vault_list', { recursive: true })).entries.map((entry: Answer) => entry.path);
  expect(all).toEqual(['k', 'k/e.md', 'z', 'z/deep', 'z/deep/c.md', 'z/d.md', 'a.md', 'b.md', 'image.png']);
  const paged: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await call('vault_list', { recursive: true, limit, cursor });
    paged.push(...page.entries.map((entry: Answer) => entry.path));
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  expect(paged).toEqual(all);
  const below = await call('vault_list', { path: 'z', recursive: true, limit: 2 });
  const rest = await call('vault_list', { path: 'z', recursive: true, cursor: below.next_cursor });
  expect(rest.entries.map((entry: Answer) => entry.path)).toEqual(['z/d.md']);
});

test.each([
  ['tag:recipe', ['z/deep/c.md:2', 'a.md:3']],
  ['tag:#recipe/soup', ['a.md:3']],
  ['tag:kitchen status:done', ['a.md:3', 'a.md:4']],
  ['tag:rec', []],
  ['tag:12', []],
  ['title:alpha', ['a.md:2']],
  ['abc', ['a.md:7']],
  ['カタカナ', ['a.md:7']],
  ['ｶﾀｶﾅ', ['a.md:7']],
  ['one three', ['z/deep/c.md:1', 'z/deep/c.md:3']],
  ['one missing', []],
  ['"two #recipe"', ['z/deep/c.md:2']],
  ['TWO here', ['z/deep/c.md:2']],
  ['https://x', ['z/d.md:1']],
])('vault_search finds %j at %j', async (query, found) => {
  const { call } = openNotes(notes);
  const { matches } = await call('vault_search', { query });
  expect(matches.map((match: Answer) => `${match.path}:${match.line}`)).toEqual(found);
});

test('vault_search shows the lines around, searches below a path and pages', async () => {
  const { call } = openNotes({ ...notes, 'many.md': 'hit\n'.repeat(30) });
  expect((await call('vault_search', { query: '#recipe', path: 'z/deep' })).matches).toEqual([
    { path: 'z/deep/c.md', line: 2, text: 'two #recipe here', before: 'one', after: 'three' },
  ]);
  const lines: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await call('vault_search', { query: 'hit', limit: 7, cursor });
    lines.push(...page.matches.map((match: Answer) => match.line));
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  expect(lines).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect((await call('vault_search', { query: 'hit', path: 'many.md', limit: 200 })).matches).toHaveLength(
    30,
  );
  expect((await call('vault_search', { query: 'hit', cursor: '../../etc' })).error).toBe('invalid_parameter');
  expect((await call('vault_search', { query: 'hit', cursor: '1:../x' })).error).toBe('invalid_path');
  expect((await call('vault_search', { query: 'hit', path: 'z', cursor: '1:a.md' })).error).toBe(
    'invalid_parameter',
  );
});

test('a regex is RE2: linear on what blocks RegExp, refused where it cannot be', async () => {
  const { call } = openNotes({ 'a.md': `${'a'.repeat(5_000)}!\nfoo-12 漢字\n` });
  const search = (query: string) => call('vault_search', { query, mode: 'regex' });
  expect((await search('^(a+)+$')).matches).toEqual([]);
  expect((await search('\\d{2} \\p{Han}+$')).matches).toMatchObject([{ line: 2 }]);
  for (const query of ['\\Afoo', '^foo', '(?i)FOO', '字\\z', '字$', '\\bfoo\\b', '(?-m)^foo'])
    expect((await search(query)).matches).toMatchObject([{ line: 2 }]);
  for (const query of ['(', '(?=a)', '(a)\\1', '[', 'a{99999}'])
    expect(await search(query)).toMatchObject({ error: 'invalid_parameter', field: 'query' });
});

test('a long line is cut around the match, between characters', async () => {
  const { call } = openNotes({ 'a.md': `${'😀'.repeat(500)}needle${'😀'.repeat(500)}` });
  const [match] = (await call('vault_search', { query: 'needle' })).matches;
  expect(match.text).toMatch(/^…(😀)+needle(😀)+…$/u);
  expect(match.text.length).toBeLessThan(310);
});

test('vault_links resolves wiki and Markdown links both ways', async () => {
  const { call } = openNotes({
    'home.md': [
      'See [[house]], [[Projects/House|other]] and [[nowhere#part]].',
      '[plan](projects/plan%20a.md#x "t") ![[pic.png]] [out](https://x.y/a.md) [self](#top) `[[code]]`',
      '```',
      '[[fenced]]',
      '```',
    ].join('\n'),
    'projects/house.md': '[up](../home.md) [out](../../../etc/passwd) [[plan a]]',
    'a/very/long/house.md': '[[HOME]]',
    'projects/plan a.md': 'no links',
    'pic.png': Buffer.from([0, 1]),
  });
  expect(await call('vault_links', { path: 'home.md' })).toEqual({
    outgoing: [
      { line: 1, link: '[[house]]', path: 'projects/house.md' },
      { line: 1, link: '[[Projects/House|other]]', path: 'projects/house.md' },
      { line: 1, link: '[[nowhere#part]]' },
      { line: 2, link: '[[pic.png]]', path: 'pic.png' },
      { line: 2, link: '[plan](projects/plan%20a.md#x "t")', path: 'projects/plan a.md' },
    ],
    backlinks: [
      { path: 'a/very/long/house.md', line: 1, link: '[[HOME]]' },
      { path: 'projects/house.md', line: 1, link: '[up](../home.md)' },
    ],
  });
  const { outgoing, backlinks } = await call('vault_links', { path: 'projects/house.md' });
  expect(outgoing.map((link: Answer) => [link.link, link.path])).toEqual([
    ['[[plan a]]', 'projects/plan a.md'],
    ['[up](../home.md)', 'home.md'],
    ['[out](../../../etc/passwd)', undefined],
  ]);
  expect(backlinks.map((link: Answer) => link.line)).toEqual([1, 1]);
  expect((await call('vault_links', { path: 'none.md' })).error).toBe('not_found');
});

test('a tag in code is none, however the code is fenced', async () => {
  const { call } = openNotes({
    'a.md': [
      '```c',
      '#include <x.h>',
      '~~~',
      '#include',
      '```',
      'a `#include` and ``x ` #include`` here',
      '~~~~',
      '~~~',
      '#include',
      '~~~~',
      '- item',
      '      ```',
      '      #include',
      '      ```',
      '```not a fence``` #real',
      'an odd ` tick #real',
    ].join('\n'),
    'big.md': `\`\`\`\n${'filler of the first piece\n'.repeat(10_000)}#include\n\`\`\`\n#include\n`,
  });
  const lines = async (query: string) =>
    (await call('vault_search', { query })).matches.map((match: Answer) => `${match.path}:${match.line}`);
  expect(await lines('tag:include')).toEqual(['big.md:10004']);
  expect(await lines('tag:real')).toEqual(['a.md:15', 'a.md:16']);
  expect(await lines('#include path:a')).toEqual([]);
});

test('a field of two words is found by them in quotes, and tags: is tag:', async () => {
  const { call } = openNotes({
    'a.md': '---\nstatus: In  Progress now\ntags: [two words, soup]\n---\n',
    'b.md': '---\nstatus: progress in\n---\nIn  Progress\n',
    'c.md': 'status:in  progress\n',
  });
  const paths = async (query: string) =>
    (await call('vault_search', { query })).matches.map((match: Answer) => match.path);
  expect(await paths('status:"in  progress"')).toEqual(['a.md', 'c.md']);
  expect(await paths('tag:"two words"')).toEqual(['a.md']);
  expect(await paths('tags:soup')).toEqual(['a.md']);
  expect(await paths('"in  progress"')).toEqual(['a.md', 'b.md', 'c.md']);
});

test('links in tables, by reference and to names in parentheses are followed', async () => {
  const { call } = openNotes({
    't.md': '| a |\n|---|\n| [[f\\|the file]] [[f#part\\|x]] ![[f\\|100]] |\n',
    'r.md': 'See [the file][1] and [^1].\n\n[1]: f.md "title"\n[^1]: f.md\n[2]: https://x.y/f.md\n',
    'p.md': '[x](g%20(1).md) [y](<g (1).md>) [z](g_(2).md)',
    'f.md': '',
    'g (1).md': '',
    'g_(2).md': '',
  });
  const links = async (path: string) =>
    (await call('vault_links', { path })).outgoing.map((link: Answer) => [link.link, link.path]);
  expect(await links('t.md')).toEqual([
    ['[[f\\|the file]]', 'f.md'],
    ['[[f#part\\|x]]', 'f.md'],
    ['[[f\\|100]]', 'f.md'],
  ]);
  expect(await links('r.md')).toEqual([['[1]: f.md', 'f.md']]);
  expect(await links('p.md')).toEqual([
    ['[x](g%20(1).md)', 'g (1).md'],
    ['[y](<g (1).md>)', 'g (1).md'],
    ['[z](g_(2).md)', 'g_(2).md'],
  ]);
  expect((await call('vault_links', { path: 'f.md' })).backlinks.map((link: Answer) => link.path)).toEqual([
    'r.md',
    't.md',
    't.md',
    't.md',
  ]);
});

test('notes that are not UTF-8 text are named as not searched', async () => {
  const { call } = openNotes({
    'a.md': '日本 [[b]]',
    'sjis.md': Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
    'nul.txt': 'x\0日本',
    'pic.png': Buffer.from([0, 1]),
    'b.md': '',
  });
  const not_searched = { count: 2, paths: ['nul.txt', 'sjis.md'] };
  expect(await call('vault_search', { query: '日本' })).toMatchObject({
    matches: [{ path: 'a.md' }],
    not_searched,
  });
  expect(await call('vault_links', { path: 'b.md' })).toMatchObject({
    backlinks: [{ path: 'a.md' }],
    not_searched,
  });
  expect(await call('vault_search', { query: '日本', path: 'a.md' })).not.toHaveProperty('not_searched');
});

test('words made to be slow to search for links, tags and fields are not', async () => {
  const { call } = openNotes({
    'a.md': [
      '[['.repeat(20_000),
      ']('.repeat(20_000),
      `x${'`'.repeat(40_001)}`,
      '#'.repeat(50_000),
      '](a)'.repeat(30_000),
      `[x](${'('.repeat(40_000)}`,
      Array.from({ length: 600 }, (_, at) => '`'.repeat(at + 1)).join(' '),
      '[x]: '.repeat(20_000),
    ].join('\n'),
    'b.md': `---\n${'k: ['.repeat(20_000)}\n${'a'.repeat(100_000)}:\n---\n`,
  });
  const spentMs = await cpuTimeMs(async () => {
    const links = await call('vault_links', { path: 'a.md' });
    expect([links.outgoing.length, links.backlinks.length, links.truncated]).toEqual([500, 0, true]);
    expect((await call('vault_search', { query: 'tag:x' })).matches).toEqual([]);
  });
  expect(spentMs).toBeLessThan(10_000);
});
