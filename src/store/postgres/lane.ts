import pg from 'pg';
import { failure, isStalePlan } from './failure.ts';
import { type Shapes, type Step, Trip } from './trip.ts';

/**
 * One connection that many calls share. What they ask in one turn of the event loop goes to the database in one write and
 * is answered in order, so that sixteen calls cost one trip and wake one process. For short statements that wait for
 * nothing: whoever would wait for a row is told so, and goes a longer way by a connection of its own. What it commits
 * survives a crash of ours at once, and a power cut with the next durable commit of anybody.
 */
export interface Lane {
  /**
   * One transaction, whose statements know nothing of each other's answers. Returns the rows of the last one; absent where
   * nothing happened and the longer way is to be gone.
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
    // What is still on its way was asked of the plans of before.
    on.shapes = new Map();
    // One by one: whoever looks for a slow statement in the database's log finds it there, and not all of ours.
    return Promise.all(['deallocate all', ...plans].map((text) => on.client.query(text)));
  };

  function connection(): Promise<Opened> {
    if (isClosed) return Promise.reject(new Error('The store is closed.'));
    if (opening) return opening;
    // The next question opens another.
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
      // Where there is no connection, the longer way meets the reason, and tells it.
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
        // Where that fails, so does the next question, and comes here again.
        if (isStalePlan(error) || code === unplanned) plan(to).catch(() => {});
        else if (!passing.has(code)) failure(error);
        return undefined;
      }
    },
    async close() {
      isClosed = true;
      // A connection that never came needs no goodbye, and one that cannot say it is over as well.
      const made = await opening?.catch(() => undefined);
      await made?.client.end().catch(() => {});
    },
  };
}

interface Opened {
  readonly client: pg.Client;
  shapes: Shapes;
}

/** Everything of this turn goes out in one write. */
function gather({ connection: { stream } }: pg.Client): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Nothing happened, and nothing is wrong: a row was locked, or two transactions met. */
const passing = new Set(['55P03', '40001', '40P01']);
const unplanned = '26000';
const connectMs = 3000;
const queryMs = 60_000;
/** Others wait behind it. */
const lockMs = 50;
/**
 * What stands in the order of an index is read in that order, one row, and never as a whole to be sorted: statistics that
 * are of a time when little was to be done call a thousand rows one.
 */
export const laneSettings = `set synchronous_commit = off; set lock_timeout = ${lockMs};
  set enable_sort = off; set enable_incremental_sort = off`;
