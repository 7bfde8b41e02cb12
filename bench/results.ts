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
