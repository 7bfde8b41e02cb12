import type { Commit, GitTrees } from './git-trees.ts';

/**
 * Returns a function that tells whether the tips lead to a commit; `tips` is called when it is first needed. Walks
 * commits from the tips, the newest first and no further back than needed. If that takes too many, a commit counts as not
 * reached.
 */
export function createReach(trees: GitTrees, tips: () => Iterable<string>): (id: string) => boolean {
  const seen = new Set<string>();
  /** Commits seen but not followed yet, the newest last. */
  const waiting: Commit[] = [];
  let left = mostCommits;
  let isBegun = false;

  function see(id: string): void {
    if (seen.has(id)) return;
    seen.add(id);
    left -= 1;
    const commit = trees.commit(id);
    if (!commit) return;
    seen.add(commit.id);
    const at = waiting.findLastIndex(({ committedAt }) => committedAt <= commit.committedAt) + 1;
    waiting.splice(at, 0, commit);
  }

  return (id) => {
    if (!isBegun) for (const tip of tips()) see(tip);
    isBegun = true;
    if (seen.has(id)) return true;
    const sought = trees.commit(id);
    const since = (sought?.committedAt ?? 0) - clockSkewSeconds;
    const isSeen = () => seen.has(sought?.id ?? id);
    while (left > 0 && (waiting.at(-1)?.committedAt ?? Number.NEGATIVE_INFINITY) >= since) {
      for (const parent of waiting.pop()?.parents ?? []) see(parent);
      if (isSeen()) return true;
    }
    return isSeen();
  };
}

const clockSkewSeconds = 24 * 60 * 60;
const mostCommits = 50_000;
