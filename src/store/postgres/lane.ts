import pg from 'pg';
import { failure, isStalePlan } from './failure.ts';
import { type Shapes, type Step, Trip } from './trip.ts';

/**
 * One connection that many calls share. Statements of one turn of the event loop are sent in one write and answered in
 * order, so that sixteen calls cost one round trip and wake one process. Only for short statements that never wait: one
 * that would wait for a row fails, and its caller takes the slow path on a separate connection. A commit survives a
 * crash of this process at once, and a power cut after the next durable commit of any connection.
 */
export interface Lane {
  /**
   * Runs one transaction of statements that do not depend on each other's results. Returns the rows of the last one, or
   * undefined if nothing was changed and the caller must use the slow path.
   */
  go<Row extends pg.QueryResultRow>(...steps: readonly Step[]): Promise<readonly Row[] | undefined>;
  close(): Promise<void>;
}

/** Its connections plan all statements when they are opened. */
export function openLane(
  url: string,
  types: pg.CustomTypesConfig,
  statements: Readonly<Record<string, string>>,
): Lane {
  let opening: Promise<Opened> | undefined;
  let isClosed = false;
  const plans = Object.entries(statements).map(([name, text]) => `prepare ${name} as ${text}`);
  const plan = (on: Opened) => {
    // Statements still under way use the old plans.
    on.shapes = new Map();
    // One by one, so that a slow statement appears alone in the database's log.
    return Promise.all(['deallocate all', ...plans].map((text) => on.client.query(text)));
  };

  function connection(): Promise<Opened> {
    if (isClosed) return Promise.reject(new Error('The store is closed.'));
    if (opening) return opening;
    // The next statement opens another connection.
    const lost = () => {
      if (opening === mine) opening = undefined;
    };
    const mine = open(lost).catch((error) => {
      lost();
      throw error;
    });
    opening = mine;
    return mine;
  }

  async function open(lost: () => void): Promise<Opened> {
    const made = new pg.Client({
      connectionString: url,
      types,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      application_name: 'sekisho',
    });
    made.on('error', lost);
    made.on('end', lost);
    await made.connect();
    await made.query(laneSettings);
    const opened: Opened = { client: made, shapes: new Map() };
    await plan(opened);
    return opened;
  }

  return {
    async go<Row extends pg.QueryResultRow>(...steps: readonly Step[]) {
      // Without a connection, the slow path gets the error and reports it.
      const to = await connection().catch(() => undefined);
      if (!to) return undefined;
      const { client, shapes } = to;
      gather(client);
      try {
        return await new Promise<readonly Row[]>((resolve, reject) => {
          const done = (error: Error | undefined, rows: readonly Row[]) =>
            error ? reject(error) : resolve(rows);
          client.query(new Trip<Row>(steps, { shapes, types }, done));
        });
      } catch (error) {
        const { code = '' } = error as { code?: string };
        // If replanning fails, the next statement fails too and tries again.
        if (isStalePlan(error) || code === unplanned) plan(to).catch(() => {});
        else if (!passing.has(code)) failure(error);
        return undefined;
      }
    },
    async close() {
      isClosed = true;
      // Errors of connecting or closing do not matter here: the connection is gone either way.
      const made = await opening?.catch(() => undefined);
      await made?.client.end().catch(() => {});
    },
  };
}

interface Opened {
  readonly client: pg.Client;
  shapes: Shapes;
}

/** Sends everything of this turn in one write. */
function gather({ connection: { stream } }: pg.Client): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Nothing happened, and nothing is wrong: a row was locked, or two transactions conflicted. */
const passing = new Set(['55P03', '40001', '40P01']);
const unplanned = '26000';
const connectMs = 3000;
const queryMs = 60_000;
/** Short, because other statements queue behind it. */
const lockMs = 50;
/**
 * Without sorts the planner must read one row in index order. Outdated statistics, from when there was little to do,
 * would make it sort a thousand rows that it takes for one.
 */
export const laneSettings = `set synchronous_commit = off; set lock_timeout = ${lockMs};
  set enable_sort = off; set enable_incremental_sort = off`;
