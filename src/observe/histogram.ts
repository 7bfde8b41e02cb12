/** Upper bounds of a call's duration in seconds: reads take a fraction of a millisecond, people minutes. */
const callSeconds: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/** Counts of values by size. Adding one costs a short search and no allocation. */
export interface Histogram {
  readonly bounds: readonly number[];
  /** The number of values in each bucket; the last: above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

export function createHistogram(bounds: readonly number[] = callSeconds): Histogram {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 };
}

export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let at = 0;
  while (at < bounds.length && value > (bounds[at] as number)) at += 1;
  counts[at] = (counts[at] as number) + 1;
  histogram.sum += value;
}
