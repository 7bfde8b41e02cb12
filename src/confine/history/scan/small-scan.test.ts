import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linux, needs } from '../../../../test/support/needs.ts';
import { scan } from './scan.ts';
import { scanSmall, smallEntries } from './small-scan.ts';

test('a small folder is seen as find sees it', needs(linux()), async () => {
  const folder = place();
  mkdirSync(join(folder, 'a/b/c'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/x'), { recursive: true });
  mkdirSync(join(folder, '.shelpa'));
  writeFileSync(join(folder, 'a/b/c/deep.txt'), 'deep');
  writeFileSync(join(folder, 'a/日本 \n*.txt'), '');
  writeFileSync(join(folder, 'node_modules/x/index.js'), '');
  writeFileSync(join(folder, 'a/node_modules'), 'a file of that name is looked at');
  writeFileSync(join(folder, '.shelpa/mirror'), '');
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), 'no UTF-8');
  symlinkSync('..', join(folder, 'a/up'));
  symlinkSync('/nowhere', join(folder, 'broken'));
  chmodSync(join(folder, 'a/b/c/deep.txt'), 0o640);
  const ignore = ['node_modules'];

  const small = scanSmall(folder, { ignore });
  const found = await scan(folder, { ignore, expectedEntries: smallEntries + 1 });

  const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
  expect(small?.toSorted(byPath)).toEqual(found.toSorted(byPath));
  expect(small?.map(({ path }) => path).toSorted()).toEqual(
    [
      '',
      'a',
      'a/b',
      'a/b/c',
      'a/b/c/deep.txt',
      'a/node_modules',
      'a/up',
      'a/日本 \n*.txt',
      'broken',
    ].toSorted(),
  );
});

test('only what changed after a moment is told, at any depth', needs(linux()), () => {
  const folder = place();
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/b/file'), '');
  const changedAfterMs = Date.now() + 60_000;
  expect(scanSmall(folder, { ignore: [], changedAfterMs })).toEqual([]);
  expect(scanSmall(folder, { ignore: [], changedAfterMs: 0 })).toHaveLength(4);
});

test(
  'a folder with more in it than the bound is left to another way, which finds all of it',
  needs(linux()),
  async () => {
    const folder = place();
    for (let n = 0; n <= smallEntries; n++) writeFileSync(join(folder, `${n}`), '');
    expect(scanSmall(folder, { ignore: [] })).toBeUndefined();
    expect(await scan(folder, { ignore: [] })).toHaveLength(smallEntries + 2);
  },
);

test('a folder that became a link leads nowhere', needs(linux()), () => {
  const folder = place();
  const outside = place();
  writeFileSync(join(outside, 'secret'), '');
  mkdirSync(join(folder, 'a'));
  renameSync(join(folder, 'a'), join(folder, 'b'));
  symlinkSync(outside, join(folder, 'a'));
  expect(
    scanSmall(folder, { ignore: [] })
      ?.map(({ path, kind }) => `${path} ${kind}`)
      .toSorted(),
  ).toEqual([' folder', 'a symlink', 'b folder']);
  // The folder itself, too.
  expect(scanSmall(join(folder, 'a'), { ignore: [] })?.map(({ path }) => path)).toEqual(['']);
});

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-scan-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
