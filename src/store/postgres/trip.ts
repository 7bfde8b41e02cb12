import pg from 'pg';

/** A statement that the connection has planned under this name. */
export interface Step {
  readonly statement: string;
  readonly values: readonly (string | number | null)[];
}

/**
 * Statements that go out together and are one transaction: the database carries out all of them or none, and answers once.
 * Calls back with the rows of the last.
 */
export class Trip<Row extends pg.QueryResultRow> extends pg.Query {
  override submit: (connection: pg.Connection) => void;

  constructor(steps: readonly Step[], done: (error: Error | undefined, rows: readonly Row[]) => void) {
    super('', (error, results) => {
      // One result for each statement; a single one comes alone.
      const all = [results].flat() as readonly (pg.QueryResult<Row> | undefined)[];
      done(error, all.at(-1)?.rows ?? []);
    });
    this.submit = (connection) => {
      for (const { statement, values } of steps) {
        connection.bind({ statement, values: values.map((value) => value?.toString() ?? null) }, true);
        connection.describe({ type: 'P', name: '' }, true);
        connection.execute({}, true);
      }
      connection.sync();
    };
  }
}
