import { closeSync, constants, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { orElse } from '../../ground/or-else.ts';
import type { Locks } from './lock.ts';

/**
 * Locks on folders for changes of many files: changing one file shares the folders above it, and landing a command's
 * changes holds them exclusively. All servers of this machine see them, whatever their roots and state folders.
 */
export type FolderLocks = ReturnType<typeof createFolderLocks>;

export function createFolderLocks(locks: Locks) {
  const batches = createBatches();

  /** In the order of their names, the same for all callers, which prevents deadlocks. */
  async function take(wanted: ReadonlyMap<string, Lock>, signal?: AbortSignal): Promise<() => void> {
    const taken: number[] = [];
    const release = () => {
      for (const fd of taken) {
        locks.release(fd);
        closeSync(fd);
      }
    };
    try {
      for (const folder of [...wanted.keys()].sort()) {
        // A folder that is unreadable or gone is not locked. A lock is harmless, wherever a link leads.
        const fd = orElse(() => openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY), undefined);
        if (fd === undefined) continue;
        taken.push(fd);
        await locks.take(fd, { shared: wanted.get(folder) === 'shared', waitMs, signal });
      }
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    /** For changing an entry of this folder. Returns the release function. Throws `unavailable` like `Locks`. */
    async share(folder: string, signal?: AbortSignal): Promise<() => void> {
      await batches.begin();
      const release = await take(new Map(upTo(folder).map((each) => [each, 'shared'])), signal);
      const leave = batches.join();
      return () => {
        release();
        leave();
      };
    },
    /** For changing anything below these. */
    hold: (folders: readonly string[]): Promise<() => void> =>
      take(
        new Map<string, Lock>([
          ...folders.flatMap(upTo).map((each) => [each, 'shared'] as const),
          ...folders.map((each) => [each, 'alone'] as const),
        ]),
      ),
  };
}

type Lock = 'shared' | 'alone';

/** The folder and all above it except `/`: no command can run with that as its root. */
function upTo(folder: string): readonly string[] {
  const names = folder.split('/').filter((name) => name !== '');
  return names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
}

/** With overlapping sharers a kernel's holder waits forever, so sharers come in batches with a pause between. */
function createBatches() {
  let inside = 0;
  let beganAt = 0;
  let next: PromiseWithResolvers<void> | undefined;
  return {
    async begin(): Promise<void> {
      if (inside > 0 && performance.now() - beganAt > batchMs) next ??= Promise.withResolvers();
      await next?.promise;
    },
    join(): () => void {
      if (inside === 0) beganAt = performance.now();
      inside += 1;
      return () => {
        inside -= 1;
        const waiting = next;
        if (inside > 0 || !waiting) return;
        void sleep(betweenMs).then(() => {
          if (next === waiting) next = undefined;
          waiting.resolve();
        });
      };
    },
  };
}

/** A large landing takes time. */
const waitMs = 600_000;
const batchMs = 50;
/** Longer than the polling interval of a waiting process (1 ms), so that it gets its turn. */
const betweenMs = 3;
