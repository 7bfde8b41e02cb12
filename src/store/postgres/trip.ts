import pg from 'pg';

/** A statement that the connection has planned under this name. */
export interface Step {
  readonly statement: string;
  readonly values: readonly (string | number | null)[];
}

/** The columns of each statement's rows, as the database described them at first use on this connection. */
export type Shapes = Map<string, readonly Column[]>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/**
 * Statements sent together as one transaction: all are executed or none, with one reply. Calls back with the rows of
 * the last. A statement's columns are described only once: the description took longer than the row.
 */
export class Trip<Row extends pg.QueryResultRow> extends pg.Query {
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
