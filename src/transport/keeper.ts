/** Things that live as long as a connection, each under a key. */
export interface Keeper {
  /** Ends the earlier one with the same key. */
  keep(key: string, end: () => void): void;
  drop(key: string): void;
  dropAll(): void;
}

/** The most subscriptions of a client; the oldest is dropped. */
const maxKept = 1000;

export function createKeeper(): Keeper {
  const ends = new Map<string, () => void>();

  function drop(key: string): void {
    const end = ends.get(key);
    ends.delete(key);
    end?.();
  }

  return {
    keep(key, end) {
      drop(key);
      ends.set(key, end);
      const [oldest] = ends.keys();
      if (ends.size > maxKept && oldest !== undefined) drop(oldest);
    },
    drop,
    dropAll() {
      for (const key of [...ends.keys()]) drop(key);
    },
  };
}
