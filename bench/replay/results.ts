import { readFileSync, writeFileSync } from 'node:fs';

export interface ReplayRow {
  readonly name: string;
  readonly same: number;
  readonly steps: number;
  /** Steps that bash alone does and that are not done here, or leave something else behind. */
  readonly onlyHere: number;
  readonly questions: number;
}

/** The rows of the projects, and those of the two hundred everyday calls. */
type Kept = Readonly<Record<'projects' | 'day', readonly ReplayRow[]>>;

const kept = new URL('results.json', import.meta.url);
const read = (): Kept => JSON.parse(readFileSync(kept, 'utf8'));

/** Keeps rows, each in place of an earlier one of its name. */
export function keepReplay(which: keyof Kept, rows: readonly ReplayRow[]): void {
  const before = read();
  const byName = new Map([...before[which], ...rows].map((row) => [row.name, row]));
  writeFileSync(kept, `${JSON.stringify({ ...before, [which]: [...byName.values()] }, null, 2)}\n`);
}

/** The kept results, with the sums over all projects. */
export function replayedDay(which: keyof Kept) {
  const rows = read()[which];
  const sum = (count: (row: ReplayRow) => number) => rows.reduce((total, row) => total + count(row), 0);
  return {
    rows,
    same: sum((row) => row.same),
    steps: sum((row) => row.steps),
    onlyHere: sum((row) => row.onlyHere),
    questions: sum((row) => row.questions),
  };
}
