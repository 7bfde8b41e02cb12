import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What a folder holds, by path: kind, mode and a digest of each file, and what git says of the repository. */
export type Tree = ReadonlyMap<string, string>;

export function treeOf(folder: string): Tree {
  const found = new Map<string, string>();
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const full = join(folder, path);
      if (path === '.git') continue;
      const { mode } = lstatSync(full);
      const shown = (mode & 0o7777).toString(8);
      if (entry.isDirectory()) {
        found.set(`${path}/`, shown);
        walk(path);
      } else if (entry.isSymbolicLink()) found.set(path, `-> ${readlinkSync(full)}`);
      else found.set(path, `${shown} ${createHash('sha256').update(readFileSync(full)).digest('hex')}`);
    }
  };
  walk('');
  for (const question of questions) found.set(`git ${question.join(' ')}`, ask(folder, question));
  return found;
}

// Files of .git hold times; what they mean does not.
const questions = [
  ['status', '--porcelain'],
  ['symbolic-ref', 'HEAD'],
  ['log', '--all', '--format=%T %s'],
  ['branch', '--format=%(refname)'],
  ['tag'],
  ['stash', 'list', '--format=%gs'],
  ['config', '--local', '--list'],
];

function ask(folder: string, question: readonly string[]): string {
  try {
    const said = execFileSync('git', ['-C', folder, ...question], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // Commits of one second stand in either order.
    return said.split('\n').sort().join('\n');
  } catch {
    return 'failed';
  }
}

/** Paths at which two trees differ. */
export function differences(one: Tree, other: Tree): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => one.get(path) !== other.get(path))
    .sort();
}

/**
 * Paths that stand in a folder whose entries had other names each time: cargo names one by the time it began, so the
 * third run has a third name.
 */
export function isNamedAnew(path: string, one: Tree, other: Tree): boolean {
  const folders = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
  return folders.some(
    (folder) =>
      one.has(folder) && other.has(folder) && hasNew(folder, one, other) && hasNew(folder, other, one),
  );
}

function hasNew(folder: string, one: Tree, other: Tree): boolean {
  return [...one.keys()].some(
    (path) => /^[^/]+\/?$/.test(path.slice(folder.length)) && path.startsWith(folder) && !other.has(path),
  );
}
