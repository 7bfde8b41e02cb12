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

/** A section of `docs/performance.md`. */
export function replaySection(): string {
  const { questions, rows }: ReplayResults = JSON.parse(readFileSync(kept, 'utf8'));
  const sum = (count: (row: ReplayRow) => number) => rows.reduce((total, row) => total + count(row), 0);
  const same = sum((row) => row.same);
  const steps = sum((row) => row.steps);
  const lines = rows.map((row) => `| ${row.name} | ${row.same} of ${row.steps} |`);
  return `## A day's work compared with plain bash

\`npm run replay\` works through a day on each of these projects: branch, install, build, test, lint, edit, commit, amend, rebase,
stash, tag, clone. Each step runs in bash alone and in the tool \`bash\`, from the same state of the same folder, and counts as the
same if the exit code, the files and git's view of the repository agree. ${same} of ${steps} steps were the same
(${((100 * same) / steps).toFixed(1)} %), and ${questions} questions were asked.

| project | steps the same |
| --- | --- |
${lines.join('\n')}
`;
}
