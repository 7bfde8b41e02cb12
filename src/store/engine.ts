import type { Insertable, Kysely, RawBuilder, SelectQueryBuilder, Transaction } from 'kysely';
import type { Changes, Wakeups } from './changes.ts';
import type { MemoryIndex } from './memory/index.ts';
import type { Tables } from './tables/tables.ts';
import type { QuickTeam } from './team/quick.ts';

/**
 * All that a record file knows of a database. `sqlite.ts` and `postgres.ts` make one each, and nothing else in
 * the house knows which it is. Record files import Kysely's types only, so that nothing loads before a query.
 */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Do transactions of several servers commit side by side? Then a row that each of them locks makes all wait. */
  readonly commitsTogether: boolean;
  /** Absent where a statement costs no trip, or where connections are not ours. */
  readonly quickTeam?: QuickTeam | undefined;
  /** For reading. Writes go through `write`, which waits for the lock instead of failing. */
  readonly db: Kysely<Tables>;
  /**
   * One transaction. On SQLite it holds the write lock from its first moment, so that what it reads stays true;
   * on PostgreSQL lock what you decide on with `lock`. The work may be run again after a conflict: no side
   * effects in it, and no waiting on anything but `tx`.
   */
  write<T>(work: (tx: Transaction<Tables>) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Several reads that see one moment: no other transaction comes between them. No waiting in it on anything but
   * `tx`.
   */
  read<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Locks the rows that a select in `write` returns; with `skip`, rows that another holds are left out. */
  lock<O>(
    query: SelectQueryBuilder<Tables, keyof Tables, O>,
    options?: { readonly skip?: boolean },
  ): SelectQueryBuilder<Tables, keyof Tables, O>;
  /** Inserts many rows of the same columns, in the engine's quickest way; `unlessThere`, but for those that are there already. */
  insertMany<T extends keyof Tables>(
    tx: Kysely<Tables>,
    table: T,
    rows: readonly Insertable<Tables[T]>[],
    options?: { readonly unlessThere?: boolean },
  ): Promise<void>;
  /** Any of these numbers, to stand behind `in`: one value, so that no length of a list makes another statement. */
  anyOf(numbers: readonly number[]): RawBuilder<number>;
  /** The time of the database's machine, in ms: one clock for all who share it. */
  readonly clockMs: RawBuilder<number>;
  /**
   * The same time here: what the database said once, and what has passed since. A clock that is set, here or there, moves
   * it by nothing. Servers of one file share a machine, and this is how it began.
   */
  now(): number;
  /** The SQL function that says where a text is in another, 0 where it is not. */
  readonly positionFunction: 'instr' | 'strpos';
  /** Tells waiters here and in other processes that rows behind a topic changed. */
  readonly changes: Changes;
  /** Do others' changes reach us? Absent where they are heard through a file beside the database. */
  readonly wakeups?: (() => Wakeups) | undefined;
  /** How words are looked up; the one thing that the two databases do in wholly different ways. */
  readonly memoryIndex: MemoryIndex;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Resolve when the rows would survive a power cut (default), or as soon as they would survive a crash of ours. */
  readonly durable?: boolean;
}

/** Opens the engine at the first query and hands out the same one from then on. */
export type OpenEngine = () => Promise<Engine>;

/** Milliseconds since 1970. */
export type Clock = () => number;
