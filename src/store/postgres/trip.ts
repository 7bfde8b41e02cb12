import pg from 'pg';

/** A statement that the connection has planned under this name. */
export interface Step {
  readonly statement: string;
  readonly values: readonly (string | number | null)[];
}

/** What the rows of a statement look like, as the database said when it was first asked on this connection. */
export type Shapes = Map<string, readonly Column[]>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/**
 * Statements that go out together and are one transaction: the database carries out all of them or none, and answers once.
 * Calls back with the rows of the last. What a row looks like is asked once: telling and reading it took longer than the row.
 */
export class Trip<Row extends pg.QueryResultRow> extends pg.Query {
  /** The client puts the end of its own patience before it. */
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
    /** Of each step. What is known may be forgotten before the answer is here. */
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
      // Of a statement without rows nothing was said.
      shapes.set(steps[at]?.statement ?? '', columns[at] ?? []);
      at += 1;
      if (at < steps.length) rows = [];
    };
    this.handleReadyForQuery = () => this.callback(undefined, rows);
  }
}
