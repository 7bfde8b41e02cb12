/** The results of one search, in order. */
export interface Gathered<T> {
  readonly items: readonly T[];
  /** How many items, counted as pages count them, are known for sure: Infinity where these are all. */
  readonly reach: number;
}

/**
 * What searches found beyond their first page, kept for the pages that follow: whoever pages through waits for one
 * look at the tree, and sees one. Bounded in size and life; what is gone is looked for again.
 */
export interface GatheredSearches {
  find<G extends Gathered<unknown>>(key: string): G | undefined;
  keep(key: string, gathered: Gathered<unknown>, bytes: number): void;
}

/** How many matches, files or names a look gathers that must have `wanted` of them, each with `lines` lines. */
export function atOnce(wanted: number, lines = 1): number {
  const portion = Math.floor(10_000 / lines);
  return Math.ceil(wanted / portion) * portion;
}

export function createGatheredSearches(
  { maxBytes, lifeMs }: { maxBytes: number; lifeMs: number } = {
    maxBytes: 32 * 1024 * 1024,
    lifeMs: 5 * 60_000,
  },
): GatheredSearches {
  // The least recently used stands first.
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
      // A key names the kind of search, and with it the kind of what was found.
      return found.gathered as G;
    },
    keep(key, gathered, bytes) {
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
