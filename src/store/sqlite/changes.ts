import type { DatabaseSync } from 'node:sqlite';
import { orElse } from '../../ground/or-else.ts';
import { type Changes, createChanges } from '../changes.ts';

/**
 * Changes of other processes are found by the database's own change counter, at which waiters look often: it is in
 * memory that the processes share. Each change wakes all waiters, so while others go on writing they look less often.
 */
export function createSqliteChanges(database: DatabaseSync): {
  readonly changes: Changes;
  close(): void;
} {
  const counter = database.prepare('pragma data_version');
  let timer: NodeJS.Timeout | undefined;
  let seen: unknown;

  const changes = createChanges({
    tell() {},
    listen() {
      seen = version();
      lookIn(quickMs);
    },
    rest: close,
  });

  function close(): void {
    clearTimeout(timer);
  }

  function lookIn(ms: number): void {
    timer = setTimeout(() => {
      const now = version();
      const isChanged = now !== seen;
      seen = now;
      lookIn(isChanged ? Math.min(2 * ms, busyMs) : quickMs);
      if (isChanged) changes.wakeAll();
    }, ms);
  }

  function version(): unknown {
    // Locked while a process recovers the log of one that was killed: the next look tells.
    return orElse(() => counter.get()?.data_version, seen);
  }

  return { changes, close };
}

const quickMs = 20;
const busyMs = 320;
