import type { DatabaseSync } from 'node:sqlite';
import { type Changes, createChanges } from '../changes.ts';
import { createSignalFile } from './signal-file.ts';

/**
 * Other processes are heard through a file beside the database that names what changed. Who waits looks at the
 * database's own change counter as well, now and then: a file system may send no news of files, and an older version
 * or another program tells nobody.
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
