import { availableParallelism } from 'node:os';
import type { NameMatches, NameQuery } from '../../contract/capabilities/files.ts';
import { isTemporaryName } from '../files/temporary-name.ts';
import { createGlob } from './glob.ts';
import type { Ripgrep } from './ripgrep.ts';
import { comparePaths, createSmallest } from './smallest.ts';

/** Finds files by name: ripgrep lists, the glob is matched here while it does. */
export async function searchNames(ripgrep: Ripgrep, query: NameQuery): Promise<NameMatches> {
  const matches = createGlob(query.pattern);
  const isName = !query.pattern.includes('/') && !query.pattern.startsWith('**');
  const matchesDeeper = isName ? createGlob(`**/${query.pattern}`) : undefined;
  const offset = query.offset ?? 0;
  const wanted = offset + query.limit;
  // Newest first is ripgrep's own order: it costs one thread's time there and none here.
  const newest: string[] = [];
  const first = createSmallest(wanted, comparePaths);
  const take = query.newestFirst
    ? (path: string) => void (newest.length < wanted && newest.push(path))
    : first.add;
  let searched = 0;
  let total = 0;
  let deeper = 0;

  // Newest first is ripgrep's own order.
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
  const found = query.newestFirst ? newest : first.take();
  return { paths: found.slice(offset, wanted), total, searched, deeper };
}

/** Tells of every file that a search would look at, in any order. */
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
      // Listing waits for the disk more than it counts: more threads than cores are faster.
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

/** Hidden files count, a repository's own do not; ignore files count with or without a repository. */
export function whichFiles(includeIgnored: boolean | undefined): readonly string[] {
  return ['--hidden', '--glob=!.git', includeIgnored ? '--no-ignore' : '--no-require-git'];
}
