import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** Asks one query with these values, which stand where the builder put them. */
export type AskCompiled<V extends readonly unknown[], O> = (
  db: Kysely<Tables>,
  ...values: V
) => Promise<readonly O[]>;

/**
 * A query that is asked again and again: built and compiled at the first time, and from then on only asked. Building
 * costs more than SQLite needs for the answer. One for each engine, since they compile differently. The builder must
 * make the same query for all values, so it puts each one in and decides nothing by it.
 */
export function compileOnce<V extends readonly unknown[], O>(
  build: (db: Kysely<Tables>, ...values: V) => { compile(): CompiledQuery<O> },
): AskCompiled<V, O> {
  let compiled: CompiledQuery<O> | undefined;
  let sources: readonly (number | undefined)[] = [];

  function compile(db: Kysely<Tables>, count: number): CompiledQuery<O> {
    const marks = Array.from({ length: count }, (_, index) => ({ index }));
    // A mark stands for a value while the query is built: a value's place in the query is where its mark comes out.
    const made = build(db, ...(marks as unknown as V)).compile();
    sources = made.parameters.map((parameter) => {
      const at = marks.indexOf(parameter as (typeof marks)[number]);
      return at === -1 ? undefined : at;
    });
    if (marks.some(({ index }) => !sources.includes(index))) {
      throw new Error('A compiled query must put in each of its values.');
    }
    return made;
  }

  return async (db, ...values) => {
    compiled ??= compile(db, values.length);
    const { parameters } = compiled;
    const filled = sources.map((source, at) => (source === undefined ? parameters[at] : values[source]));
    return (await db.executeQuery<O>({ ...compiled, parameters: filled })).rows;
  };
}
