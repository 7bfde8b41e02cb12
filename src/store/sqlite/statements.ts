import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { nulInText } from '../errors.ts';

/** Runs SQL on the one connection; a limited number of prepared statements is cached. */
export type Statements = ReturnType<typeof createStatements>;

/** Values come from compiled queries: texts, numbers, bytes and nulls. */
export function createStatements(database: DatabaseSync) {
  const kept = new Map<string, { readonly statement: StatementSync; readonly returnsRows: boolean }>();

  function prepared(sql: string) {
    const known = kept.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const made = { statement, returnsRows: statement.columns().length > 0 };
    if (kept.size >= statementsKept) kept.delete(kept.keys().next().value ?? '');
    kept.set(sql, made);
    return made;
  }

  return {
    run(
      sql: string,
      values: readonly unknown[],
    ): { readonly rows: readonly object[]; readonly changes: bigint } {
      // PostgreSQL rejects NUL in text and SQLite stores it, so it is refused in both.
      if (values.some((value) => typeof value === 'string' && value.includes('\0'))) throw nulInText();
      const { statement, returnsRows } = prepared(sql);
      const bound = values as readonly SQLInputValue[];
      if (returnsRows) return { rows: statement.all(...bound), changes: 0n };
      return { rows: [], changes: BigInt(statement.run(...bound).changes) };
    },
  };
}

const statementsKept = 256;
