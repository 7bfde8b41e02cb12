import { createHash } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/**
 * An index of memories by word. Words arrive already cut and stemmed (`recall/terms.ts`), and are separate for each
 * owner, so that neither hits nor frequencies come from others' memories.
 */
export interface MemoryIndex {
  put(tx: Transaction<Tables>, owner: string, seq: number, words: readonly string[]): Promise<void>;
  remove(tx: Transaction<Tables>, seq: number): Promise<void>;
  /** The number of the owner's memories that contain each word; words in none are left out. */
  frequencies(owner: string, words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Memories with any of the words, by the sum of weights, greatest first. */
  withAny(
    owner: string,
    words: readonly WeightedWord[],
    filter: MemoryFilter,
    limit: number,
  ): Promise<readonly number[]>;
  /** Memories with all of the words, newest first. */
  withAll(
    owner: string,
    words: readonly string[],
    filter: MemoryFilter,
    limit: number,
  ): Promise<readonly number[]>;
}

export interface WeightedWord {
  readonly word: string;
  readonly weight: number;
}

/** Conditions for a memory in addition to words. Labels are folded. */
export interface MemoryFilter {
  readonly category?: string | undefined;
  readonly tags: readonly string[];
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** A filter as a condition on `memories`; undefined if it excludes nothing. */
export function filterSql(
  { category, tags, sinceMs, untilMs }: MemoryFilter,
  positionFunction: 'instr' | 'strpos',
): RawBuilder<SqlBool> | undefined {
  const conditions: RawBuilder<unknown>[] = [];
  if (category !== undefined) conditions.push(sql`memories.category_key = ${category}`);
  if (sinceMs !== undefined) conditions.push(sql`memories.created_at_ms >= ${sinceMs}`);
  if (untilMs !== undefined) conditions.push(sql`memories.created_at_ms <= ${untilMs}`);
  for (const tag of tags) {
    conditions.push(sql`${sql.raw(positionFunction)}(memories.tags_key, ${`\n${tag}\n`}) > 0`);
  }
  return conditions.length > 0 ? sql<SqlBool>`${sql.join(conditions, sql` and `)}` : undefined;
}

/** The prefix of an owner's index words. With 80 bits, a colliding principal cannot be found. */
export function ownerPrefix(owner: string): string {
  return `${createHash('sha256').update(owner).digest('hex').slice(0, 20)}x`;
}
