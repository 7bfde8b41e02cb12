/** What a row reports: ours and a peer's or floor's, taken in turns in one run. */
export interface Result {
  readonly row: string;
  readonly against: string;
  readonly unit: 'ms' | 'MiB' | 'bytes' | 'calls/s' | 'count';
  readonly ours: number;
  readonly theirs: number;
  /** ours ÷ theirs; for rates it should be large, else small. */
  readonly ratio: number;
  readonly goal: string;
  readonly met: boolean;
}

export interface Row {
  readonly name: string;
  run(): Promise<readonly Result[]>;
}

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
