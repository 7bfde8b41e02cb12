import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { storageError, unreachable } from '../errors.ts';

/**
 * Connections to the database. One that dies, in use or not, fails what it was used for and is replaced at the next
 * query; whatever fails here is told in our words.
 */
export function openPool(url: string): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    types: numbers,
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    // A database whose machine went away says nothing more.
    keepAlive: true,
    application_name: 'sekisho',
  });
  // Nobody listens to a client while it is lent out: without these a restart of the database would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  return {
    async connect() {
      const client = await pool.connect().catch(fail);
      // Kysely's other form of query, by cursor, is used nowhere.
      return {
        query: (text: string, values: unknown[]) => client.query(text, values).catch(fail),
        release: client.release,
      } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** The driver's own errors have no code: the connection was lost, or there was none in time. */
function fail(error: unknown): never {
  const isOwn = error instanceof Error && error.constructor === Error && !('code' in error);
  throw isOwn ? unreachable(error) : storageError(error);
}

/** Our 64-bit columns hold milliseconds, counts and rows: all far below 2^53. */
const numbers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};
const connections = 10;
/** A database that does not answer must not hold calls for ever. */
const connectMs = 10_000;
const queryMs = 60_000;
