import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { failure, isStalePlan } from './failure.ts';
import type { StatementNames } from './statement-names.ts';

export interface DirectPool extends PostgresPool {
  /** Whether the connection is direct, without a pooler, as far as is known. */
  isDirect(): boolean;
}

/** Connections to the database. A lost one is replaced at the next query; errors are in our words. */
export function openPool(url: string, names: StatementNames): DirectPool {
  const pool = new pg.Pool({
    connectionString: url,
    types: numbers,
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    // Sends a statement before the one ahead of it is answered.
    pipeline: true,
    // Detects that the database's machine is gone.
    keepAlive: true,
    application_name: 'sekisho',
  });
  // The pool ignores errors of a client in use: without listeners, a database restart would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  let isDirect: boolean | undefined;

  return {
    async connect() {
      const client = await pool.connect().catch(failure);
      try {
        isDirect ??= await reachesDirectly(client);
      } catch (error) {
        client.release(true);
        throw error;
      }
      // Queries by cursor, Kysely's other form, are not used.
      return {
        query: queryOn(client, isDirect ? names : undefined),
        release: client.release,
      } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
    isDirect: () => isDirect === true,
  };
}

/** A pooler reports another process id, and may run each transaction elsewhere. */
async function reachesDirectly(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid').catch(failure);
  return rows[0]?.pid === (client as { processID?: number }).processID;
}

/** Runs the queries of one owner of a connection. */
function queryOn(client: pg.PoolClient, names: StatementNames | undefined) {
  /** The unsent `begin`: it goes out with the first statement, at no extra round trip. */
  let opening = '';
  let isInTransaction = false;

  async function send(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = values.length > 0 ? names?.of(text) : undefined;
    if (opening === '') return client.query({ text, values, name });
    const { stream } = client.connection;
    stream.cork();
    const opened = client.query(opening);
    opening = '';
    const sent = client.query<pg.QueryResult>({ text, values, name });
    stream.uncork();
    const [result] = await Promise.all([sent, opened]);
    return result;
  }

  return async (text: string, values: unknown[]): Promise<unknown> => {
    if (opensTransaction.test(text)) {
      opening = opening === '' ? text : `${opening}; ${text}`;
      isInTransaction = true;
      return { rows: [] };
    }
    try {
      return await send(text, values);
    } catch (error) {
      if (!isStalePlan(error)) return failure(error);
      names?.renew();
      // A transaction can only be repeated as a whole.
      return isInTransaction ? failure(error) : send(text, values).catch(failure);
    }
  };
}

const opensTransaction = /^(begin|start transaction|set local)\b/;

/** Our 64-bit columns are milliseconds, counts and row numbers, all far below 2^53. */
export const numbers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};
const connections = 10;
/** A database that does not answer must not block calls forever. */
const connectMs = 10_000;
const queryMs = 60_000;
