import { availableParallelism } from 'node:os';
import type { NameMatches, NameQuery } from '../contract/capabilities/files.ts';
import { isTemporaryName } from '../files/names.ts';
import { atOnce, type Gathered, type GatheredSearches } from './gathered.ts';
import { createGlob } from './glob.ts';
import type { Ripgrep } from './ripgrep.ts';
import { comparePaths, createSmallest } from './smallest.ts';

/** Finds files by name. More than one page is gathered at once, for the pages that follow. */
export async function searchNames(
  ripgrep: Ripgrep,
  query: NameQuery,
  searches: GatheredSearches,
): Promise<NameMatches> {
  const { below, skip: _skip, signal: _signal, offset = 0, limit, continues, ...asked } = query;
  const key = JSON.stringify(['names', below.hostPath, asked]);
  const wanted = offset + limit;
  const earlier = continues ? searches.find<GatheredNames>(key) : undefined;
  const found = earlier && earlier.reach >= wanted ? earlier : await gatherNames(ripgrep, query, wanted);
  if (found !== earlier && found.items.length > wanted) {
    searches.keep(
      key,
      found,
      found.items.reduce((bytes, path) => bytes + 2 * path.length + 32, 0),
    );
  }
  const { items, total, searched, deeper } = found;
  return { paths: items.slice(offset, wanted), total, searched, deeper };
}

interface GatheredNames extends Gathered<string>, Pick<NameMatches, 'total' | 'searched' | 'deeper'> {}

/** ripgrep lists the files; the glob is matched here as they come. */
async function gatherNames(ripgrep: Ripgrep, query: NameQuery, wanted: number): Promise<GatheredNames> {
  const matches = createGlob(query.pattern);
  const isName = !query.pattern.includes('/') && !query.pattern.startsWith('**');
  const matchesDeeper = isName ? createGlob(`**/${query.pattern}`) : undefined;
  const most = atOnce(wanted);
  // ripgrep sorts newest first itself: that costs one of its threads and none of ours.
  const newest: string[] = [];
  const first = createSmallest(most, comparePaths, query.continues ? most : wanted);
  const take = query.newestFirst
    ? (path: string) => void (newest.length < most && newest.push(path))
    : first.add;
  let searched = 0;
  let total = 0;
  let deeper = 0;

  await listNames(ripgrep, query, query.newestFirst ? ['--sortr=modified'] : [], (path) => {
    if (query.skip?.(path)) return;
    searched++;
    if (isTemporaryName(path.slice(path.lastIndexOf('/') + 1))) return;
    if (matches(path)) {
      total++;
      take(path);
    } else if (matchesDeeper?.(path)) {
      deeper++;
    }
  });
  const items = query.newestFirst ? newest : first.take();
  const reach = total <= items.length ? Number.POSITIVE_INFINITY : items.length;
  return { items, reach, total, searched, deeper };
}

/** Reports every file that a search would read, in any order. */
export async function listNames(
  ripgrep: Ripgrep,
  query: Pick<NameQuery, 'below' | 'signal' | 'includeIgnored'>,
  args: readonly string[],
  tell: (path: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  await ripgrep.run({
    below: query.below,
    signal: query.signal,
    args: [
      '--files',
      '--null',
      // Listing mostly waits for the disk, so more threads than cores are faster.
      `--threads=${Math.max(4, availableParallelism())}`,
      ...whichFiles(query.includeIgnored),
      ...args,
    ],
    onOutput(chunk) {
      const paths = (rest + decoder.decode(chunk, { stream: true })).split('\0');
      rest = paths.pop() ?? '';
      for (const path of paths) tell(path.startsWith('./') ? path.slice(2) : path);
    },
  });
}

/** Hidden files are included, `.git` is not; ignore files apply with or without a repository. */
export function whichFiles(includeIgnored: boolean | undefined): readonly string[] {
  return ['--hidden', '--glob=!.git', includeIgnored ? '--no-ignore' : '--no-require-git'];
}
