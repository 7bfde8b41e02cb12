import type { InsertObject, Kysely, Selectable, SelectQueryBuilder, UpdateObject } from 'kysely';
import type { Engine, OpenEngine, WriteOptions } from './engine.ts';
import type { Tables } from './tables/tables.ts';

/** A column's value, one of a list of values, or null for a column without one; `'seq >'` compares. */
export type Match<T extends keyof Tables> = {
  readonly [C in keyof Row<T> & string as C | `${C} ${Comparison}`]?: Row<T>[C] | readonly Row<T>[C][];
};

type Comparison = '<' | '<=' | '>' | '>=' | '<>';

type Row<T extends keyof Tables> = Selectable<Tables[T]>;

/** The order of rows, `'seq desc'` from the last, and the most to read. */
export interface Listing<T extends keyof Tables> {
  readonly by: Order<T> | readonly Order<T>[];
  readonly limit?: number;
}

type Order<T extends keyof Tables> = (keyof Row<T> & string) | `${keyof Row<T> & string} desc`;

type Tx = Parameters<Parameters<Engine['write']>[0]>[0];

/** One transaction; opens the database if this is its first use. */
export async function writeTo<T>(
  openEngine: OpenEngine,
  work: (tx: Tx) => Promise<T>,
  options?: WriteOptions,
): Promise<T> {
  return (await openEngine()).write(work, options);
}

/** Selects the rows whose columns match, for further conditions, order and limit. */
export function selectRows<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T> = {},
): SelectQueryBuilder<Tables, T, Row<T>> {
  // Kysely's types do not follow a table that is a type parameter.
  return matching(db.selectFrom(table as never).selectAll(table as never), match) as never;
}

/** The rows whose columns match, in this order. */
export async function listRows<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T>,
  { by, limit }: Listing<T>,
): Promise<readonly Row<T>[]> {
  let query = selectRows(db, table, match);
  for (const order of [by].flat()) {
    const [column, direction = 'asc'] = order.split(' ');
    query = query.orderBy(column as never, direction as 'asc');
  }
  return (await (limit === undefined ? query : query.limit(limit)).execute()) as never;
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

/** Inserts the row unless one of its key is there. Returns whether it did. */
export async function insertNew<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  row: InsertObject<Tables, T>,
): Promise<boolean> {
  const query = db.insertInto(table).values(row as never);
  const { numInsertedOrUpdatedRows } = await query
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** Inserts the row; if one of its key is there, changes `set` in it, by default all columns. */
export async function putRow<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  keys: readonly (keyof Row<T>)[],
  row: InsertObject<Tables, T>,
  set: UpdateObject<Tables, T> = row as never,
): Promise<void> {
  const query = db.insertInto(table).values(row as never);
  await query.onConflict((conflict) => conflict.columns(keys as never).doUpdateSet(set as never)).execute();
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

/** Deletes the row whose columns match and returns it: of two that take it at once, one gets it. */
export async function takeRow<T extends keyof Tables>(
  db: Kysely<Tables>,
  table: T,
  match: Match<T>,
): Promise<Row<T> | undefined> {
  return matching(db.deleteFrom(table as never), match)
    .returningAll()
    .executeTakeFirst() as never;
}

/** Adds the conditions of a match to any kind of query. */
export function matching<Query extends { where(column: never, is: never, value: never): Query }>(
  query: Query,
  match: object,
): Query {
  let found = query;
  for (const [key, value] of Object.entries(match)) {
    const [column, compared = '='] = key.split(' ');
    const [isList, isNull] = [Array.isArray(value), value === null];
    const equals = isList ? 'in' : isNull ? 'is' : '=';
    const differs = isList ? 'not in' : isNull ? 'is not' : '<>';
    const is = compared === '=' ? equals : compared === '<>' ? differs : compared;
    found = found.where(column as never, is as never, value as never);
  }
  return found;
}

/** The conditions that are given. */
export function given<M extends object>(match: { readonly [K in keyof M]: M[K] | undefined }): Partial<M> {
  return Object.fromEntries(Object.entries(match).filter(([, value]) => value !== undefined)) as Partial<M>;
}
