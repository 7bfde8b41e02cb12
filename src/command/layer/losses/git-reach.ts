import type { GitTrees } from './git-trees.ts';

/** Returns a function that tells whether the tips lead to a commit; `tips` is called when it is first needed. */
export function createReach(trees: GitTrees, tips: () => Iterable<string>): (id: string) => boolean {
  let reach: GitReach | undefined;
  return (id) => {
    reach ??= new GitReach(trees, tips());
    return reach.has(id);
  };
}

/**
 * Walks commits from the tips, the newest first and no further back than needed. If that takes too many, a commit
 * counts as not reached.
 */
class GitReach {
  readonly #trees: GitTrees;
  readonly #seen = new Set<string>();
  /** Commits seen but not followed yet, the newest last. */
  readonly #waiting: { readonly parents: readonly string[]; readonly committedAt: number }[] = [];
  #left = mostCommits;

  constructor(trees: GitTrees, tips: Iterable<string>) {
    this.#trees = trees;
    for (const tip of tips) this.#see(tip);
  }

  has(id: string): boolean {
    if (this.#seen.has(id)) return true;
    const sought = this.#trees.commit(id);
    const since = (sought?.committedAt ?? 0) - clockSkewSeconds;
    const isSeen = () => this.#seen.has(sought?.id ?? id);
    for (
      let next = this.#waiting.at(-1);
      next && next.committedAt >= since && this.#left > 0;
      next = this.#waiting.at(-1)
    ) {
      this.#waiting.pop();
      for (const parent of next.parents) this.#see(parent);
      if (isSeen()) return true;
    }
    return isSeen();
  }

  #see(id: string): void {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.#left -= 1;
    const commit = this.#trees.commit(id);
    if (!commit) return;
    this.#seen.add(commit.id);
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1]?.committedAt ?? 0) > commit.committedAt) at -= 1;
    this.#waiting.splice(at, 0, commit);
  }
}

const clockSkewSeconds = 24 * 60 * 60;
const mostCommits = 50_000;
