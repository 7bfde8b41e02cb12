import { namesAt, statAt } from '../entries.ts';
import { readBounded } from '../losses/read-bounded.ts';

/* Paths are bytes, one per character. */

/** Is this a ref file, relative to a repository's folder or with it? */
export function isRefFile(path: string): boolean {
  return /(^|\/)(HEAD|ORIG_HEAD|FETCH_HEAD|packed-refs|refs\/.+)$/.test(path) && !/(^|\/)logs\//.test(path);
}

/** The ids in a ref file. */
export function idsIn(path: string): readonly string[] {
  const words = readBounded(path, mostBytes)?.toString('latin1') ?? '';
  return words.match(/^\^?[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)/gm)?.map((id) => id.replace('^', '')) ?? [];
}

/**
 * The commits of all refs of a repository, except those in some files. `common` is the folder that its worktrees share.
 */
export function tipsOf(common: string, without: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const worktrees = namesAt(`${common}/worktrees`).map((name) => `worktrees/${name}/HEAD`);
  const files = ['HEAD', 'ORIG_HEAD', 'FETCH_HEAD', 'packed-refs', ...worktrees];
  const own = files.map((name) => `${common}/${name}`).filter((path) => !without.has(path));
  return new Set([...own.flatMap(idsIn), ...idsBelow(`${common}/refs`, without)]);
}

/** The ids that a fetch wrote into a repository's folder. */
export function fetchedIn(common: string): readonly string[] {
  const below = ['refs/remotes', 'refs/tags'].flatMap((name) => idsBelow(`${common}/${name}`));
  return [...idsIn(`${common}/FETCH_HEAD`), ...below];
}

function idsBelow(top: string, without: ReadonlySet<string> = new Set()): readonly string[] {
  const ids: string[] = [];
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined && ids.length < mostTips; folder = waiting.pop())
    for (const name of namesAt(folder)) {
      const path = `${folder}/${name}`;
      if (statAt(path)?.isDirectory()) waiting.push(path);
      else if (!without.has(path)) ids.push(...idsIn(path));
    }
  return ids;
}

const mostBytes = 16 * 1024 * 1024;
const mostTips = 20_000;
