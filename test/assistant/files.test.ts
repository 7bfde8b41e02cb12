import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/contract/caller.ts';
import type { ToolError } from '../../src/contract/error.ts';
import { openWorld } from './world.ts';

let world: ReturnType<typeof openWorld>;
afterEach(() => world.close());

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );
const user = (name: string): Caller => ({
  kind: 'user',
  principal: `user:${name}`,
  sessionId: name,
  remote: true,
});
const day = 'output/2026-02-21';

describe('the desk of the day', () => {
  test('writing goes to output/DATE/user_ID, made on the first write', async () => {
    world = openWorld({}, { layout: 'output' });
    await world.call('list_files', {});
    expect(existsSync(join(world.root, 'output'))).toBe(false);
    const reply = await world.call('write_file', { path: 'notes/a.md', content: 'x' });
    expect(reply).toMatchObject({ path: `${day}/user_local/notes/a.md`, created: true, bytes: 1 });
    expect(readFileSync(join(world.root, day, 'user_local/notes/a.md'), 'utf8')).toBe('x');
  });

  test('reading looks there first, then in the workspace, and both names lead to the file', async () => {
    world = openWorld({ 'a.md': 'workspace', 'b.md': 'only there' }, { layout: 'output' });
    expect((await world.call('read_file', { path: 'a.md' })).content).toBe('workspace');
    await world.call('write_file', { path: 'a.md', content: 'mine' });
    expect((await world.call('read_file', { path: 'a.md' })).content).toBe('mine');
    expect((await world.call('read_file', { path: `./${day}//user_local/a.md` })).content).toBe('mine');
    expect((await world.call('read_file', { path: 'b.md' })).content).toBe('only there');
    await world.call('write_file', { path: `${day}/user_local/a.md`, content: 'again' });
    expect(existsSync(join(world.root, day, 'user_local', day))).toBe(false);
    expect((await world.call('read_file', { path: 'a.md' })).content).toBe('again');
    expect(readFileSync(join(world.root, 'a.md'), 'utf8')).toBe('workspace');
  });

  test('two people with the same file name each have their own', async () => {
    world = openWorld({}, { layout: 'output' });
    await world.call('write_file', { path: 'a.md', content: 'of ann' }, { caller: user('ann') });
    await world.call('write_file', { path: 'a.md', content: 'of bob' }, { caller: user('bob') });
    expect((await world.call('read_file', { path: 'a.md' }, { caller: user('ann') })).content).toBe('of ann');
  });

  test('a name that would write over a terminal comes back as plain words', async () => {
    world = openWorld({}, { layout: 'workspace' });
    const path = 'a\n--- b\u001b[31m\u202e.txt';
    const replies = [
      await world.call('write_file', { path, content: 'one\n' }),
      await world.call('write_file', { path, content: 'two\n' }),
      await world.call('edit_file', { path, old_string: 'two', new_string: 'three' }),
      await world.call('read_file', { path }),
    ];
    for (const reply of replies) {
      expect(`${reply.path}`).not.toMatch(/[\n\u001b\u202e]/);
      expect(reply.text).not.toMatch(/[\u001b\u202e]|^--- b/m);
    }
  });

  test('a slip in a name is told, of one’s own files and of the workspace’s, and never of another’s', async () => {
    world = openWorld({ 'src/plan.md': 'x' }, { layout: 'output' });
    await world.call('write_file', { path: 'diary.md', content: 'x' }, { caller: user('ann') });
    const hintOf = (path: string, name: string) =>
      world.call('read_file', { path }, { caller: user(name) }).then(
        () => 'read',
        (error: { suggestion?: { en: string } }) => error.suggestion?.en,
      );
    expect(await hintOf('src/Plan.md', 'bob')).toBe('Did you mean src/plan.md?');
    expect(await hintOf('dairy.md', 'ann')).toBe('Did you mean diary.md?');
    expect(await hintOf('dairy.md', 'bob')).toBeUndefined();
    expect(await hintOf(`${day}/user_amn/diary.md`, 'bob')).toBeUndefined();
    expect(await hintOf(`${day}`, 'bob')).toBeUndefined();
  });

  test('nobody behind a token reads, lists, finds or searches what is another’s', async () => {
    world = openWorld({ 'shared.txt': 'needle' }, { layout: 'output' });
    await world.call('write_file', { path: 'secret.txt', content: 'needle of bob' }, { caller: user('bob') });
    const ann = { caller: user('ann') };
    for (const path of [`${day}/user_bob/secret.txt`, `${day}/./user_bob//secret.txt`, `${day}/user_bob`]) {
      expect(await codeOf(world.call('read_file', { path }, ann))).toBe('not_found');
      expect(await codeOf(world.call('list_files', { path }, ann))).toBe('not_found');
      expect(await codeOf(world.call('grep', { pattern: 'needle', path }, ann))).toBe('not_found');
      expect(await codeOf(world.call('glob', { pattern: '**', path }, ann))).toBe('not_found');
    }
    expect((await world.call('list_files', { path: day }, ann)).total).toBe(0);
    expect((await world.call('glob', { pattern: '**/*.txt' }, ann)).paths).toEqual(['shared.txt']);
    expect((await world.call('grep', { pattern: 'needle', output: 'files' }, ann)).files).toEqual([
      { path: 'shared.txt' },
    ]);
    // The person at the machine sees all of it.
    expect((await world.call('glob', { pattern: '**/*.txt' })).total).toBe(2);
  });

  test('searching covers one’s own folder once, even where .gitignore leaves out output/', async () => {
    world = openWorld({ '.gitignore': 'output/\n', 'src/a.txt': 'needle' }, { layout: 'output' });
    await world.call('write_file', { path: 'src/b.txt', content: 'needle' });
    const mine = `${day}/user_local/src/b.txt`;
    expect((await world.call('glob', { pattern: '**/*.txt' })).paths).toEqual([mine, 'src/a.txt']);
    expect((await world.call('glob', { pattern: '*.txt', path: 'src' })).paths).toEqual([mine, 'src/a.txt']);
    const found = await world.call('grep', { pattern: 'needle', include_ignored: true, output: 'files' });
    expect(found.files).toEqual([{ path: mine }, { path: 'src/a.txt' }]);
  });

  test('grep pages through both folders without gap or overlap', async () => {
    world = openWorld({ 'w.txt': 'hit w1\nhit w2\nhit w3\n' }, { layout: 'output' });
    await world.call('write_file', { path: 'o.txt', content: 'hit o1\nhit o2\nhit o3\n' });
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const read: string[] = [];
      let cursor: unknown;
      do {
        const page = await world.call('grep', { pattern: 'hit', limit, ...(cursor ? { cursor } : {}) });
        read.push(...(page.lines as { text: string }[]).map(({ text }) => text));
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(read).toEqual(['hit o1', 'hit o2', 'hit o3', 'hit w1', 'hit w2', 'hit w3']);
    }
  });
});

describe.each(['output', 'workspace'] as const)('in the layout %s', (layout) => {
  test.each(['read_file', 'write_file', 'edit_file', 'list_files', 'glob', 'grep'])(
    '%s takes no absolute path outside, no "..", and follows no link',
    async (name) => {
      world = openWorld({ 'in/a.txt': 'a' }, { layout });
      const own = layout === 'output' ? join(world.root, day, 'user_local') : world.root;
      mkdirSync(own, { recursive: true });
      for (const at of [world.root, own])
        if (!existsSync(join(at, 'link'))) symlinkSync('/etc', join(at, 'link'));
      if (!existsSync(join(own, 'passwd'))) symlinkSync('/etc/passwd', join(own, 'passwd'));
      const rest: Record<string, unknown> = {
        write_file: { content: 'x' },
        edit_file: { old_string: 'root', new_string: 'x' },
        glob: { pattern: '**' },
        grep: { pattern: 'root' },
      };
      const before = readFileSync('/etc/passwd', 'utf8');
      for (const path of ['/etc/passwd', '../x', 'in/../../x', 'in/..', '~/x', 'C:\\x', '\\\\host\\share']) {
        expect(await codeOf(world.call(name, { path, ...(rest[name] as object) })), path).toBe(
          layout === 'workspace' && path.startsWith('/') ? 'out_of_scope' : 'invalid_path',
        );
      }
      for (const path of ['link/passwd', 'link', 'passwd']) {
        // A write over a link would replace the link itself; reading through one is refused.
        const code = await codeOf(world.call(name, { path, ...(rest[name] as object) }));
        expect(['forbidden', 'unsupported_type'], path).toContain(code);
      }
      expect(readFileSync('/etc/passwd', 'utf8')).toBe(before);
    },
  );
});

test('the pages of a large folder hold each entry once and in order, and other calls go on meanwhile', async () => {
  world = openWorld({ 'many/sub/x': '' });
  const names = Array.from({ length: 5000 }, (_, index) => `f${(index * 7919) % 5000}`);
  for (const name of names) writeFileSync(join(world.root, 'many', name), '');
  const listed: string[] = [];
  let cursor: string | undefined;
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  do {
    const page = (await world.call('list_files', { path: 'many', limit: 900, cursor })) as unknown as {
      directories: string[];
      files: { name: string }[];
      total: number;
      next_cursor?: string;
    };
    expect(page.total).toBe(5001);
    listed.push(...page.directories, ...page.files.map(({ name }) => name));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  clearInterval(timer);
  expect(listed).toEqual(['sub/', ...names.toSorted()]);
  expect(turns).toBeGreaterThan(5);
});

test.each(['trail/', 'newdir/.', 'newdir/./', 'readme.md/'])(
  '%s names a folder: no file is written there',
  async (path) => {
    world = openWorld({ 'readme.md': 'old' });
    expect(await codeOf(world.call('write_file', { path, content: 'x' }))).toBe('invalid_path');
    expect(readdirSync(world.root)).toEqual(['readme.md']);
    expect(readFileSync(join(world.root, 'readme.md'), 'utf8')).toBe('old');
  },
);

test('an empty folder name is the workspace, for list_files, glob and grep', async () => {
  world = openWorld({ 'a.txt': 'hit' });
  expect(await world.call('list_files', { path: '' })).toMatchObject({ path: '.', total: 1 });
  expect(await world.call('glob', { path: '', pattern: '*.txt' })).toMatchObject({ paths: ['a.txt'] });
  expect(await world.call('grep', { path: '', pattern: 'hit' })).toMatchObject({
    lines: [{ path: 'a.txt' }],
  });
});

describe('an absolute path', () => {
  test('inside a root is taken by every tool where the workspace is the caller’s own, and replies stay relative', async () => {
    world = openWorld({ 'src/a.ts': 'one', 'src/deep/b.ts': 'two' });
    const at = (path: string) => join(world.root, path);

    expect(await world.call('read_file', { path: at('src/a.ts') })).toMatchObject({
      path: 'src/a.ts',
      content: 'one',
    });
    expect(await world.call('write_file', { path: at('src/new.ts'), content: 'x' })).toMatchObject({
      path: 'src/new.ts',
    });
    expect(
      await world.call('edit_file', { path: at('src/a.ts'), old_string: 'one', new_string: 'three' }),
    ).toMatchObject({ path: 'src/a.ts', replacements: 1 });
    expect(await world.call('list_files', { path: at('src'), sizes: true })).toMatchObject({
      path: 'src',
      files: [
        { name: 'a.ts', bytes: 5 },
        { name: 'new.ts', bytes: 1 },
      ],
    });
    expect(await world.call('list_files', { path: world.root })).toMatchObject({ path: '.' });
    expect(await world.call('grep', { pattern: 'two', path: at('src') })).toMatchObject({
      lines: [{ path: 'src/deep/b.ts' }],
    });
    expect(await world.call('glob', { pattern: '*.ts', path: at('src') })).toMatchObject({ total: 2 });
    expect(await world.call('glob', { pattern: at('src/**/b.*') })).toMatchObject({
      paths: ['src/deep/b.ts'],
    });
    expect(await world.call('glob', { pattern: at('src/a.ts') })).toMatchObject({ paths: ['src/a.ts'] });
  });

  test('in a further root is shown whole, since its relative name would be another file’s', async () => {
    const more = realpathSync(mkdtempSync(join(tmpdir(), 'assistant-more-')));
    writeFileSync(join(more, 'm.txt'), 'more');
    try {
      world = openWorld({ 'm.txt': 'first' }, { moreRoots: [more] });
      const path = join(more, 'm.txt');
      expect(await world.call('read_file', { path })).toMatchObject({ path, content: 'more' });
      expect(await world.call('list_files', { path: more, sizes: true })).toMatchObject({
        path: more,
        files: [{ name: 'm.txt', bytes: 4 }],
      });
      expect(await world.call('grep', { pattern: 'more', path: more })).toMatchObject({ lines: [{ path }] });
      expect(await world.call('write_file', { path, content: 'new' })).toMatchObject({ path });
      expect(readFileSync(join(world.root, 'm.txt'), 'utf8')).toBe('first');
      expect(readFileSync(path, 'utf8')).toBe('new');
    } finally {
      rmSync(more, { recursive: true });
    }
  });

  test.each([
    ['/home/somebody/project/src/a.ts', 'src/a.ts'],
    ['/repo/src/not-yet.ts', 'src/not-yet.ts'],
    ['/src', 'src'],
    ['/nothing/like/it.md', undefined],
  ])('outside, %s is refused with the name it has here: %s', async (path, meant) => {
    world = openWorld({ 'src/a.ts': 'one' });
    const error = await world.call('read_file', { path }).catch((thrown: unknown) => thrown as ToolError);
    expect(error).toMatchObject({ code: 'out_of_scope' });
    const suggestion = (error as ToolError).suggestion?.en;
    if (meant === undefined) expect(suggestion).toContain('--allow-path');
    else expect(suggestion).toBe(`Here it is ${meant}.`);
  });
});

describe('read_file', () => {
  test('numbers lines as asked, and says how to go on', async () => {
    world = openWorld({ 'a.txt': 'one\ntwo\nthree\n' });
    expect((await world.call('read_file', { path: 'a.txt', line_numbers: true })).content).toBe(
      '1\tone\n2\ttwo\n3\tthree\n',
    );
    const cut = await world.call('read_file', { path: 'a.txt', max_chars: 8 });
    expect(cut).toMatchObject({ content: 'one\ntwo\n', truncated: true, next_start_line: 3 });
    expect(
      (await world.call('read_file', { path: 'a.txt', start_line: -1, line_numbers: true })).content,
    ).toBe('3\tthree\n');
  });
});

describe('write_file', () => {
  test('says what changed when it replaces', async () => {
    world = openWorld({ 'a.txt': 'one\ntwo\n' });
    const reply = await world.call('write_file', { path: 'a.txt', content: 'one\n2\n' });
    expect(reply).toMatchObject({
      created: false,
      diff: '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    });
  });

  test('replaces what is no text without a diff', async () => {
    world = openWorld({ 'a.bin': Buffer.from([0, 1, 2, 255]) });
    const reply = await world.call('write_file', { path: 'a.bin', content: 'text' });
    expect(reply.diff).toBeUndefined();
    expect(readFileSync(join(world.root, 'a.bin'), 'utf8')).toBe('text');
  });

  test('a whole rewrite of a large file gives a short diff, soon', async () => {
    const lines = (word: string) =>
      Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('');
    world = openWorld({ 'a.txt': lines('old') });
    const reply = await world.call('write_file', { path: 'a.txt', content: lines('new') });
    expect(String(reply.diff ?? '').length).toBeLessThan(4100);
  });
});

test('glob tells where a name that is not in the folder lies', async () => {
  world = openWorld({ 'src/a.js': 'x', 'src/b/a.js': 'x' });
  expect((await world.call('glob', { pattern: 'a.js' })).text).toBe(
    '0 of 2 files match. In folders below 2 would: put **/ before the pattern.',
  );
  expect((await world.call('glob', { pattern: '**/c.js' })).text).toBe('0 of 2 files match.');
  mkdirSync(join(world.root, 'empty'));
  expect((await world.call('glob', { pattern: '*', path: 'empty' })).text).toMatch(/^There is no file below/);
  expect((await world.call('grep', { pattern: 'y' })).text).toBe('0 of 2 files match.');
  expect((await world.call('grep', { pattern: 'y', glob: '*.py' })).text).toMatch(
    /^There was no file to search/,
  );
});

describe('list_files', () => {
  test('has the form of the document', async () => {
    world = openWorld({ 'dir1/x': '', 'dir2/y': '', 'file1.txt': 'abc', 'file2.py': '' });
    expect((await world.call('list_files', {})).text).toBe(
      'Directories:\n  dir1/\n  dir2/\n\nFiles:\n  file1.txt\n  file2.py',
    );
    expect((await world.call('list_files', { sizes: true })).files).toEqual([
      { name: 'file1.txt', bytes: 3 },
      { name: 'file2.py', bytes: 0 },
    ]);
  });

  test('pages through ten thousand entries', async () => {
    world = openWorld();
    for (let index = 0; index < 10_000; index++)
      writeFileSync(join(world.root, `f${String(index).padStart(5, '0')}`), '');
    const whole = await world.call('list_files', { limit: 20_000 });
    expect((whole.files as unknown[]).length).toBe(10_000);
    const first = await world.call('list_files', { limit: 9998 });
    const page = await world.call('list_files', { limit: 3, cursor: first.next_cursor });
    expect(page).toMatchObject({ files: [{ name: 'f09998' }, { name: 'f09999' }], total: 10_000 });
    expect(page.next_cursor).toBeUndefined();
  }, 60_000);

  test('a page goes on after the last one, whatever came and went meanwhile', async () => {
    world = openWorld({ 'dir/x': '', a: '', b: '', c: '', 日本: '', 'z\n': '' });
    const first = await world.call('list_files', { limit: 3 });
    expect(first).toMatchObject({ directories: ['dir/'], files: [{ name: 'a' }, { name: 'b' }] });
    rmSync(join(world.root, 'dir'), { recursive: true });
    rmSync(join(world.root, 'b'));
    writeFileSync(join(world.root, 'aa'), '');
    writeFileSync(join(world.root, 'cc'), '');
    const seen: string[] = [];
    let cursor = first.next_cursor;
    while (cursor !== undefined) {
      const page = await world.call('list_files', { limit: 1, cursor });
      seen.push(...(page.files as { name: string }[]).map(({ name }) => name));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(['c', 'cc', 'z\\n', '日本']);
    for (const bad of ['', '12', '!', Buffer.from('3x').toString('base64url')]) {
      expect(await codeOf(world.call('list_files', { cursor: bad }))).toBe('invalid_parameter');
    }
  });

  test('shows names that would deceive as what they are', async () => {
    world = openWorld({ 'a\nb': '', 'c\u202etxt.exe': '', '\u001b[2Jd': '' });
    const { files } = await world.call('list_files', {});
    expect(JSON.stringify(files)).not.toMatch(/\\u001b|\u202e|\\n"/);
    expect(JSON.stringify(files)).toContain('a\\\\nb');
  });

  test('links and pipes are named apart, since they are not read', async () => {
    world = openWorld({ a: '' });
    symlinkSync('/etc', join(world.root, 'link'));
    expect(await world.call('list_files', {})).toMatchObject({ files: [{ name: 'a' }], others: ['link'] });
  });
});

test('glob tells of what only the ignore file hides, and finds folders with brackets in their names', async () => {
  world = openWorld({
    '.gitignore': 'build/\n',
    'build/o.js': 'x',
    'build/p.js': 'x',
    'app/[id]/page.tsx': 'x',
  });
  const { call } = world;
  expect(await call('glob', { pattern: 'build/*.js' })).toMatchObject({
    paths: [],
    total: 0,
    ignored: 2,
    text: '0 of 2 files match. Of those that .gitignore leaves out, 2 would: set include_ignored.',
  });
  expect(await call('glob', { pattern: '*.js', path: 'build' })).toMatchObject({ total: 2 });
  expect((await call('glob', { pattern: 'build/*.js', include_ignored: true })).paths).toHaveLength(2);
  expect(await call('glob', { pattern: 'none/*.js' })).not.toHaveProperty('ignored');
  expect((await call('glob', { pattern: 'app/[id]/*.tsx' })).paths).toEqual(['app/[id]/page.tsx']);
  expect((await call('grep', { pattern: 'x', glob: 'app/[id]/*' })).lines).toHaveLength(1);
});

test('a name that is decomposed on the disk is reached by the composed one, and made no second time', async () => {
  const [guide, folder] = ['ガイド.md', 'プロジェクト'];
  world = openWorld({
    [guide.normalize('NFD')]: 'old',
    [`${folder.normalize('NFD')}/${guide.normalize('NFD')}`]: 'inner',
    'é.txt': 'composed',
  });
  const { call, root } = world;
  const names = () => readdirSync(root, { recursive: true }).length;
  const before = names();

  expect((await call('read_file', { path: guide })).content).toBe('old');
  expect((await call('read_file', { path: `${folder}/${guide}` })).content).toBe('inner');
  expect((await call('read_file', { path: 'é.txt'.normalize('NFD') })).content).toBe('composed');
  await call('write_file', { path: guide, content: 'new' });
  await call('edit_file', { path: `${folder}/${guide}`, old_string: 'inner', new_string: 'changed' });
  expect(names()).toBe(before);
  expect((await call('read_file', { path: guide.normalize('NFD') })).content).toBe('new');
  expect((await call('glob', { pattern: '**/ガイド.md' })).total).toBe(2);

  await call('write_file', { path: `${folder}/新しい.md`, content: 'x' });
  expect(readdirSync(root)).toContain(folder.normalize('NFD'));
  expect(readdirSync(root)).not.toContain(folder);
});

test('grep finds in a named file whatever read_file shows, and looks through one with a NUL', async () => {
  world = openWorld({
    'sjis.txt': Buffer.from('94e08fe382cc8d878c7682cd93fa967b897e82c582b781420a', 'hex'),
    'euc.txt': Buffer.from('c6fccbdcb1dfa4c7a4b9a1a30a', 'hex'),
    'key.mjs': 'const k = `${a}\0${b}`;\nexport const NEEDLE = 1;\n',
    'before.ts': `NEEDLE one\n${'x\n'.repeat(10)}\0\n`,
  });
  const { call } = world;
  for (const path of ['sjis.txt', 'euc.txt']) {
    expect((await call('read_file', { path })).content).toContain('日本円');
    expect((await call('grep', { pattern: '日本円', path })).text).toContain('日本円です');
  }
  expect(await call('grep', { pattern: 'NEEDLE', path: 'key.mjs' })).toMatchObject({ lines: [{ line: 2 }] });
  expect(await call('grep', { pattern: 'NEEDLE', path: 'before.ts' })).toMatchObject({
    lines: [{ line: 1 }],
  });
  expect((await call('grep', { pattern: 'none', path: 'key.mjs' })).text).toBe('0 of 1 files match.');

  expect(await call('grep', { pattern: '日本円', output: 'files' })).toMatchObject({
    files: [{ path: 'euc.txt' }, { path: 'sjis.txt' }],
  });
});

test('grep that finds something also names the files with a NUL that hold it', async () => {
  world = openWorld({
    'a.txt': 'NEEDLE here\n',
    'first.bin': 'NEEDLE\n\0\nNEEDLE\n',
    'sub/later.bin': 'x\0\nNEEDLE\n',
    'other.bin': 'x\0\n',
  });
  const { call } = world;
  const found = await call('grep', { pattern: 'NEEDLE' });
  expect(found).toMatchObject({
    lines: [{ path: 'a.txt', line: 1 }],
    not_text: ['first.bin', 'sub/later.bin'],
    text: 'a.txt:1:NEEDLE here\n[Not text, but matches too: first.bin, sub/later.bin]',
  });
  expect(await call('grep', { pattern: 'NEEDLE', glob: '*.txt' })).not.toHaveProperty('not_text');
  expect(await call('grep', { pattern: 'NEEDLE', output: 'count' })).toMatchObject({
    files: [
      { path: 'a.txt', count: 1 },
      { path: 'first.bin', count: 2 },
      { path: 'sub/later.bin', count: 1 },
    ],
  });
});

test('grep finds words in every encoding that read_file reads, beside those in UTF-8, and in one order', async () => {
  world = openWorld({
    'b.txt': '日本円 b\n',
    'd.txt': '日本円 d\n',
    'c/sjis.txt': Buffer.from('94e08fe382cc8d878c7682cd93fa967b897e82c582b781420a', 'hex'),
    'e-euc.txt': Buffer.from('c6fccbdcb1dfa4c7a4b9a1a30a', 'hex'),
    'f.txt': Buffer.from('\ufeff日本円 f\n', 'utf16le'),
  });
  const found = async (more = {}) =>
    (await world.call('grep', { pattern: '日本円', ...more })) as unknown as {
      lines: readonly { path: string }[];
      next_cursor?: string;
    };
  const all = ['b.txt', 'd.txt', 'e-euc.txt', 'f.txt', 'c/sjis.txt'];
  expect((await found()).lines.map(({ path }) => path).toSorted()).toEqual(all.toSorted());
  const order = (await found()).lines.map(({ path }) => path);
  const paged: string[] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const page = await found({ limit: 2, cursor });
    paged.push(...page.lines.map(({ path }) => path));
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(order);
  expect(await world.call('grep', { pattern: '日本円', output: 'count' })).toMatchObject({
    files: order.map((path) => ({ path, count: 1 })),
  });
  // A line of such a file that matches by its ASCII reads well too.
  writeFileSync(
    join(world.root, 'mixed.c'),
    Buffer.from('2f2f20544f444f2094e08fe382cc8d878c7682cd93fa967b82c582b70a', 'hex'),
  );
  expect((await world.call('grep', { pattern: 'TODO' })).text).toBe('mixed.c:1:// TODO 扉上の合計は日本です');
});

test('a file in Latin-1 is read, found and edited where its encoding is named', async () => {
  const former = Buffer.from('Größe = 1 // Straße\r\n', 'latin1');
  world = openWorld({ 'a.c': former, 'b.c': 'Größe = 2\n' });
  const { call } = world;
  await expect(call('read_file', { path: 'a.c' })).rejects.toMatchObject({
    suggestion: { en: 'If it is text, name its encoding, e.g. encoding: "latin1".' },
  });
  expect(await call('read_file', { path: 'a.c', encoding: 'latin1' })).toMatchObject({
    content: 'Größe = 1 // Straße\r\n',
    encoding: 'windows-1252',
  });
  expect((await call('grep', { pattern: 'Größe' })).text).toBe('a.c:1:Größe = 1 // Straße\nb.c:1:Größe = 2');
  expect(await call('grep', { pattern: '大きさ' })).toMatchObject({ not_searched: { paths: ['a.c'] } });
  await call('edit_file', {
    path: 'a.c',
    old_string: 'Größe = 1',
    new_string: 'Maß = 1',
    encoding: 'latin1',
  });
  expect(readFileSync(join(world.root, 'a.c'))).toEqual(Buffer.from('Maß = 1 // Straße\r\n', 'latin1'));
  await expect(
    call('edit_file', { path: 'a.c', old_string: 'Maß', new_string: '大', encoding: 'latin1' }),
  ).rejects.toThrow('which cannot represent every character of new_string');
  await expect(call('read_file', { path: 'a.c', encoding: 'nonsense' })).rejects.toThrow('encoding');
});

test('what only may be Japanese is said to be a guess, and not written in it unless it is named', async () => {
  world = openWorld({
    'korean.txt': Buffer.from('2f2f20bcb3c1a420c6c4c0cf0a', 'hex'),
    'chinese.txt': Buffer.from('2f2f20a4a4a4e50a', 'hex'),
    'half.txt': Buffer.from('b6c0b6c50a', 'hex'),
    'sure.txt': Buffer.from('94e08fe382cc8d878c7682cd93fa967b897e82c582b781420a', 'hex'),
  });
  const { call } = world;
  for (const path of ['korean.txt', 'chinese.txt', 'half.txt'])
    expect((await call('read_file', { path })).further).toMatch(
      /^\[Not UTF-8\. \S+ is a guess: if the text looks wrong/,
    );
  expect((await call('read_file', { path: 'sure.txt' })).further).toBe('');
  expect((await call('read_file', { path: 'korean.txt', encoding: 'euc-kr' })).text).toBe('// 설정 파일\n');
  expect((await call('read_file', { path: 'chinese.txt', encoding: 'big5' })).text).toBe('// 中文\n');
  expect((await call('read_file', { path: 'half.txt', encoding: 'shift_jis' })).text).toBe('ｶﾀｶﾅ\n');
  const edit = { path: 'korean.txt', old_string: '//', new_string: '// 글' };
  await expect(call('edit_file', edit)).rejects.toThrow('is a guess: new_string would be written wrongly');
  await call('edit_file', { ...edit, encoding: 'euc-kr' });
  expect(readFileSync(join(world.root, 'korean.txt'))).toEqual(
    Buffer.from('2f2f20b1db20bcb3c1a420c6c4c0cf0a', 'hex'),
  );
  await call('edit_file', { path: 'chinese.txt', old_string: '//', new_string: '#' });
});

test('grep names the files that it could not look through, and counts them out', async () => {
  world = openWorld({
    'a.txt': 'plain 日本 é 😀\n',
    'key.mjs': 'x\0\nNEEDLE\n',
    'latin.txt': Buffer.from('Größe\n', 'latin1'),
    'utf16.txt': Buffer.from('\ufeff日本\n', 'utf16le'),
  });
  expect(await world.call('grep', { pattern: 'NEEDLE' })).toMatchObject({
    searched: 2,
    not_searched: { count: 2, paths: ['key.mjs', 'latin.txt'] },
    text: '0 of 2 files match. 2 more cannot be read as text and may hold it: key.mjs, latin.txt',
  });
  expect(await world.call('grep', { pattern: 'NEEDLE', glob: 'a*' })).not.toHaveProperty('not_searched');
});
