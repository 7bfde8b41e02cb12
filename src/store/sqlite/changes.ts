import type { DatabaseSync } from 'node:sqlite';
import { type Changes, createChanges } from '../changes.ts';
import { createSignalFile } from './signal-file.ts';

/**
 * Changes of other processes are announced in a file beside the database. Waiters also check the database's own change
 * counter now and then: a file system may not report changes of files, and older versions or other programs do not
 * announce theirs.
 */
export function createSqliteChanges(
  database: DatabaseSync,
  path: string,
): { readonly changes: Changes; close(): void } {
  const signals = createSignalFile(`${path}-signals`, { onSignal: wake, onLost: wakeAll });
  let timer: NodeJS.Timeout | undefined;
  let seen: unknown;

  const changes = createChanges({
    tell: signals.tell,
    listen() {
      seen = version();
      const hearsNews = signals.listen();
      timer = setInterval(look, hearsNews ? rareLookMs : lookMs);
    },
    rest() {
      clearInterval(timer);
      signals.rest();
    },
  });

  function wake(topic: string): void {
    changes.wake(topic);
  }
  function wakeAll(): void {
    changes.wakeAll();
  }
  function version(): unknown {
    return database.prepare('pragma data_version').get()?.data_version;
  }
  function look(): void {
    const now = version();
    if (now === seen) return;
    seen = now;
    changes.wakeAll();
  }

  return {
    changes,
    close() {
      clearInterval(timer);
      signals.close();
    },
  };
}

const lookMs = 1000;
const rareLookMs = 5000;
