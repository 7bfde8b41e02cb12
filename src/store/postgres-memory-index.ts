import { type Kysely, sql } from 'kysely';
import { type MemoryIndex, ownerPrefix } from './memory-index.ts';
import type { Tables } from './tables.ts';

/** Words as a `tsvector` of the memory's own row, made from our words as they are, under a GIN index. */
export function createPostgresMemoryIndex(db: Kysely<Tables>): MemoryIndex {
  return {
    async put(tx, owner, seq, words) {
      const prefix = ownerPrefix(owner);
      const list = [...new Set(words)].map((word) => prefix + word);
      await sql`update memories set words = array_to_tsvector(${list}::text[]) where seq = ${seq}`.execute(
        tx,
      );
    },
    // The vector goes with its row, or is replaced by the next `put`.
    async remove() {},
    async frequencies(owner, words) {
      const prefix = ownerPrefix(owner);
      const terms = words.map((word) => quoted(prefix + word));
      const found = await sql<{ term: string; doc: number }>`
        select term, (select count(*) from memories where memories.words @@ term::tsquery) as doc
        from unnest(${terms}::text[]) as term`.execute(db);
      const counts = new Map(found.rows.map(({ term, doc }) => [term, doc]));
      return new Map(
        words.flatMap((word) => {
          const doc = counts.get(quoted(prefix + word)) ?? 0;
          return doc > 0 ? [[word, doc] as const] : [];
        }),
      );
    },
    async candidates(owner, words, limit) {
      if (words.length === 0) return [];
      const prefix = ownerPrefix(owner);
      const terms = words.map(({ word }) => quoted(prefix + word));
      const weights = words.map(({ weight }) => weight);
      const found = await sql<{ seq: number }>`
        select seq from memories where words @@ ${terms.join(' | ')}::tsquery
        order by (
          select sum(weight) from unnest(${terms}::text[], ${weights}::float8[]) as t (term, weight)
          where words @@ term::tsquery) desc, seq desc
        limit ${limit}`.execute(db);
      return found.rows.map(({ seq }) => seq);
    },
  };
}

/** A word as `tsquery` reads it literally. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
}
