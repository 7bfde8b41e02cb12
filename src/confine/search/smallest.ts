/**
 * Keeps the `count` smallest of what is added, by `compare`, in memory that grows with `count` and not with what
 * passes by. Adding costs next to nothing; they are sorted now and then.
 */
export function createSmallest<T>(count: number, compare: (a: T, b: T) => number) {
  let kept: T[] = [];
  let bar: T | undefined;

  function settle(): void {
    kept.sort(compare);
    kept = kept.slice(0, count);
    if (kept.length === count) bar = kept.at(-1);
  }

  return {
    /** What every item that is still taken comes before; nothing until enough were added. */
    bar: () => bar,
    add(item: T): void {
      if (bar !== undefined && compare(item, bar) >= 0) return;
      kept.push(item);
      if (kept.length >= 2 * count + 1000) settle();
    },
    /** In order. */
    take(): readonly T[] {
      settle();
      return kept;
    },
  };
}

/** By code unit: the same everywhere, and faster than any locale's order. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
