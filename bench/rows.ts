import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './measure.ts';

/** Every row of the benchmark, in the order of the files; loading them starts nothing. */
export async function loadRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const file of globSync(join(import.meta.dirname, 'rows/*.ts')).toSorted()) {
    rows.push(...((await import(file)) as { rows: readonly Row[] }).rows);
  }
  return rows;
}
