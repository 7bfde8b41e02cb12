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
  // The least recently used comes first.
  const kept = new Map<string, Kept>();
  let bytesKept = 0;

  function drop(key: string): void {
    const found = kept.get(key);
    if (!found) return;
    clearTimeout(found.expiry);
    bytesKept -= found.bytes;
    kept.delete(key);
  }

  return {
    find<G extends Gathered<unknown>>(key: string): G | undefined {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found);
      // The key contains the kind of the search, and so of its results.
      return found.gathered as G;
    },
    keep(key: string, gathered: Gathered<unknown>, bytes: number) {
      drop(key);
      if (bytes > maxBytes) return;
      kept.set(key, { gathered, bytes, expiry: setTimeout(() => drop(key), lifeMs).unref() });
      bytesKept += bytes;
      for (const oldest of kept.keys()) {
        if (bytesKept <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}

interface Kept {
  readonly gathered: Gathered<unknown>;
  readonly bytes: number;
  readonly expiry: NodeJS.Timeout;
}
