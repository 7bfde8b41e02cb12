import { closeSync, constants, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Locks } from './lock.ts';

/**
 * Locks on folders, for those who change many files at once: whoever changes one file shares the folders above it, and
 * what a command did lands while nobody does. All servers of this machine see them, whatever their roots and state folders.
 */
export interface FolderLocks {
  /** For whoever changes an entry of this folder. Returns what gives it back. Throws `unavailable` as `Locks`. */
  share(folder: string, signal?: AbortSignal): Promise<() => void>;
  /** For whoever changes whatever lies below these. */
  hold(folders: readonly string[]): Promise<() => void>;
}

export function createFolderLocks(locks: Locks): FolderLocks {
  const batches = createBatches();

  /** In the order of their names, which is the same for all: of those who wait for each other one is always first. */
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
        const fd = openFolder(folder);
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
    async share(folder, signal) {
      await batches.begin();
      const release = await take(new Map(upTo(folder).map((each) => [each, 'shared'])), signal);
      const leave = batches.join();
      return () => {
        release();
        leave();
      };
    },
    hold: (folders) =>
      take(
        new Map<string, Lock>([
          ...folders.flatMap(upTo).map((each) => [each, 'shared'] as const),
          ...folders.map((each) => [each, 'alone'] as const),
        ]),
      ),
  };
}

type Lock = 'shared' | 'alone';

/** The folder, and all above it but the first: no command can run where that is a root. */
function upTo(folder: string): readonly string[] {
  const names = folder.split('/').filter((name) => name !== '');
  return names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
}

/** Undefined where we may not look into it, or it is gone: then it is not locked. A lock harms nobody, wherever a link leads. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    return undefined;
  }
}

/**
 * The kernel lets in whoever shares, though another waits to be alone: where calls overlap all the time nobody ever would
 * be. So they come in batches, with a moment between.
 */
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

/** A large landing takes its time. */
const waitMs = 600_000;
const batchMs = 50;
/** Longer than a waiting process takes to look again (1 ms), so that it gets its turn. */
const betweenMs = 3;
