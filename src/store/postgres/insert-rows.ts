import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];
type InsertRows = (
  db: Kysely<Tables>,
  table: keyof Tables,
  rows: Rows,
  unlessThere: boolean,
) => Promise<void>;

/**
 * Inserts rows of the same columns. Each column is sent as one array, so that one statement, planned once, inserts any
 * number of rows. Rows with values other than texts and numbers are sent value by value.
 */
export function createInsertRows(): InsertRows {
  /** By table and columns; the code uses few combinations. */
  const texts = new Map<string, string>();

  return async (db, table, rows, unlessThere) => {
    const [first] = rows;
    if (!first) return;
    const columns = Object.keys(first);
    const types = columns.map((column) => arrayType(rows, column));
    if (types.includes(undefined)) {
      const insert = db.insertInto(table).values(rows as never);
      await (unlessThere ? insert.onConflict((conflict) => conflict.doNothing()) : insert).execute();
      return;
    }
    const shape = `${table} ${unlessThere} ${columns} ${types}`;
    let text = texts.get(shape);
    if (text === undefined) {
      const arrays = types.map((type, at) => sql.raw(`$${at + 1}::${type}[]`));
      const insert = db
        .insertInto(table)
        .columns(columns as never)
        .expression(sql<never>`select * from unnest(${sql.join(arrays)})`);
      text = (unlessThere ? insert.onConflict((conflict) => conflict.doNothing()) : insert).compile().sql;
      texts.set(shape, text);
    }
    const arrays = columns.map((column) => rows.map((row) => row[column]));
    await db.executeQuery(CompiledQuery.raw(text, arrays));
  };
}

function arrayType(rows: Rows, column: string): string | undefined {
  if (rows.every((row) => typeof row[column] === 'string')) return 'text';
  return rows.every((row) => Number.isInteger(row[column])) ? 'bigint' : undefined;
}
