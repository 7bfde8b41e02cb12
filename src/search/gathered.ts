import { LRUCache } from 'lru-cache';

/** The results of one search, in order. */
export interface Gathered<T> {
  readonly items: readonly T[];
  /** The number of items known for sure, counted as pages count them: Infinity if these are all. */
  readonly reach: number;
  /** Files with a NUL that hold the pattern, too. */
  readonly binary?: readonly string[];
}

/**
 * Keeps the results of searches beyond the first page: the later pages need no second walk of the tree, and show the
 * same state. Bounded in size and age; a dropped result is searched again.
 */
export type GatheredSearches = ReturnType<typeof createGatheredSearches>;

/** How many matches, files or names to gather for a page that needs `wanted`, each with `lines` lines. */
export function atOnce(wanted: number, lines = 1): number {
  const portion = Math.floor(10_000 / lines);
  return Math.ceil(wanted / portion) * portion;
}

export function createGatheredSearches(
  { maxBytes, lifeMs }: { maxBytes: number; lifeMs: number } = {
    maxBytes: 32 * 1024 * 1024,
    lifeMs: 5 * 60_000,
  },
) {
  const kept = new LRUCache<string, Gathered<unknown>>({
    maxSize: maxBytes,
    ttl: lifeMs,
    ttlAutopurge: true,
  });
  return {
    // The key contains the kind of the search, and so of its results.
    find: <G extends Gathered<unknown>>(key: string) => kept.get(key) as G | undefined,
    keep: (key: string, gathered: Gathered<unknown>, bytes: number) =>
      void kept.set(key, gathered, { size: Math.max(1, bytes) }),
  };
}
