import pg from 'pg';
import { failure, isStalePlan } from './failure.ts';

/**
 * One connection that many calls share. Statements of one turn of the event loop are sent in one write and answered in
 * order, so that sixteen calls cost one round trip and wake one process. Only for short statements that never wait: one
 * that would wait for a row fails, and its caller takes the slow path on a separate connection. A commit survives a
 * crash of this process at once, and a power cut after the next durable commit of any connection.
 */
export type Lane = ReturnType<typeof openLane>;

/** Its connections plan all statements when they are opened. */
export function openLane(
  url: string,
  types: pg.CustomTypesConfig,
  statements: Readonly<Record<string, string>>,
) {
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
    /**
     * Runs one transaction of statements that do not depend on each other's results. Returns the rows of the last one, or
     * undefined if nothing was changed and the caller must use the slow path.
     */
    async go<Row extends pg.QueryResultRow>(...steps: readonly Step[]): Promise<readonly Row[] | undefined> {
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

/** A statement that the connection has planned under this name. */
interface Step {
  readonly statement: string;
  readonly values: readonly (string | number | null)[];
}

/** The columns of each statement's rows, as the database described them at first use on this connection. */
type Shapes = Map<string, readonly Column[]>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/**
 * Statements sent together as one transaction: all are executed or none, with one reply. Calls back with the rows of
 * the last. A statement's columns are described only once: the description took longer than the row.
 */
class Trip<Row extends pg.QueryResultRow> extends pg.Query {
  /** The client wraps it with its timeout. */
  declare callback: (error: Error | undefined, rows: readonly Row[]) => void;
  override submit: (connection: pg.Connection) => void;
  handleRowDescription: (message: { readonly fields: readonly pg.FieldDef[] }) => void;
  handleDataRow: (message: { readonly fields: readonly (string | null)[] }) => void;
  handleCommandComplete: () => void;
  handleReadyForQuery: () => void;

  constructor(
    steps: readonly Step[],
    known: { readonly shapes: Shapes; readonly types: pg.CustomTypesConfig },
    done: (error: Error | undefined, rows: readonly Row[]) => void,
  ) {
    super('', (error, rows) => done(error, rows as unknown as readonly Row[]));
    const { shapes, types } = known;
    /** One per step, copied: `shapes` may be cleared before the reply arrives. */
    let columns: (readonly Column[] | undefined)[] = [];
    let at = 0;
    let rows: Row[] = [];

    this.submit = (connection) => {
      columns = steps.map(({ statement }) => shapes.get(statement));
      for (const [place, { statement, values }] of steps.entries()) {
        connection.bind({ statement, values: values.map((value) => value?.toString() ?? null) }, true);
        if (!columns[place]) connection.describe({ type: 'P', name: '' }, true);
        connection.execute({}, true);
      }
      connection.sync();
    };
    this.handleRowDescription = ({ fields }) => {
      columns[at] = fields.map(({ name, dataTypeID }) => ({
        name,
        parse: types.getTypeParser(dataTypeID, 'text') as Column['parse'],
      }));
    };
    this.handleDataRow = ({ fields }) => {
      const row: Record<string, unknown> = {};
      for (const [place, { name, parse }] of (columns[at] ?? []).entries()) {
        const text = fields[place] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      rows.push(row as Row);
    };
    this.handleCommandComplete = () => {
      // Statements without rows have no description.
      shapes.set(steps[at]?.statement ?? '', columns[at] ?? []);
      at += 1;
      if (at < steps.length) rows = [];
    };
    this.handleReadyForQuery = () => this.callback(undefined, rows);
  }
}
