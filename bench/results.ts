import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import type { Growth, Result } from './measure.ts';

/** What one row of the benchmark reported. */
export interface Measured {
  readonly name: string;
  readonly results: readonly (Result | Growth)[];
  /** Where it was taken, if by itself and later than the others. */
  readonly commit?: string;
}

/** The kept results, and where and on what they were taken. */
export interface Kept {
  readonly commit: string;
  readonly machine: string;
  readonly rows: readonly Measured[];
}

const path = join(import.meta.dirname, 'results.json');

export function keptResults(): Kept {
  if (!existsSync(path)) return { commit: '', machine: '', rows: [] };
  return JSON.parse(readFileSync(path, 'utf8')) as Kept;
}

/**
 * Puts these rows in place of their former results; rows that are not there any more are left out. The commit is all rows'
 * if all were taken, else theirs.
 */
export function keepResults(measured: readonly Measured[], names: readonly string[]): void {
  const kept = keptResults();
  const before = new Map(kept.rows.map((row) => [row.name, row]));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const isAll = measured.length === names.length;
  for (const row of measured) before.set(row.name, isAll ? row : { ...row, commit });
  const rows = names.flatMap((name) => before.get(name) ?? []);
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, Linux ${release()}, Node ${process.version}`;
  const whole = isAll ? { commit, machine } : { commit: kept.commit, machine: kept.machine };
  writeFileSync(path, `${JSON.stringify({ ...whole, rows }, null, 2)}\n`);
}

/** The table of results, and one of growth where there is any, in Markdown. */
export function resultTables(measured: readonly Measured[]): string {
  const all = measured.flatMap(({ results }) => results);
  const compared = all.filter((one): one is Result => 'row' in one);
  const grown = all.filter((one): one is Growth => 'points' in one);
  const lines = [
    '| row | against | ours | theirs | ratio | goal | |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...compared.map(resultLine),
  ];
  if (grown.length > 0) {
    lines.push('', '| as it grows | | | |', '| --- | --- | --- | --- |', ...grown.map(growthLine));
  }
  return `${lines.join('\n')}\n`;
}

function resultLine({ row, against = '', unit, ours, theirs, ratio, goal, met }: Result): string {
  const cells = [
    row,
    against,
    `${shown(ours)} ${unit}`,
    theirs === undefined ? '' : `${shown(theirs)} ${unit}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    goal,
    met ? 'met' : 'over',
  ];
  return `| ${cells.join(' | ')} |`;
}

function growthLine({ operation, points }: Growth): string {
  return `| ${operation} | ${points.map(({ size, ms }) => `${size}: ${shown(ms)} ms`).join(' | ')} |`;
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
