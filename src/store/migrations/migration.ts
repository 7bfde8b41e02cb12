/**
 * One step forward of the schema. Never edited once released: a change is a new step. Each engine runs `both` and
 * then its own part; a statement must be plain SQL, separated by semicolons.
 *
 * Servers of the version before go on while a step is taken, and after it, until each of them is replaced. So a step
 * expands: it adds tables, columns with a default or without `not null`, and indexes, and the program of that version
 * writes both the old and the new. What nothing reads any more is taken away by a step of a later version, which
 * contracts: then no server may be left that knows less than the step before it.
 */
export interface Migration {
  readonly name: string;
  readonly both: string;
  readonly sqlite: string;
  readonly postgres: string;
  /** Servers that do not know this step cannot go on after it. */
  readonly contracts?: true | undefined;
}
