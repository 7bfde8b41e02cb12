import pg from 'pg';
import { failure, isStalePlan } from './failure.ts';
import type { StatementNames } from './statement-names.ts';

/** One statement of ours with its values. */
export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * One connection that many calls share. What they ask in one turn of the event loop goes to the database in one write and
 * is answered in order, so that sixteen calls cost one trip and wake one process. For short statements that wait for
 * nothing: whoever would wait for a row is told so, and goes a longer way by a connection of its own. What it commits
 * survives a crash of ours at once, and a power cut with the next durable commit of anybody.
 */
export interface Lane {
  /** One statement, which commits by itself; absent where it did not happen and the longer way is to be gone. */
  ask<Row extends pg.QueryResultRow>(statement: Asked): Promise<readonly Row[] | undefined>;
  /**
   * A transaction whose statements know nothing of each other's answers, sent at once. Returns the rows of the last one;
   * absent as above.
   */
  transact<Row extends pg.QueryResultRow>(statements: readonly Asked[]): Promise<readonly Row[] | undefined>;
  close(): Promise<void>;
}

export function openLane(url: string, types: pg.CustomTypesConfig, names: StatementNames): Lane {
  let opening: Promise<pg.Client> | undefined;
  let isClosed = false;

  function client(): Promise<pg.Client> {
    if (isClosed) return Promise.reject(new Error('The store is closed.'));
    opening ??= open().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function open(): Promise<pg.Client> {
    const made = new pg.Client({
      connectionString: url,
      types,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      application_name: 'sekisho',
    });
    const lost = () => {
      // The next question opens another.
      opening = undefined;
    };
    made.on('error', lost);
    made.on('end', lost);
    await made.connect();
    await made.query(`set synchronous_commit = off; set lock_timeout = ${lockMs}`);
    return made;
  }

  async function send<Row extends pg.QueryResultRow>(
    statements: readonly Asked[],
    isTransaction: boolean,
  ): Promise<readonly Row[] | undefined> {
    // Where there is no connection, the longer way meets the reason, and tells it.
    const to = await client().catch(() => undefined);
    if (!to) return undefined;
    gather(to);
    const all: Promise<pg.QueryResult<Row>>[] = [];
    if (isTransaction) all.push(to.query('begin'));
    for (const { text, values } of statements)
      all.push(to.query<Row>({ text, values: [...values], name: names.of(text) }));
    const last = all.at(-1);
    if (isTransaction) all.push(to.query('commit'));
    // All of them are heard: what fails takes those behind it in its transaction along.
    const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
    if (!failed) return (await last)?.rows;
    const { code = '' } = failed.reason as { code?: string };
    if (isStalePlan(failed.reason)) names.renew();
    else if (!passing.has(code)) failure(failed.reason);
    return undefined;
  }

  return {
    ask: (statement) => send([statement], false),
    transact: (statements) => send(statements, true),
    async close() {
      isClosed = true;
      // A connection that never came needs no goodbye, and one that cannot say it is over as well.
      const made = await opening?.catch(() => undefined);
      await made?.end().catch(() => {});
    },
  };
}

/** Everything of this turn goes out in one write. */
function gather({ connection: { stream } }: pg.Client): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/**
 * Nothing happened, and nothing is wrong: a row was locked, two transactions met, or a plan was to be made in a
 * transaction that failed before.
 */
const passing = new Set(['55P03', '40001', '40P01', '26000']);
const connectMs = 3000;
const queryMs = 60_000;
/** Others wait behind it. */
const lockMs = 50;
