import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asHiding, openWorkspace, type Workspace } from '../workspace.ts';
import { nearestNames } from './lookalikes.ts';

let root = '';
let workspace: Workspace;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lookalikes-'));
  for (const path of [
    'src/main.ts',
    'src/mainly/x',
    'README.md',
    'notes/買い物メモ.md',
    'state/audit.db',
    'own/a',
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'x');
  }
  symlinkSync('/etc', join(root, 'etc'));
  workspace = openWorkspace({
    roots: [{ path: root, writable: true }],
    hiddenPaths: [join(root, 'state')],
  });
});

afterEach(() => {
  workspace.close();
  rmSync(root, { recursive: true, force: true });
});

function hintOf(path: string, folder = workspace.folder): string | undefined {
  try {
    folder.at(path).openRead();
  } catch (error) {
    return (error as { suggestion?: { en: string } }).suggestion?.en;
  }
  throw new Error(`${path} is there`);
}

test.each([
  ['src/Main.ts', 'Did you mean src/main.ts?'],
  ['src/main.js', 'Did you mean src/main.ts?'],
  ['src/mian.ts', 'Did you mean src/main.ts?'],
  ['scr/main.ts', 'Did you mean src/main.ts?'],
  ['SRC/other.ts', 'Did you mean src?'],
  ['src\\main.ts', 'Did you mean src/main.ts?'],
  ['readme', 'Did you mean README.md?'],
  ['notes/買物メモ.md', 'Did you mean notes/買い物メモ.md?'],
  ['README.md/x', 'Did you mean README.md?'],
  ['src', 'Name a file in it; it contains main.ts, mainly.'],
  ['.', 'Name a file in it; it contains README.md, etc, notes, own, src.'],
])('%s: %s', (path, hint) => {
  expect(hintOf(path)).toBe(hint);
});

test.each(['src/wholly-different.ts', 'x', 'a/b/c/d', 'etc/passwt', 'Stat'])('%s brings no guess', (path) => {
  expect(hintOf(path) ?? '').not.toMatch(/Did you mean/);
});

test('what the caller may not know of is not named, nor through a folder of its own', () => {
  const hiding = asHiding(workspace.folder, (path) => path.startsWith('own'));
  expect(hintOf('owm/a', hiding)).toBeUndefined();
  expect(hintOf('owm/a')).toBe('Did you mean own/a?');
  expect(hintOf('Main.ts', workspace.folder.sub('src'))).toBe('Did you mean main.ts?');
});

test('a name that would write over a terminal is shown as plain words', () => {
  writeFileSync(join(root, 'no\u001b[31mte\n.md'), 'x');
  expect(hintOf('no[31mte.md') ?? '').not.toMatch(/[\u001b\n]/);
});

test('the nearest come first, and no more than three', () => {
  expect(nearestNames(['cat', 'bat', 'hat', 'rat', 'at', 'zebra'], 'at')).toEqual(['at', 'bat', 'cat']);
  expect(nearestNames(['a-b.ts', 'a_b.js', 'ab.py'], 'A B.ts')).toEqual(['a-b.ts', 'a_b.js', 'ab.py']);
  expect(nearestNames(['', 'x'], '')).toEqual([]);
});
