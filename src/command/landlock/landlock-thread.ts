import { parentPort, workerData } from 'node:worker_threads';
import { openPosixSpawn, type PosixSpawnOptions } from '../child/posix-spawn.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { confineThread, type ThreadWalls } from './rules.ts';

/** Starts children for the main thread. They inherit this thread's restrictions. */

/** A child to start. Its descriptors are the process's, opened by the main thread. */
export interface ThreadOptions extends PosixSpawnOptions {
  readonly id: number;
}

export type ThreadNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unable'; readonly problem: string }
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly problem: string };

const port = parentPort;
if (port) {
  const tell = (news: ThreadNews) => port.postMessage(news);
  try {
    const { now: start } = await openPosixSpawn();
    // The main thread passed the restrictions when it created this one.
    confineThread(await openKernel(), workerData as ThreadWalls);
    port.on('message', (spawnOptions: ThreadOptions) => {
      const { id } = spawnOptions;
      try {
        tell({ kind: 'started', id, pid: start(spawnOptions) });
      } catch (error) {
        tell({ kind: 'failed', id, problem: String(error) });
      }
    });
    tell({ kind: 'ready' });
  } catch (error) {
    tell({ kind: 'unable', problem: error instanceof Error ? error.message : String(error) });
  }
}
