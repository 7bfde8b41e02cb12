import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/**
 * Which memories hold a word. Words arrive already cut and stemmed (`recall/words.ts`) and each owner has words of
 * their own, so that neither a hit nor a frequency ever comes from somebody else's memories.
 */
export interface MemoryIndex {
  put(tx: Transaction<Tables>, owner: string, seq: number, words: readonly string[]): Promise<void>;
  remove(tx: Transaction<Tables>, seq: number): Promise<void>;
  /** In how many of the owner's memories each word is; words in none are left out. */
  frequencies(owner: string, words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Memories with any of the words, those with the greatest sum of weights first. */
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
  /** The words of some memories, with repeats, for ranking. */
  load(
    owner: string,
    seqs: readonly number[],
  ): Promise<readonly { readonly seq: number; readonly words: string }[]>;
  /** The newest memories. */
  newest(owner: string, filter: MemoryFilter, limit: number): Promise<readonly number[]>;
}

export interface WeightedWord {
  readonly word: string;
  readonly weight: number;
}

/** What a memory must meet besides its words. Labels are folded. */
export interface MemoryFilter {
  readonly category?: string | undefined;
  readonly tags: readonly string[];
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** What an owner's words begin with. 80 bits: nobody finds another principal with the same. */
export function ownerPrefix(owner: string): string {
  return `${createHash('sha256').update(owner).digest('hex').slice(0, 20)}x`;
}
