import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/**
 * Inserts rows of the same columns. Each column goes as one array, so that one statement, planned once, takes any number
 * of rows, and nothing is built anew for each. Rows with other values than texts and numbers go one value at a time.
 */
export async function insertRows(
  db: Kysely<Tables>,
  table: keyof Tables,
  rows: readonly Record<string, unknown>[],
  unlessThere: boolean,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  const types = columns.map((column) => arrayType(rows, column));
  const insert = db.insertInto(table);
  const from = types.every((type) => type !== undefined)
    ? insert
        .columns(columns as never)
        .expression(
          sql<never>`select * from unnest(${sql.join(
            columns.map(
              (column, at) => sql`${rows.map((row) => row[column])}::${sql.raw(types[at] ?? 'text')}[]`,
            ),
          )})`,
        )
    : insert.values(rows as never);
  await (unlessThere ? from.onConflict((conflict) => conflict.doNothing()) : from).execute();
}

function arrayType(rows: readonly Record<string, unknown>[], column: string): string | undefined {
  if (rows.every((row) => typeof row[column] === 'string')) return 'text';
  return rows.every((row) => Number.isInteger(row[column])) ? 'bigint' : undefined;
}
