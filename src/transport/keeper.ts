/** Things that live as long as a connection, each under a key. */
export type Keeper = ReturnType<typeof createKeeper>;

/** The most subscriptions of a client; the oldest is dropped. */
const maxKept = 1000;

export function createKeeper() {
  const ends = new Map<string, () => void>();

  function drop(key: string): void {
    const end = ends.get(key);
    ends.delete(key);
    end?.();
  }

  return {
    /** Ends the earlier one with the same key. */
    keep(key: string, end: () => void) {
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
