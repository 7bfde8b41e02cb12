import { Worker } from 'node:worker_threads';
import { quietThread, threadUrl } from '../child/quiet-thread.ts';
import type { Reaped } from '../child/start-child.ts';
import type { Collector } from '../output/collect.ts';
import type { ThreadNews, ThreadOptions } from './landlock-thread.ts';
import type { ThreadWalls } from './rules.ts';

/** A confined thread that starts children for us. */
export type ConfinedThread = Awaited<ReturnType<typeof openConfinedThread>>;

/** Throws if a restriction fails. The thread alone does not keep the process alive. */
export async function openConfinedThread(
  collector: Collector,
  walls: ThreadWalls,
  url: URL = threadUrl('landlock-thread', import.meta.url),
) {
  const worker = new Worker(url, { ...quietThread, workerData: walls });
  const starting = new Map<number, { resolve(child: Reaped): void; reject(error: Error): void }>();
  let running = 0;
  let last = 0;

  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', (news: ThreadNews) => {
      switch (news.kind) {
        case 'ready':
          return resolve();
        case 'unable':
          return reject(new Error(news.problem));
        case 'started': {
          running++;
          const exited = collector.wait(news.pid).finally(() => {
            running--;
          });
          starting.get(news.id)?.resolve({ pid: news.pid, exited });
          starting.delete(news.id);
          return;
        }
        case 'failed':
          starting.get(news.id)?.reject(new Error(news.problem));
          starting.delete(news.id);
          return;
      }
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      const gone = new Error('the confined thread ended');
      reject(gone);
      for (const waiter of starting.values()) waiter.reject(gone);
      starting.clear();
    });
  });
  worker.stdout.resume();
  worker.stderr.resume();
  try {
    await ready;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  worker.unref();

  return {
    start(spawnOptions: Omit<ThreadOptions, 'id'>): Promise<Reaped> {
      last++;
      const id = last;
      return new Promise((resolve, reject) => {
        starting.set(id, { resolve, reject });
        worker.postMessage({ ...spawnOptions, id } satisfies ThreadOptions);
      });
    },
    get working() {
      return starting.size + running;
    },
    async close() {
      await worker.terminate();
    },
  };
}
