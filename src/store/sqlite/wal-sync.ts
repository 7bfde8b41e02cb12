import { close, fdatasync, fsync, open } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Makes what was committed survive a power cut. */
export interface WalSync {
  /** Resolves when everything committed before the call is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Commits run without a sync, and whoever needs durability waits here: one `fdatasync` of the write-ahead log in
 * the thread pool covers every commit made before it began, of all processes. So writers share a sync instead of
 * queueing for one each, and neither the event loop nor the write lock waits for the disk. It promises what
 * `synchronous=FULL` promises: with NORMAL, SQLite syncs log and database itself around each checkpoint, and the
 * log file stays the same one for as long as our connection is open.
 */
export function createWalSync(databasePath: string): WalSync {
  let descriptor: number | undefined;
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  async function syncNow(): Promise<void> {
    if (descriptor === undefined) {
      descriptor = await openFile(`${databasePath}-wal`, 'r+');
      await syncFolder(dirname(databasePath));
    }
    await syncFile(descriptor);
  }

  function start(): Promise<void> {
    running = syncNow().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    sync() {
      if (!running) return start();
      // The one that runs may have begun before our commit; the next one has not. A failure is told to its own callers.
      following ??= running
        .catch(() => {})
        .then(() => {
          following = undefined;
          return start();
        });
      return following;
    },
    async close() {
      // Whoever asked for the sync was told of its failure.
      await (following ?? running)?.catch(() => {});
      if (descriptor !== undefined) await closeFile(descriptor);
      descriptor = undefined;
    },
  };
}

/** A new file's name is durable only when its folder is. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folder as a file, and writes names through by itself.
  if (process.platform === 'win32') return;
  const folder = await openFile(path, 'r');
  try {
    await syncAll(folder);
  } finally {
    await closeFile(folder);
  }
}

const openFile = promisify(open);
const syncFile = promisify(fdatasync);
const syncAll = promisify(fsync);
const closeFile = promisify(close);
