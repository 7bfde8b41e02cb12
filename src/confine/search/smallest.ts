/**
 * Keeps the `count` smallest of what is added, by `compare`, in memory that grows with `count` and not with what
 * passes by; the `least` smallest once more than `count` came. Adding costs next to nothing; they are sorted now and then.
 */
export function createSmallest<T>(count: number, compare: (a: T, b: T) => number, least = count) {
  let kept: T[] = [];
  let bar: T | undefined;
  let most = count;
  let leftOut = false;

  function settle(): void {
    kept.sort(compare);
    if (kept.length > most) {
      leftOut = true;
      most = least;
      kept = kept.slice(0, most);
    }
    if (leftOut) bar = kept.at(-1);
  }

  return {
    /** What every item that is still taken comes before; nothing until some were left out. */
    bar: () => bar,
    add(item: T): void {
      if (bar !== undefined && compare(item, bar) >= 0) return;
      kept.push(item);
      if (kept.length >= (leftOut ? 2 * most : most) + 1000) settle();
    },
    /** Whether there was more than is kept, once `take` has been called. */
    leftOut: () => leftOut,
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
