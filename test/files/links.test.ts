import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import type { Folder } from '../../src/contract/capabilities/files.ts';
import type { Workspace } from '../../src/files/workspace.ts';
import { asFollowing, openWorkspace } from '../../src/files/workspace.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

let base: string;
let root: string;
let workspace: Workspace;
let folder: Folder;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'links-')));
  root = join(base, 'root');
  for (const path of ['root/real/deep', 'root/.git', 'root/state', 'outside', 'more'])
    mkdirSync(join(base, path), { recursive: true });
  writeFileSync(join(root, 'real/a.txt'), 'inside');
  writeFileSync(join(base, 'outside/a.txt'), 'secret');
  writeFileSync(join(base, 'more/m.txt'), 'more');
  workspace = openWorkspace({
    roots: [
      { path: root, writable: true },
      { path: join(base, 'more'), writable: false },
    ],
    hiddenPaths: [join(root, 'state')],
  });
  folder = asFollowing(workspace.folder);
});
afterEach(() => {
  workspace.close();
  rmSync(base, { recursive: true });
});

const link = (name: string, target: string) => symlinkSync(target, join(root, name));
const codeOf = async (work: () => unknown) => {
  try {
    await work();
    return 'done';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('a link to something inside', () => {
  test('is read and written by what it leads to, and shown by that name', async () => {
    link('file', 'real/a.txt');
    link('folder', join(root, 'real'));
    link('again', 'folder');
    link('real/up', '../real/deep/../a.txt');

    for (const path of ['file', 'folder/a.txt', 'again/a.txt', 'folder/up', join(root, 'again/up')]) {
      const place = folder.at(path);
      expect(place.path, path).toBe('real/a.txt');
      expect((await place.readText()).text, path).toBe('inside');
    }
    await folder.at('again/new.txt').create('made');
    await folder.at('file').replace('changed');
    expect(readFileSync(join(root, 'real/new.txt'), 'utf8')).toBe('made');
    expect(readFileSync(join(root, 'real/a.txt'), 'utf8')).toBe('changed');
    // It is still a link.
    expect(folder.at('file').path).toBe('real/a.txt');
    expect(folder.at('folder').entries().length).toBe(4);
  });

  test('is refused where the folder follows none', async () => {
    link('file', 'real/a.txt');
    expect(await codeOf(() => workspace.folder.at('file').readBytes())).toBe('forbidden');
  });

  test('in another root has that root’s rights', async () => {
    link('other', join(base, 'more'));
    expect((await folder.at('other/m.txt').readText()).text).toBe('more');
    expect(await codeOf(() => folder.at('other/m.txt').replace('x'))).toBe('forbidden');
  });

  test('that is protected or the server’s own stays so', async () => {
    link('git', '.git');
    link('hidden', 'state');
    expect(await codeOf(() => folder.at('git/config').create('x'))).toBe('forbidden');
    expect(await codeOf(() => folder.at('hidden/db').create('x'))).toBe('forbidden');
  });

  test('is not followed out of a part of the folder', async () => {
    link('real/deep/top', '../a.txt');
    expect(await codeOf(() => folder.sub('real/deep').at('top'))).toBe('out_of_scope');
  });
});

test.each([
  ['../outside/a.txt'],
  ['../outside'],
  ['/etc/passwd'],
  ['/proc/self/environ'],
  ['/proc/self/root'],
  ['../outside/nothing-there'],
  ['loop'],
  ['real/../../outside/a.txt'],
])('a link to %s is refused, and so are its further names', async (target) => {
  link('loop', target);
  link('twice', 'loop');
  for (const path of ['loop', 'twice', 'loop/a.txt', 'twice/a.txt']) {
    expect(await codeOf(() => folder.at(path).readBytes()), path).toBe('forbidden');
    expect(await codeOf(() => folder.at(path).replace('x')), path).toBe('forbidden');
  }
  expect(readFileSync(join(base, 'outside/a.txt'), 'utf8')).toBe('secret');
});

test('whatever links are made of, what is read lies inside', async () => {
  const part = fc.constantFrom('..', '.', 'real', 'a', 'b', 'c', 'a.txt', 'outside', 'root', '');
  const target = fc.tuple(fc.constantFrom('', '/', `${base}/`, `${root}/`), fc.array(part, { maxLength: 5 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(target, { minLength: 3, maxLength: 3 }),
      fc.array(part, { minLength: 1 }),
      async (targets, path) => {
        for (const [index, [start, parts]] of targets.entries()) {
          const name = 'abc'[index] as string;
          rmSync(join(root, name), { force: true });
          link(name, `${start}${parts.join('/')}` || '.');
        }
        let read = 'nothing';
        await codeOf(async () => {
          read = (await folder.at(path.join('/') || '.').readText()).text;
        });
        expect(['nothing', 'inside']).toContain(read);
      },
    ),
    { numRuns: 300 },
  );
});

describe('a file that is served alone', () => {
  function openAlone(named?: string): Folder {
    workspace.close();
    workspace = openWorkspace({
      roots: [{ path: root, writable: true }],
      files: [{ path: join(base, 'outside/a.txt'), writable: true, named }],
    });
    return asFollowing(workspace.folder);
  }

  test('is read and written by its whole name, and nothing beside it', async () => {
    const alone = openAlone();
    writeFileSync(join(base, 'outside/b.txt'), 'secret');
    expect((await alone.at(join(base, 'outside/a.txt')).readText()).text).toBe('secret');
    await alone.at('../outside/a.txt').replace('changed');
    expect(readFileSync(join(base, 'outside/a.txt'), 'utf8')).toBe('changed');
    for (const path of ['outside', 'outside/b.txt', 'outside/a.txt/x', 'outside/a.txt/../b.txt'])
      expect(await codeOf(() => alone.at(join(base, path))), path).toBe('out_of_scope');
    expect(alone.roots).toEqual([{ hostPath: root, writable: true }]);
  });

  test('is found by the link that the operator named, and by a link in the root', async () => {
    symlinkSync(join(base, 'outside/a.txt'), join(base, 'named'));
    link('inside-link', '../outside/a.txt');
    const alone = openAlone(join(base, 'named'));
    for (const path of [join(base, 'named'), 'inside-link'])
      expect((await alone.at(path).readText()).text).toBe('secret');
  });
});

describe('through the checkpoint', () => {
  test('file_read and file_write follow a link inside, and history names what it led to', async () => {
    await using world = await openTestCheckpoint({
      files: { 'real/a.txt': 'old' },
      config: { toolsets: ['agent-cli', 'assistant'], assistant: { layout: 'workspace' } },
    });
    symlinkSync('real', join(world.root, 'link'));
    symlinkSync('/etc', join(world.root, 'out'));

    expect(await world.call('file_read', { path: 'link/a.txt' })).toMatchObject({ kind: 'output' });
    expect(
      await world.call('edit_file', { path: 'link/a.txt', old_string: 'old', new_string: 'new' }),
    ).toMatchObject({ kind: 'output', structured: { path: 'real/a.txt' } });
    expect(await world.call('read_file', { path: 'out/passwd' })).toMatchObject({
      kind: 'error',
      code: 'forbidden',
    });
    const [entry] = await (await world.checkpoint.store()).history.list({ limit: 1 });
    expect(entry).toMatchObject({ path: 'real/a.txt' });
  });

  test('the layout output, as its document has it, follows none', async () => {
    await using world = await openTestCheckpoint({
      files: { 'real/a.txt': 'old' },
      config: { toolsets: ['assistant'] },
    });
    symlinkSync('real', join(world.root, 'link'));
    expect(await world.call('read_file', { path: 'link/a.txt' })).toMatchObject({
      code: 'forbidden',
    });
  });

  test('--allow-path takes a file, also by a link; the server’s own is none to take', async () => {
    const more = join(base, 'more/m.txt');
    symlinkSync(more, join(base, 'by-link'));
    await using world = await openTestCheckpoint({
      config: { toolsets: ['agent-cli'] },
      flags: { allowPath: [join(base, 'by-link')] },
    });
    for (const path of [more, join(base, 'by-link')])
      expect(await world.call('file_read', { path })).toMatchObject({ structured: { content: 'more' } });
    expect(await world.call('file_read', { path: join(base, 'outside/a.txt') })).toMatchObject({
      code: 'out_of_scope',
    });
    expect(await world.call('shell_exec', { command: 'cat', args: [more] })).toMatchObject({
      structured: { stdout: 'more' },
    });
    const own = join(world.folder, 'sekisho.jsonc');
    expect(() =>
      loadSettings({ root: world.root, config: own, allowPath: [own] }, { HOME: world.folder }, world.root),
    ).toThrow('belongs to this server');
  });

  test('a start folder that a link led to is found by that name', async () => {
    symlinkSync(root, join(base, 'way'));
    const settings = loadSettings({}, { HOME: base, PWD: join(base, 'way') }, root);
    expect(settings.roots[0]).toEqual({ path: root, named: join(base, 'way'), writable: true });
    const opened = openWorkspace({ roots: settings.roots });
    expect((await opened.folder.at(join(base, 'way/real/a.txt')).readText()).text).toBe('inside');
    opened.close();
    // A stale or invented PWD names nothing.
    for (const PWD of [join(base, 'more'), '/nothing', 'way', ''])
      expect(loadSettings({}, { HOME: base, PWD }, root).roots[0]?.named, PWD).toBe(root);
  });
});
