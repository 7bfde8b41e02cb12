import type { DatabaseSync } from 'node:sqlite';
import type { Kysely, Transaction } from 'kysely';
import { defer } from '../../ground/waiting/defer.ts';
import type { Engine } from '../engine.ts';
import { storageError } from '../errors.ts';
import type { Tables } from '../tables/tables.ts';
import type { WalSync } from './wal-sync.ts';

type Work<T> = (tx: Transaction<Tables>) => Promise<T>;

interface Job {
  readonly work: Work<unknown>;
  readonly durable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Writes that wait at the same time share one transaction and one sync, each in its own savepoint, so that the file's
 * lock, for which processes compete, is taken once for many.
 */
export function createSqliteWriter(
  database: DatabaseSync,
  db: Kysely<Tables>,
  wal: WalSync,
): Engine['write'] {
  const queue: Job[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    using _ = defer(() => (running = false));
    // Include other writes of this turn of the event loop: a call's history and audit entry come together.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    while (queue.length > 0) await runBatch(queue.splice(0, jobsTogether));
  }

  async function runBatch(jobs: readonly Job[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = await db
        .transaction()
        .execute((tx) => (jobs.length === 1 ? alone(jobs, tx) : together(jobs, tx)));
    } catch (error) {
      // One of them ended the whole transaction, or the commit failed: run each separately.
      if (jobs.length > 1) for (const job of jobs) await runBatch([job]);
      else jobs[0]?.reject(storageError(error));
      return;
    }
    const synced = jobs.some(({ durable }) => durable) ? wal.sync() : Promise.resolve();
    for (const [at, job] of jobs.entries()) settle(job, outcomes[at], synced);
    // Callers that wait for it get the failure; the next batch need not.
    synced.catch(() => {});
  }

  async function alone(jobs: readonly Job[], tx: Transaction<Tables>): Promise<readonly Outcome[]> {
    return [{ value: await jobs[0]?.work(tx) }];
  }

  async function together(jobs: readonly Job[], tx: Transaction<Tables>): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { work } of jobs) {
      database.exec('savepoint job');
      try {
        outcomes.push({ value: await work(tx) });
      } catch (error) {
        // A full disk ends the transaction automatically.
        if (!database.isTransaction) throw error;
        database.exec('rollback to job');
        outcomes.push({ error });
      }
      database.exec('release job');
    }
    return outcomes;
  }

  return (work, { durable = true } = {}) =>
    new Promise((resolve, reject) => {
      queue.push({ work, durable, resolve, reject });
      if (!running) void run();
    });
}

function settle(job: Job, outcome: Outcome | undefined, synced: Promise<void>): void {
  if (!outcome || 'error' in outcome) job.reject(storageError(outcome?.error));
  else if (!job.durable) job.resolve(outcome.value as never);
  else
    synced.then(
      () => job.resolve(outcome.value as never),
      (error) => job.reject(storageError(error)),
    );
}

const jobsTogether = 64;
