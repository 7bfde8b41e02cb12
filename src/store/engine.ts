import type { Insertable, Kysely, RawBuilder, SelectQueryBuilder, Transaction } from 'kysely';
import type { Changes, Wakeups } from './changes.ts';
import type { MemoryIndex } from './memory/index.ts';
import type { Tables } from './tables/tables.ts';
import type { QuickTeam } from './team/quick.ts';

/**
 * The interface of a database for record files. `sqlite.ts` and `postgres.ts` implement it, and no other code knows
 * which it is. Record files import only Kysely's types, so that nothing loads before a query.
 */
export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Whether transactions of several servers commit in parallel. Then a row that each of them locks makes all wait. */
  readonly commitsTogether: boolean;
  /** Undefined if statements need no round trip, or if a pooler assigns connections. */
  readonly quickTeam?: QuickTeam | undefined;
  /** For reading. Writes use `write`, which waits for the lock instead of failing. */
  readonly db: Kysely<Tables>;
  /**
   * One transaction. On SQLite it holds the write lock from its beginning, so its reads stay valid; on PostgreSQL, lock
   * the rows that decide with `lock`. The work may run again after a conflict: it must have no side effects and wait
   * only for `tx`.
   */
  write<T>(work: (tx: Transaction<Tables>) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Several reads of one snapshot: no other transaction comes in between. The work must wait only for `tx`. */
  read<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Locks the rows that a select in `write` returns; with `skip`, leaves out rows locked by others. */
  lock<O>(
    query: SelectQueryBuilder<Tables, keyof Tables, O>,
    options?: { readonly skip?: boolean },
  ): SelectQueryBuilder<Tables, keyof Tables, O>;
  /** Inserts many rows of the same columns in the engine's fastest way; with `unlessThere`, skips existing ones. */
  insertMany<T extends keyof Tables>(
    tx: Kysely<Tables>,
    table: T,
    rows: readonly Insertable<Tables[T]>[],
    options?: { readonly unlessThere?: boolean },
  ): Promise<void>;
  /** These numbers for use after `in`: one value, so that lists of any length share a statement. */
  anyOf(numbers: readonly number[]): RawBuilder<number>;
  /** The time of the database's machine, in ms: one clock for all servers. */
  readonly clockMs: RawBuilder<number>;
  /**
   * The same time here: one reading of the database's clock plus the time since, so setting a clock does not change it.
   * Servers of one SQLite file share a machine, so it uses that clock at the start.
   */
  now(): number;
  /** The SQL function for the position of a text in another, 0 if absent. */
  readonly positionFunction: 'instr' | 'strpos';
  /** Notifies waiters here and in other processes that rows of a topic changed. */
  readonly changes: Changes;
  /** Whether others' changes reach us; undefined if a file beside the database carries them. */
  readonly wakeups?: (() => Wakeups) | undefined;
  /** The word index; the only part that differs completely between the two databases. */
  readonly memoryIndex: MemoryIndex;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Resolve when the rows would survive a power cut (default), or only a crash of this process. */
  readonly durable?: boolean;
}

/** Opens the engine at the first query; later calls return the same one. */
export type OpenEngine = () => Promise<Engine>;

/** Milliseconds since 1970. */
export type Clock = () => number;
