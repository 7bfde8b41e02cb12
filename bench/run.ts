/** `npm run bench [-- ROW…]`: every row against its peer or floor in one run; writes `bench/results.json`. */
import { execFileSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import type { Result, Row } from './measure.ts';

const wanted = process.argv.slice(2);
execFileSync('node', ['scripts/build.ts', '--bundle-only'], { stdio: 'inherit' });

const rows: Row[] = [];
for (const file of globSync(join(import.meta.dirname, 'rows/*.ts')).toSorted()) {
  rows.push(...((await import(file)) as { rows: readonly Row[] }).rows);
}

const results: Result[] = [];
for (const row of rows) {
  if (wanted.length > 0 && !wanted.some((name) => row.name.includes(name))) continue;
  process.stderr.write(`${row.name} …\n`);
  try {
    results.push(...(await row.run()));
  } catch (error) {
    process.stderr.write(`  failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

process.stdout.write(
  '| row | against | ours | theirs | ratio | goal | |\n| --- | --- | --- | --- | --- | --- | --- |\n',
);
for (const result of results) {
  const show = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
  process.stdout.write(
    `| ${result.row} | ${result.against} | ${show(result.ours)} ${result.unit} | ${show(result.theirs)} ${result.unit} | ${result.ratio.toFixed(2)} | ${result.goal} | ${result.met ? 'met' : 'over'} |\n`,
  );
}
if (wanted.length === 0) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, Linux ${release()}, Node ${process.version}`;
  writeFileSync('bench/results.json', `${JSON.stringify({ commit, machine, results }, null, 2)}\n`);
}
