/**
 * Keeps the `count` smallest added items by `compare`; once more than `count` were added, possibly only the `least`
 * smallest. Memory grows with `count`, not with the added items. Adding is cheap; items are sorted now and then.
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
    /** Items that are still accepted come before this one; undefined until some were dropped. */
    bar: () => bar,
    add(item: T): void {
      if (bar !== undefined && compare(item, bar) >= 0) return;
      kept.push(item);
      if (kept.length >= (leftOut ? 2 * most : most) + 1000) settle();
    },
    /** After `take`: were there more items than are kept? */
    leftOut: () => leftOut,
    /** Returns the items in order. */
    take(): readonly T[] {
      settle();
      return kept;
    },
  };
}

/** Compares code units: the same everywhere, and faster than a locale's order. */
export function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
