import { close, fdatasync, fsync, open } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { deferred } from '../../ground/waiting/defer.ts';
import { sharingNext } from '../../ground/waiting/sharing.ts';

/** Makes commits survive a power cut. */
export type WalSync = ReturnType<typeof createWalSync>;

/**
 * Commits run without a sync, and callers that need durability wait here: one `fdatasync` of the write-ahead log in the
 * thread pool covers every commit made before it began, of all processes. So writers share a sync instead of queueing
 * for one each, and neither the event loop nor the write lock waits for the disk. It guarantees the same as
 * `synchronous=FULL`: with NORMAL, SQLite syncs log and database itself around each checkpoint, and the log file is the
 * same as long as our connection is open.
 */
export function createWalSync(databasePath: string) {
  let descriptor: number | undefined;
  /** Resolves when everything committed before the call is on the disk. */
  const sync = sharingNext(async () => {
    if (descriptor === undefined) {
      descriptor = await openFile(`${databasePath}-wal`, 'r+');
      await syncFolder(dirname(databasePath));
    }
    await syncFile(descriptor);
  });
  return {
    sync,
    async close() {
      // The callers of the sync got its failure.
      await sync.running()?.catch(() => {});
      if (descriptor !== undefined) await closeFile(descriptor);
      descriptor = undefined;
    },
  };
}

/** A new file's name is durable only when its folder is. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder as a file, and writes names through automatically.
  if (process.platform === 'win32') return;
  const folder = await openFile(path, 'r');
  await using _ = deferred(() => closeFile(folder));
  await syncAll(folder);
}

const openFile = promisify(open);
const syncFile = promisify(fdatasync);
const syncAll = promisify(fsync);
const closeFile = promisify(close);
