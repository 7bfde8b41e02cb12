import type { InsertObject, Kysely, Selectable, SelectQueryBuilder, UpdateObject } from 'kysely';
import type { Engine } from './engine.ts';
import type { Tables } from './tables/tables.ts';

/** A column's value, one of a list of values, or null for a column without one. */
export type Match<T extends keyof Tables> = {
  readonly [C in keyof Row<T>]?: Row<T>[C] | readonly Row<T>[C][];
};

type Row<T extends keyof Tables> = Selectable<Tables[T]>;

/** Selects the rows whose columns match, for further conditions, order and limit. */
export function selectRows<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T> = {},
): SelectQueryBuilder<Tables, T, Row<T>> {
  // Kysely's types do not follow a table that is a type parameter.
  return matching(db.selectFrom(table as never).selectAll(table as never), match) as never;
}

/** The first row whose columns match. */
export async function findRow<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T>,
): Promise<Row<T> | undefined> {
  return selectRows(db, table, match).limit(1).executeTakeFirst() as never;
}

/** The same, locked until the transaction ends. */
export async function lockRow<T extends keyof Tables>(
  engine: Pick<Engine, 'lock'>,
  tx: Kysely<Tables>,
  table: T,
  match: Match<T>,
): Promise<Row<T> | undefined> {
  return engine.lock(selectRows(tx, table, match) as never).executeTakeFirst() as never;
}

export async function countRows<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T> = {},
): Promise<number> {
  const query = db.selectFrom(table as never).select(({ fn }) => fn.countAll<number>().as('rows'));
  const { rows } = await matching(query, match).executeTakeFirstOrThrow();
  return Number(rows);
}

export async function insertRow<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  row: InsertObject<Tables, T>,
): Promise<void> {
  await db
    .insertInto(table)
    .values(row as never)
    .execute();
}

/** Inserts the row unless one of its key is there. */
export async function insertNew<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  row: InsertObject<Tables, T>,
): Promise<void> {
  const query = db.insertInto(table).values(row as never);
  await query.onConflict((conflict) => conflict.doNothing()).execute();
}

/** Changes the rows whose columns match, and returns how many there are. */
export async function updateRows<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T>,
  set: UpdateObject<Tables, T>,
): Promise<number> {
  const query = matching(db.updateTable(table as never).set(set as never), match);
  return Number((await query.executeTakeFirstOrThrow()).numUpdatedRows);
}

/** Deletes the rows whose columns match, and returns how many there were. */
export async function deleteRows<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T>,
): Promise<number> {
  const query = matching(db.deleteFrom(table as never), match);
  return Number((await query.executeTakeFirstOrThrow()).numDeletedRows);
}

function matching<Query extends { where(column: never, is: never, value: never): Query }>(
  query: Query,
  match: object,
): Query {
  let found = query;
  for (const [column, value] of Object.entries(match)) {
    const is = Array.isArray(value) ? 'in' : value === null ? 'is' : '=';
    found = found.where(column as never, is as never, value as never);
  }
  return found;
}
