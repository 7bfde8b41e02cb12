import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { storageError } from '../errors.ts';
import type { Statements } from './statements.ts';

/**
 * Kysely over `node:sqlite`. One connection; Kysely's own mutex serializes transactions. They take the write lock when
 * they begin or, if deferred, none, and then see one snapshot from their first read on.
 */
export function createSqliteDialect(
  database: DatabaseSync,
  statements: Statements,
  transactions: 'immediate' | 'deferred' = 'immediate',
): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(database, statements, transactions),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Takes the write lock. */
export function beginImmediate(database: DatabaseSync): Promise<void> {
  return whileBusy(() => database.exec('begin immediate'));
}

/**
 * Retries a statement until no other process's lock is in the way, yielding between tries so that a busy process never
 * blocks our event loop: often at first, since a transaction is short, then less and less.
 */
export async function whileBusy<T>(statement: () => T): Promise<T> {
  const giveUpAt = Date.now() + lockWaitMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return statement();
    } catch (error) {
      if (!isBusy(error) || Date.now() > giveUpAt) throw error;
    }
    if (tries <= quickTries) await immediate();
    else await sleep(Math.min(tries - quickTries, longestWaitMs) * (0.5 + Math.random()));
  }
}

/** Whether another process's lock stopped the statement. */
function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number } | null)?.errcode;
  return code !== undefined && ((code & 0xff) === 5 || (code & 0xff) === 6);
}

/** Uses the one connection; the engine closes it after the last write is on disk. */
class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: DatabaseConnection;
  readonly #transactions: 'immediate' | 'deferred';

  constructor(database: DatabaseSync, statements: Statements, transactions: 'immediate' | 'deferred') {
    this.#database = database;
    this.#transactions = transactions;
    this.#connection = createConnection(statements);
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    if (this.#transactions === 'deferred') this.#database.exec('begin');
    else await beginImmediate(this.#database);
  }
  async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }
  async rollbackTransaction(): Promise<void> {
    // A full disk rolls the transaction back automatically.
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

function createConnection(statements: Statements): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      // Reads wait too, while another process recovers the log of one that was killed.
      try {
        const { rows, changes } = await whileBusy(() => statements.run(query.sql, query.parameters));
        return { rows: rows as R[], numAffectedRows: changes };
      } catch (error) {
        throw storageError(error);
      }
    },
    streamQuery() {
      throw new Error('A stream would hold the one connection; read in pages by key.');
    },
  };
}

const lockWaitMs = 30_000;
const quickTries = 10;
const longestWaitMs = 10;
