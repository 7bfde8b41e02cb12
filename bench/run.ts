/**
 * `npm run bench`: every row against its peer or floor in one run; writes `bench/results.json`,
 * of which `npm run docs` makes docs/performance.md.
 * `npm run bench -- ROW…` runs the rows whose names hold these words; with `--keep` their results are kept, too.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFull } from './measure.ts';
import { resultTables } from './page/tables.ts';
import { keepResults, type Measured } from './results.ts';
import { loadRows } from './rows.ts';

const words = process.argv.slice(2);
const wanted = words.filter((word) => word !== '--keep');
execFileSync('node', ['scripts/build.ts', '--bundle-only'], { stdio: 'inherit' });

const rows = await loadRows();
const measured: Measured[] = [];
for (const row of rows) {
  if (wanted.length > 0 && !wanted.some((name) => row.name.includes(name))) continue;
  const startedMs = performance.now();
  process.stderr.write(`${row.name} …`);
  try {
    const results = await Promise.race([row.run(), tooLong()]);
    measured.push({ name: row.name, results });
    process.stderr.write(` ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    process.stderr.write(` failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

process.stdout.write(resultTables(measured));
if (wanted.length === 0 || words.includes('--keep')) {
  keepResults(
    measured,
    rows.map(({ name }) => name),
  );
}
// A peer that does not leave would hold this process.
process.exit();

/** A row that hangs is told, and the others still run. */
async function tooLong(): Promise<never> {
  await sleep(isFull ? 3_600_000 : 120_000);
  throw new Error('it takes too long');
}
