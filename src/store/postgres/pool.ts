import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { failure, isStalePlan } from './failure.ts';
import type { StatementNames } from './statement-names.ts';

export interface DirectPool extends PostgresPool {
  /** Does nobody stand between us and the database, as far as a connection has shown? */
  isDirect(): boolean;
}

/**
 * Connections to the database. One that dies, in use or not, fails what it was used for and is replaced at the next
 * query; whatever fails here is told in our words.
 */
export function openPool(url: string, names: StatementNames): DirectPool {
  const pool = new pg.Pool({
    connectionString: url,
    types: numbers,
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    // A statement goes out before the one ahead of it is answered.
    pipeline: true,
    // A database whose machine went away says nothing more.
    keepAlive: true,
    application_name: 'sekisho',
  });
  // Nobody listens to a client while it is lent out: without these a restart of the database would end the process.
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
      // Kysely's other form of query, by cursor, is used nowhere.
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

/** A pooler in between names a process that is none of the database's, and may hand each transaction to another. */
async function reachesDirectly(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid').catch(failure);
  return rows[0]?.pid === (client as { processID?: number }).processID;
}

/** Queries of one who has a connection, from its beginning to its end. */
function queryOn(client: pg.PoolClient, names: StatementNames | undefined) {
  /** What begins a transaction, not sent yet: it goes out with the first statement, at no trip of its own. */
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
      // A transaction begins again as a whole.
      return isInTransaction ? failure(error) : send(text, values).catch(failure);
    }
  };
}

const opensTransaction = /^(begin|start transaction|set local)\b/;

/** Our 64-bit columns hold milliseconds, counts and rows: all far below 2^53. */
export const numbers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};
const connections = 10;
/** A database that does not answer must not hold calls for ever. */
const connectMs = 10_000;
const queryMs = 60_000;
