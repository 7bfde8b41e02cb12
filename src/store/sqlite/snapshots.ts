import { DatabaseSync } from 'node:sqlite';
import { setImmediate as giveWay } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type { Engine } from '../engine.ts';
import { storageError } from '../errors.ts';
import type { Tables } from '../tables/tables.ts';
import { createSqliteDialect } from './dialect.ts';
import { createStatements } from './statements.ts';

/**
 * Reads of one snapshot, on a separate connection: on the writing one they would see an unfinished transaction. Opened
 * at the first read; one snapshot at a time, since nothing in it waits longer than a microtask. For the same reason a
 * long series, as when hundreds wake together, yields now and then.
 */
export function createSqliteSnapshots(path: string): {
  readonly read: Engine['read'];
  close(): Promise<void>;
} {
  let opened: { readonly database: DatabaseSync; readonly db: Kysely<Tables> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let waiting = 0;
  let turnBeganMs = 0;

  function open() {
    if (isClosed) throw new Error('The records are closed.');
    if (opened) return opened;
    const database = new DatabaseSync(path, { timeout: lockPatienceMs });
    database.exec('pragma query_only=on');
    const dialect = createSqliteDialect(database, createStatements(database), 'deferred');
    opened = { database, db: new Kysely<Tables>({ dialect }) };
    return opened;
  }

  return {
    read(work) {
      if (waiting++ === 0) turnBeganMs = performance.now();
      const mine = last.then(async () => {
        if (performance.now() - turnBeganMs > longestTurnMs) {
          await giveWay();
          turnBeganMs = performance.now();
        }
        try {
          return await open().db.transaction().execute(work);
        } catch (error) {
          throw storageError(error);
        } finally {
          waiting -= 1;
        }
      });
      // Its own reader gets the failure; the next one only waits its turn.
      last = mine.catch(() => {});
      return mine;
    },
    async close() {
      isClosed = true;
      await last;
      await opened?.db.destroy();
      opened?.database.close();
      opened = undefined;
    },
  };
}

const lockPatienceMs = 2;
const longestTurnMs = 3;
