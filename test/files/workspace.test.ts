import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ToolError } from '../../src/contract/error.ts';
import type { Workspace, WorkspaceOptions } from '../../src/files/workspace.ts';
import { asReadOnly, openWorkspace } from '../../src/files/workspace.ts';
import { needs, superuser } from '../support/needs.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

function open(options: Partial<WorkspaceOptions> = {}): Workspace & { readonly root: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }], ...options });
  opened.push(() => {
    workspace.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { ...workspace, root };
}

test('a file is created with its folders, read back, replaced, appended to, moved and removed', async () => {
  const { folder, root } = open();
  const place = folder.at('a/b/c.txt');

  expect(await place.create('one\n')).toEqual({ bytes: 4, created: true });
  expect(await place.replace('two\n')).toEqual({ bytes: 4, created: false });
  expect(await place.append('three\n')).toEqual({ bytes: 6, created: false });
  expect((await place.readWhole()).text).toBe('two\nthree\n');
  await place.move(folder.at('a/d.txt'));
  expect(folder.at('a').entries()).toEqual(
    expect.arrayContaining([
      { name: 'b', kind: 'folder' },
      { name: 'd.txt', kind: 'file' },
    ]),
  );
  await folder.at('a/d.txt').remove();
  expect(existsSync(join(root, 'a/d.txt'))).toBe(false);
});

test('create keeps what is there', async () => {
  const { folder, root } = open();
  writeFileSync(join(root, 'a.txt'), 'old');

  await expect(folder.at('a.txt').create('new')).rejects.toMatchObject({ code: 'conflict' });

  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
});

test.each([
  ['', 'invalid_path'],
  ['a\0b', 'invalid_path'],
  ['x\ud800', 'invalid_path'],
  ['n'.repeat(300), 'invalid_path'],
  ['a/'.repeat(3000), 'invalid_path'],
  ['..', 'out_of_scope'],
  ['a/../../b', 'out_of_scope'],
  ['/etc/passwd', 'out_of_scope'],
  ['/../../etc/passwd', 'out_of_scope'],
])('the path %j is refused as %s', (path, code) => {
  const { folder } = open();
  expect(() => folder.at(path)).toThrow(expect.objectContaining({ code }));
});

test('paths that only look long-winded name the same place', () => {
  const { folder, root } = open();
  for (const path of ['a/b', './a/b', 'a//b/', 'x/../a/b', `${root}/a/b`]) {
    expect(folder.at(path).path).toBe('a/b');
  }
  expect(folder.at('b', { base: 'a' }).path).toBe('a/b');
});

test('a symbolic link is refused by name at every component, even one that points inside', async () => {
  const { folder, root } = open();
  mkdirSync(join(root, 'real'));
  writeFileSync(join(root, 'real/x.txt'), 'x');
  symlinkSync('real', join(root, 'link'));
  symlinkSync('real/x.txt', join(root, 'leaf'));

  await expect(folder.at('link/x.txt').readBytes()).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('link is a symbolic link'),
  });
  await expect(folder.at('leaf').readBytes()).rejects.toMatchObject({ code: 'forbidden' });
  await expect(folder.at('leaf').replace('y')).rejects.toMatchObject({ code: 'forbidden' });
  await expect(folder.at('link/y.txt').create('y')).rejects.toMatchObject({ code: 'forbidden' });
  expect(readFileSync(join(root, 'real/x.txt'), 'utf8')).toBe('x');
  expect(existsSync(join(root, 'real/y.txt'))).toBe(false);
});

test('a file hard-linked from outside keeps its content there', async () => {
  const { folder, root } = open();
  const outside = `${root}.outside`;
  writeFileSync(outside, 'outside');
  opened.push(() => rmSync(outside));
  linkSync(outside, join(root, 'in.txt'));

  await folder.at('in.txt').append('!');

  expect(readFileSync(outside, 'utf8')).toBe('outside');
  expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('outside!');
});

test.each([
  '.sekisho-0123456789abcdef.tmp',
  '.git/hooks/pre-commit',
  'x/.GIT/config',
  '.v\u017fcode/tasks.json',
  '.git./config',
  'x/.git /hooks/a',
  '.mcp.json',
  '.vscode/tasks.json',
  'd/.Bashrc',
])('the protected name %s is not written', async (path) => {
  const { folder, root } = open();
  await expect(folder.at(path).create('x')).rejects.toMatchObject({ code: 'forbidden' });
  expect(existsSync(join(root, path))).toBe(false);
});

test('a folder cannot be moved to where a protected file would lie in it', async () => {
  const { folder, root } = open();
  await folder.at('x/mcp.json').create('{}');
  await expect(folder.at('x').move(folder.at('.Cursor'))).rejects.toMatchObject({ code: 'forbidden' });
  await expect(folder.at('x').move(folder.at('.git'))).rejects.toMatchObject({ code: 'forbidden' });
  await folder.at('x').move(folder.at('.cursors'));
  expect(existsSync(join(root, '.cursors/mcp.json'))).toBe(true);
});

test('moving replaces nothing', async () => {
  const { folder, root } = open();
  for (const name of ['a', 'b', 'd/e']) await folder.at(name).create(name);
  await expect(folder.at('a').move(folder.at('b'))).rejects.toMatchObject({ code: 'conflict' });
  await expect(folder.at('d').move(folder.at('b'))).rejects.toMatchObject({ code: 'conflict' });
  await expect(folder.at('d').move(folder.at('d/inside'))).rejects.toMatchObject({
    code: expect.any(String),
  });
  expect(readFileSync(join(root, 'b'), 'utf8')).toBe('b');
  expect(readFileSync(join(root, 'd/e'), 'utf8')).toBe('d/e');
});

test('a text is written back in the encoding that it had, and refuses what that cannot hold', async () => {
  const { folder, root } = open();
  const place = folder.at('名簿.csv');
  await place.create('氏名,住所\n', { encoding: 'shift_jis' });
  expect(readFileSync(join(root, '名簿.csv'))).toEqual(
    Buffer.from([0x8e, 0x81, 0x96, 0xbc, 0x2c, 0x8f, 0x5a, 0x8f, 0x8a, 0x0a]),
  );
  await place.append('東京\n', { encoding: 'shift_jis' });
  expect(await place.readWhole()).toMatchObject({ text: '氏名,住所\n東京\n', encoding: 'shift_jis' });
  await expect(place.replace('😀', { encoding: 'shift_jis' })).rejects.toMatchObject({
    code: 'unsupported_encoding',
  });
  await folder.at('wide.txt').create('あ', { encoding: 'utf-16le' });
  await folder.at('wide.txt').append('い', { encoding: 'utf-16le' });
  expect(await folder.at('wide.txt').readWhole()).toMatchObject({ text: 'あい', hasBom: true });
  expect((await place.readWhole()).text).toBe('氏名,住所\n東京\n');
});

test('a large file grows in place; one that is linked elsewhere is written anew', async () => {
  const { folder, root } = open();
  await folder.at('big').create('x'.repeat(2_000_000));
  const { ino } = statSync(join(root, 'big'));
  await folder.at('big').append('end');
  expect(statSync(join(root, 'big'))).toMatchObject({ ino, size: 2_000_003 });
  linkSync(join(root, 'big'), join(root, 'other'));
  await folder.at('big').append('more');
  expect(statSync(join(root, 'other')).size).toBe(2_000_003);
  expect(statSync(join(root, 'big')).size).toBe(2_000_007);
});

test('where roots lie in each other the inner one speaks', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  mkdirSync(join(root, 'out'));
  const workspace = openWorkspace({
    roots: [
      { path: root, writable: false },
      { path: join(root, 'out'), writable: true },
    ],
  });
  opened.push(() => {
    workspace.close();
    rmSync(root, { recursive: true });
  });
  await expect(workspace.folder.at('a').create('x')).rejects.toMatchObject({ code: 'forbidden' });
  await workspace.folder.at('out/a').create('x');
  expect(workspace.folder.at('out/a')).toMatchObject({ path: 'a', rootIndex: 1, shown: 'out/a' });
});

test('what is under way when the workspace closes ends well, and nothing begins after', async () => {
  const { folder, root, close } = open();
  opened.length = 0;
  opened.push(() => rmSync(root, { recursive: true }));
  const writing = folder.at('a.bin').create(new Uint8Array(8_000_000));
  const waiting = folder
    .at('a.bin')
    .append('more')
    .catch((error: unknown) => error);
  await new Promise(setImmediate);
  close();
  // Descriptors that take the numbers which are free now.
  const others = Array.from({ length: 8 }, () => openSync(tmpdir(), 'r'));
  await writing;
  expect(await waiting).toMatchObject({ code: 'unavailable' });
  await expect(folder.at('a.bin').readBytes()).rejects.toMatchObject({ code: 'unavailable' });
  for (const fd of others) closeSync(fd);
  expect(statSync(join(root, 'a.bin')).size).toBe(8_000_000);
});

test('a relative path is looked for in every root, and a new file lies in the first', async () => {
  const further = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  const last = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  mkdirSync(join(further, 'sub'));
  for (const [folder, name] of [
    [further, 'sub/a.txt'],
    [further, 'both.txt'],
    [last, 'both.txt'],
    [last, 'last.txt'],
  ] as const)
    writeFileSync(join(folder, name), folder);
  symlinkSync('/etc/passwd', join(further, 'link'));
  const first = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  const { folder } = open({ roots: [first, further, last].map((path) => ({ path, writable: true })) });
  opened.push(() => {
    for (const path of [first, further, last]) rmSync(path, { recursive: true, force: true });
  });
  const hosts = (path: string) => folder.at(path).hostPath;
  expect(hosts('sub/a.txt')).toBe(join(further, 'sub/a.txt'));
  expect(hosts('./sub')).toBe(join(further, 'sub'));
  expect(hosts('both.txt')).toBe(join(further, 'both.txt'));
  expect(hosts('last.txt')).toBe(join(last, 'last.txt'));
  expect(hosts('sub/new.txt')).toBe(join(first, 'sub/new.txt'));
  expect(hosts('missing.txt')).toBe(join(first, 'missing.txt'));
  expect((await folder.at('last.txt').readText()).text).toBe(last);
  await expect(folder.at('link').readText()).rejects.toThrow('link');
  writeFileSync(join(first, 'both.txt'), first);
  expect(hosts('both.txt')).toBe(join(first, 'both.txt'));
  expect(() => folder.at('../x')).toThrow('outside the allowed folders');
});

test('a read-only view refuses every change', async () => {
  const { folder, root } = open();
  const view = asReadOnly(folder);
  await expect(view.at('a.txt').create('x')).rejects.toMatchObject({ code: 'forbidden' });
  expect(() => view.at('d').makeFolder()).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(view.roots).toEqual([{ hostPath: root, writable: false }]);
});

test('a part of a folder cannot be left', () => {
  const { folder, root } = open();
  const part = folder.sub('notes');
  expect(part.at('a.md').path).toBe('a.md');
  expect(part.at('a.md').hostPath).toBe(join(root, 'notes/a.md'));
  expect(() => part.at('../b')).toThrow(expect.objectContaining({ code: 'out_of_scope' }));
  expect(() => part.at(`${root}/b`)).toThrow(expect.objectContaining({ code: 'out_of_scope' }));
});

test('a replaced file keeps its mode, and a new one gets no execute bit', async () => {
  const { folder, root } = open();
  writeFileSync(join(root, 'run'), 'old', { mode: 0o750 });
  await folder.at('run').replace('new');
  await folder.at('new').create('new');
  expect(statSync(join(root, 'run')).mode & 0o7777).toBe(0o750);
  expect(statSync(join(root, 'new')).mode & 0o111).toBe(0);
});

test(
  'a file that its owner made read-only is not replaced',
  needs(superuser() === undefined ? 'root may write everything' : undefined),
  async () => {
    const { folder, root } = open();
    writeFileSync(join(root, 'kept'), 'old', { mode: 0o444 });
    await expect(folder.at('kept').replace('new')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(folder.at('kept').append('new')).rejects.toMatchObject({ code: 'forbidden' });
    expect(readFileSync(join(root, 'kept'), 'utf8')).toBe('old');
  },
);

test('the observer can read what a change is about to replace', async () => {
  const seen: unknown[] = [];
  const { folder } = open({
    observer: {
      beforeChange: ({ action, path, former }) => {
        seen.push([action, path, former?.read().toString()]);
      },
    },
  });
  await folder.at('a').create('1');
  await folder.at('a').replace('2');
  await folder.at('a').remove();
  expect(seen).toEqual([
    ['create', 'a', undefined],
    ['replace', 'a', '1'],
    ['remove', 'a', '2'],
  ]);
});

test('of two changes based on the same read, one is told of the other', async () => {
  const { folder } = open();
  const place = folder.at('a.txt');
  await place.create('0');
  const { stat } = await place.readWhole();

  const results = await Promise.allSettled([
    place.replace('1', { expected: stat }),
    place.replace('2', { expected: stat }),
  ]);

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect((await place.readWhole()).text).toBe('1');
});

test('a file that another program changes before the new content takes its place is kept', async () => {
  const { folder, root } = open({
    observer: {
      beforeChange: ({ action }) => {
        if (action === 'replace') writeFileSync(join(root, 'a.txt'), 'by another program');
      },
    },
  });
  await folder.at('a.txt').create('0');
  const { stat } = await folder.at('a.txt').readWhole();
  await expect(folder.at('a.txt').replace('1', { expected: stat })).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('by another program');
  expect(readdirSync(root)).toEqual(['a.txt']);
});

test('an observer that fails stops the change', async () => {
  const { folder, root } = open({
    observer: {
      beforeChange: () => {
        throw new Error('no room for the history');
      },
    },
  });
  await expect(folder.at('a.txt').create('x')).rejects.toThrow('no room');
  expect(readdirSync(root)).toEqual([]);
});

test('half a character is not written as another', async () => {
  const { folder, root } = open();
  await expect(folder.at('a.txt').create('x\ud83d')).rejects.toMatchObject({ code: 'invalid_parameter' });
  expect(readdirSync(root)).toEqual([]);
});

test('a root that is reached by a link is known by both its names', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'files-')));
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'alias'));
  const workspace = openWorkspace({ roots: [{ path: join(root, 'alias'), writable: true }] });
  opened.push(() => {
    workspace.close();
    rmSync(root, { recursive: true });
  });
  await workspace.folder.at(join(root, 'alias/a')).create('x');
  expect(workspace.folder.at(join(root, 'real/a')).path).toBe('a');
  expect(readFileSync(join(root, 'real/a'), 'utf8')).toBe('x');
});

test('whatever the path, a place lies inside and is the one that the words name', () => {
  const { folder, root } = open();
  const name = fc.oneof(
    fc.constantFrom('..', '.', '', '...', '..a', 'a', 'b', root.slice(1), ' '),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  );
  const path = fc.array(name, { minLength: 1, maxLength: 8 }).map((names) => names.join('/'));
  fc.assert(
    fc.property(path, fc.boolean(), (relative, isAbsolute) => {
      const given = isAbsolute ? `${root}/${relative}` : relative;
      const named = resolve(root, given);
      const isInside = named === root || named.startsWith(`${root}/`);
      try {
        const place = folder.at(given);
        expect(place.hostPath).toBe(named);
        expect(isInside).toBe(true);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        if (error.code === 'out_of_scope') expect(isInside).toBe(false);
        else expect(given === '' || given.includes('\0') || !given.isWellFormed()).toBe(true);
      }
    }),
    { seed: 11, numRuns: 3000 },
  );
});

test('a file is read exactly where its path goes through no link', async () => {
  const { folder, root } = open();
  for (const dir of ['a', 'a/b', 'c']) mkdirSync(join(root, dir));
  for (const file of ['a/x', 'a/b/x', 'c/x', 'x']) writeFileSync(join(root, file), file);
  for (const [at, to] of [
    ['a/l', '../c'],
    ['c/l', 'x'],
    ['l', 'a/b'],
    ['a/b/l', root],
    ['o', '/etc'],
    ['loop', 'loop'],
  ] as const) {
    symlinkSync(to, join(root, at));
  }
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'l', 'x', 'o', 'loop', 'passwd'), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(names, async (some) => {
      const path = some.join('/');
      const host = join(root, path);
      const isPlain = existsSync(host) && realpathSync(host) === host && statSync(host).isFile();
      const read = await folder
        .at(path)
        .readText()
        .then(({ text }) => text)
        .catch((error: ToolError) => error.code);
      if (isPlain) expect(read).toBe(path);
      else expect(['not_found', 'forbidden', 'unsupported_type']).toContain(read);
    }),
    { seed: 3, numRuns: 2000 },
  );
});

test('a withdrawn write leaves everything as it was', async () => {
  const { folder } = open();
  await folder.at('a.txt').create('old');
  const signal = AbortSignal.abort();
  await expect(folder.at('a.txt').replace('new', { signal })).rejects.toMatchObject({ code: 'cancelled' });
  expect(folder.at('.').entries()).toEqual([{ name: 'a.txt', kind: 'file' }]);
  expect((await folder.at('a.txt').readWhole()).text).toBe('old');
});
