/**
 * One step forward of the schema. Never edited once released: a change is a new step. Each engine runs `both` and
 * then its own part; a statement must be plain SQL, separated by semicolons.
 */
export interface Migration {
  readonly name: string;
  readonly both: string;
  readonly sqlite: string;
  readonly postgres: string;
}
