import { availableParallelism } from 'node:os';
import type { NameMatches, NameQuery } from '../../contract/files.ts';
import { isTemporaryName } from '../files/atomic.ts';
import { createGlob } from './glob.ts';
import type { Ripgrep } from './ripgrep.ts';
import { comparePaths, createSmallest } from './smallest.ts';

/** Finds files by name: ripgrep lists, the glob is matched here while it does. */
export async function searchNames(ripgrep: Ripgrep, query: NameQuery): Promise<NameMatches> {
  const matches = createGlob(query.pattern);
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
      ...(query.newestFirst ? ['--sortr=modified'] : []),
    ],
    onOutput(chunk) {
      const paths = (rest + decoder.decode(chunk, { stream: true })).split('\0');
      rest = paths.pop() ?? '';
      for (const listed of paths) {
        const path = listed.startsWith('./') ? listed.slice(2) : listed;
        if (query.skip?.(path)) continue;
        searched++;
        if (!matches(path) || isTemporaryName(path.slice(path.lastIndexOf('/') + 1))) continue;
        total++;
        take(path);
      }
    },
  });
  const found = query.newestFirst ? newest : first.take();
  return { paths: found.slice(offset, wanted), total, searched };
}

/** Hidden files count, a repository's own do not; ignore files count with or without a repository. */
export function whichFiles(includeIgnored: boolean | undefined): readonly string[] {
  return ['--hidden', '--glob=!.git', includeIgnored ? '--no-ignore' : '--no-require-git'];
}
