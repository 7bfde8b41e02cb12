/** What a row reports: ours and a peer's or floor's, taken in turns in one run. */
export interface Result {
  readonly row: string;
  readonly unit: 'ms' | 'µs' | 'MiB' | 'bytes' | 'calls/s' | 'count';
  readonly ours: number;
  readonly goal: string;
  readonly met: boolean;
  /** Absent where the goal is a plain figure. */
  readonly against?: string;
  readonly theirs?: number;
  /** ours ÷ theirs; for rates it should be large, else small. */
  readonly ratio?: number;
}

/** What an operation costs as its work grows. */
export interface Growth {
  readonly operation: string;
  readonly points: readonly { readonly size: string; readonly ms: number }[];
}

export interface Row {
  readonly name: string;
  run(): Promise<readonly (Result | Growth)[]>;
}

/** `BENCH_FULL=1` takes the sizes that a figure is promised for; else smaller ones, so that a run stays short. */
export const isFull = process.env.BENCH_FULL === '1';

/** The middle of the measured times, in ms. The two are run in turns, so that both meet the same noise. */
export async function medians(
  rounds: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
): Promise<{ readonly ours: number; readonly theirs: number }> {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  const warmUp = Math.max(1, Math.floor(rounds / 10));
  for (let round = -warmUp; round < rounds; round++) {
    const a = await timed(ours);
    const b = await timed(theirs);
    if (round >= 0) {
      times.ours.push(a);
      times.theirs.push(b);
    }
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value that a share of the measured ones does not pass, e.g. 0.99. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of the times of one side alone, in ms. */
export async function medianOf(rounds: number, work: () => Promise<unknown>): Promise<number> {
  return (await medians(rounds, work, async () => {})).ours;
}

/** A result that must stay at or under a plain figure. */
export function within(row: string, limit: number, ours: number, unit: Result['unit'] = 'ms'): Result {
  return { row, unit, ours, goal: `≤ ${limit} ${unit}`, met: ours <= limit };
}

/** A result whose ratio must stay at or under a limit. */
export function atMost(
  row: string,
  against: string,
  limit: number,
  values: { readonly ours: number; readonly theirs: number },
  unit: Result['unit'] = 'ms',
): Result {
  const ratio = values.ours / values.theirs;
  return { row, against, unit, ...values, ratio, goal: `≤ ${limit} ×`, met: ratio <= limit };
}

/** A result whose ratio must reach a limit. */
export function atLeast(
  row: string,
  against: string,
  limit: number,
  values: { readonly ours: number; readonly theirs: number },
  unit: Result['unit'] = 'calls/s',
): Result {
  const ratio = values.ours / values.theirs;
  return { row, against, unit, ...values, ratio, goal: `≥ ${limit} ×`, met: ratio >= limit };
}
