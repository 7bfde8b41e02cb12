import { readFileSync, writeFileSync } from 'node:fs';

export interface ReplayRow {
  readonly name: string;
  readonly same: number;
  readonly steps: number;
}

export interface ReplayResults {
  readonly questions: number;
  readonly rows: readonly ReplayRow[];
}

const kept = new URL('results.json', import.meta.url);

export function keepReplay(results: ReplayResults): void {
  writeFileSync(kept, `${JSON.stringify(results, null, 2)}\n`);
}

/** The kept results, with the sums over all projects. */
export function replayedDay() {
  const { questions, rows }: ReplayResults = JSON.parse(readFileSync(kept, 'utf8'));
  const sum = (count: (row: ReplayRow) => number) => rows.reduce((total, row) => total + count(row), 0);
  return { questions, rows, same: sum((row) => row.same), steps: sum((row) => row.steps) };
}
