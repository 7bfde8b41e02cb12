/**
 * One forward step of the schema. Never edited once released: a change is a new step. Each engine runs `both` and then
 * its own part; statements must be plain SQL, separated by semicolons.
 * Servers of the previous version keep running during and after a step until each is replaced. So a step expands: it
 * adds tables, columns with a default or without `not null`, and indexes, and its program writes both the old and the
 * new. A later step contracts: it removes what is no longer read, once no server is left that knows less than the step
 * before it.
 */
export interface Migration {
  readonly name: string;
  readonly both: string;
  readonly sqlite: string;
  readonly postgres: string;
  /** Servers that do not know this step cannot run after it. */
  readonly contracts?: true | undefined;
}
