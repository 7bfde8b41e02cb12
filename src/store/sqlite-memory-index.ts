import { type Kysely, sql } from 'kysely';
import { type MemoryIndex, ownerPrefix } from './memory-index.ts';
import type { Tables } from './tables.ts';

/**
 * Words in FTS5 without positions or content. Each word carries a prefix of its owner, so that a posting list
 * holds one owner's memories only. Words hold letters and digits alone, and are quoted all the same.
 */
export function createSqliteMemoryIndex(db: Kysely<Tables>): MemoryIndex {
  return {
    async put(tx, owner, seq, words) {
      const prefix = ownerPrefix(owner);
      const text = words.map((word) => prefix + word).join(' ');
      await sql`insert into memory_words (rowid, words) values (${seq}, ${text})`.execute(tx);
    },
    async remove(tx, _owner, seq) {
      await sql`delete from memory_words where rowid = ${seq}`.execute(tx);
    },
    async frequencies(owner, words) {
      const prefix = ownerPrefix(owner);
      const terms = JSON.stringify(words.map((word) => prefix + word));
      const found = await sql<{ term: string; doc: number }>`
        select term, doc from memory_terms where term in (select value from json_each(${terms}))`.execute(db);
      return new Map(found.rows.map(({ term, doc }) => [term.slice(prefix.length), doc]));
    },
    async candidates(owner, words, limit) {
      if (words.length === 0) return [];
      const prefix = ownerPrefix(owner);
      const match = words.map(({ word }) => `"${prefix}${word.replaceAll('"', '')}"`).join(' OR ');
      const found = await sql<{ rowid: number }>`
        select rowid from memory_words where memory_words match ${match} order by rank limit ${limit}`.execute(
        db,
      );
      return found.rows.map(({ rowid }) => rowid);
    },
  };
}
