import { type Kysely, type RawBuilder, sql } from 'kysely';
import { filterSql, type MemoryFilter, type MemoryIndex, ownerPrefix } from '../memory/index.ts';
import type { Tables } from '../tables/tables.ts';

/** Words as a `tsvector` of our own words under a GIN index, each with its owner's prefix, as on SQLite. */
export function createPostgresMemoryIndex(db: Kysely<Tables>): MemoryIndex {
  return {
    async put(tx, owner, seq, words) {
      const prefix = ownerPrefix(owner);
      const distinct = [...new Set(words)].map((word) => prefix + word);
      await sql`update memories set word_index = array_to_tsvector(${distinct}::text[]) where seq = ${seq}`.execute(
        tx,
      );
    },
    // The vector is deleted with its row, or replaced by the next `put`.
    async remove() {},
    async frequencies(owner, words) {
      const terms = words.map((word) => quoted(owner, word));
      const found = await sql<{ place: number; doc: number }>`
        select place, (select count(*) from memories where word_index @@ term::tsquery) as doc
        from unnest(${terms}::text[]) with ordinality as asked (term, place)`.execute(db);
      return new Map(
        found.rows.flatMap(({ place, doc }) => {
          const word = words[place - 1];
          return word !== undefined && doc > 0 ? [[word, doc] as const] : [];
        }),
      );
    },
    async withAny(owner, words, filter, limit) {
      const terms = words.map(({ word }) => quoted(owner, word));
      const weights = words.map(({ weight }) => weight);
      return seqsOf(sql<{ seq: number }>`
        select memories.seq from unnest(${terms}::text[], ${weights}::float8[]) as asked (term, weight)
        join memories on word_index @@ term::tsquery where ${conditions(filter)}
        group by memories.seq order by sum(weight) desc, memories.seq desc limit ${limit}`);
    },
    async withAll(owner, words, filter, limit) {
      const query = words.map((word) => quoted(owner, word)).join(' & ');
      return seqsOf(sql<{ seq: number }>`
        select seq from memories where word_index @@ ${query}::tsquery and ${conditions(filter)}
        order by seq desc limit ${limit}`);
    },
  };

  async function seqsOf(query: RawBuilder<{ seq: number }>): Promise<readonly number[]> {
    return (await query.execute(db)).rows.map(({ seq }) => seq);
  }
}

function conditions(filter: MemoryFilter): RawBuilder<unknown> {
  return filterSql(filter, 'strpos') ?? sql`true`;
}

/** A word in literal `tsquery` syntax; our words contain only letters and digits. */
function quoted(owner: string, word: string): string {
  return `'${ownerPrefix(owner)}${word.replace(/['\\]/g, '')}'`;
}
