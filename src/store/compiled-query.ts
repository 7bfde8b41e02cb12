import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** Runs one query with these values in the positions where the builder put them. */
export type AskCompiled<V extends readonly unknown[], O> = (
  db: Kysely<Tables>,
  ...values: V
) => Promise<readonly O[]>;

/**
 * A frequent query, built and compiled once: building costs more than SQLite needs for the answer. Use one per engine,
 * since they compile differently. The builder must make the same query for all values: it inserts each one and never
 * branches on it.
 */
export function compileOnce<V extends readonly unknown[], O>(
  build: (db: Kysely<Tables>, ...values: V) => { compile(): CompiledQuery<O> },
): AskCompiled<V, O> {
  let compiled: CompiledQuery<O> | undefined;
  let sources: readonly (number | undefined)[] = [];

  function compile(db: Kysely<Tables>, count: number): CompiledQuery<O> {
    const marks = Array.from({ length: count }, (_, index) => ({ index }));
    // Marks replace the values while the query is built; their positions in the parameters are those of the values.
    const made = build(db, ...(marks as unknown as V)).compile();
    sources = made.parameters.map((parameter) => {
      const at = marks.indexOf(parameter as (typeof marks)[number]);
      return at === -1 ? undefined : at;
    });
    if (marks.some(({ index }) => !sources.includes(index)))
      throw new Error('A compiled query must put in each of its values.');
    return made;
  }

  return async (db, ...values) => {
    compiled ??= compile(db, values.length);
    const { parameters } = compiled;
    const filled = sources.map((source, at) => (source === undefined ? parameters[at] : values[source]));
    return (await db.executeQuery<O>({ ...compiled, parameters: filled })).rows;
  };
}
