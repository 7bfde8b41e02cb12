import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a folder holds, by path: kind, mode and a digest of each file, and what git says of the repository; without what
 * cargo notes of the environment that it asked rustc in.
 */
export type Tree = ReadonlyMap<string, string>;

export function treeOf(folder: string): Tree {
  const found = new Map<string, string>();
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      const full = join(folder, path);
      if (path === '.git' || path.endsWith('/.rustc_info.json')) continue;
      const stat = lstatSync(full, { bigint: true });
      const shown = (Number(stat.mode) & 0o7777).toString(8);
      if (entry.isDirectory()) {
        found.set(`${path}/`, shown);
        walk(path);
      } else if (entry.isSymbolicLink()) found.set(path, `-> ${readlinkSync(full)}`);
      else
        found.set(
          path,
          `${shown} ${digestOf(full, `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`)}`,
        );
    }
  };
  walk('');
  for (const question of questions) found.set(`git ${question.join(' ')}`, ask(folder, question));
  return found;
}

const digests = new Map<string, string>();

/** A file that was not touched is read once. */
function digestOf(path: string, stamp: string): string {
  const known = digests.get(stamp) ?? createHash('sha256').update(readFileSync(path)).digest('hex');
  digests.set(stamp, known);
  return known;
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
 * Says which paths stand in a folder whose entries had other names each time: cargo names one by the time it began, so the
 * third run has a third name.
 */
export function namedAnew(one: Tree, other: Tree): (path: string) => boolean {
  const [lost, found] = [foldersOfNew(one, other), foldersOfNew(other, one)];
  return (path) =>
    [...path.matchAll(/\//g)].some(({ index }) => {
      const folder = path.slice(0, index + 1);
      return lost.has(folder) && found.has(folder);
    });
}

/** Folders in which one tree has an entry that the other has not. */
function foldersOfNew(one: Tree, other: Tree): ReadonlySet<string> {
  const fresh = [...one.keys()].filter((path) => !other.has(path));
  return new Set(fresh.map((path) => path.slice(0, path.lastIndexOf('/', path.length - 2) + 1)));
}
