import { type Kysely, type RawBuilder, sql } from 'kysely';
import { filterSql, type MemoryFilter, type MemoryIndex, ownerPrefix } from '../memory/index.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Words in FTS5 without positions or content. Each word has its owner's prefix, so that a posting list contains one
 * owner's memories only. Words contain only letters and digits, and are quoted all the same.
 */
export function createSqliteMemoryIndex(db: Kysely<Tables>): MemoryIndex {
  return {
    async put(tx, owner, seq, words) {
      const prefix = ownerPrefix(owner);
      const distinct = [...new Set(words)].map((word) => prefix + word).join(' ');
      await sql`insert into memory_words (rowid, words) values (${seq}, ${distinct})`.execute(tx);
    },
    async remove(tx, seq) {
      await sql`delete from memory_words where rowid = ${seq}`.execute(tx);
    },
    async frequencies(owner, words) {
      const prefix = ownerPrefix(owner);
      const terms = JSON.stringify(words.map((word) => prefix + word));
      const found = await sql<{ term: string; doc: number }>`
        select term, doc from memory_terms where term in (select value from json_each(${terms}))`.execute(db);
      return new Map(found.rows.map(({ term, doc }) => [term.slice(prefix.length), doc]));
    },
    async withAny(owner, words, filter, limit) {
      const hits = words.map(
        ({ word, weight }) => sql`
          select rowid as hit, ${weight} as weight from memory_words where memory_words match ${quoted(owner, word)}`,
      );
      return seqsOf(sql<{ hit: number }>`
        select hit from (${sql.join(hits, sql` union all `)}) ${joined(filter)}
        group by hit order by sum(weight) desc, hit desc limit ${limit}`);
    },
    async withAll(owner, words, filter, limit) {
      const match = words.map((word) => quoted(owner, word)).join(' AND ');
      return seqsOf(sql<{ hit: number }>`
        select hit from (select rowid as hit from memory_words where memory_words match ${match} order by rowid desc)
        ${joined(filter)} order by hit desc limit ${limit}`);
    },
  };

  async function seqsOf(query: RawBuilder<{ hit: number }>): Promise<readonly number[]> {
    return (await query.execute(db)).rows.map(({ hit }) => hit);
  }
}

/** Joins rows only if their labels or times matter. */
function joined(filter: MemoryFilter): RawBuilder<unknown> {
  const conditions = filterSql(filter, 'instr');
  return conditions ? sql`join memories on memories.seq = hit where ${conditions}` : sql``;
}

function quoted(owner: string, word: string): string {
  return `"${ownerPrefix(owner)}${word.replaceAll('"', '')}"`;
}
