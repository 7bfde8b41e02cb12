import { Worker } from 'node:worker_threads';
import type { ThreadWalls } from './landlock-rules.ts';
import type { ThreadNews, ThreadOrder } from './landlock-thread.ts';

/** A thread behind walls that starts children for us. */
export interface ConfinedThread {
  start(order: Omit<ThreadOrder, 'id'>): Promise<StartedChild>;
  readonly working: number;
  close(): Promise<void>;
}

export interface StartedChild {
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Throws where a wall cannot be raised. The thread keeps nothing alive by itself. */
export async function openConfinedThread(
  walls: ThreadWalls,
  url: URL = threadUrl(),
): Promise<ConfinedThread> {
  const worker = new Worker(url, { workerData: walls, env: {}, execArgv: [], stdout: true, stderr: true });
  const starting = new Map<number, { resolve(child: StartedChild): void; reject(error: Error): void }>();
  const running = new Map<number, (end: Awaited<StartedChild['ended']>) => void>();
  let last = 0;

  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', (news: ThreadNews) => {
      switch (news.kind) {
        case 'ready':
          return resolve();
        case 'unable':
          return reject(new Error(news.problem));
        case 'started': {
          const ended = new Promise<Awaited<StartedChild['ended']>>((end) => running.set(news.id, end));
          starting.get(news.id)?.resolve({ pid: news.pid, ended });
          starting.delete(news.id);
          return;
        }
        case 'failed':
          starting.get(news.id)?.reject(new Error(news.problem));
          starting.delete(news.id);
          return;
        case 'ended':
          running.get(news.id)?.({ code: news.code, signal: news.signal });
          running.delete(news.id);
      }
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      const gone = new Error('the confined thread ended');
      reject(gone);
      for (const waiter of starting.values()) waiter.reject(gone);
      // Nobody will hear of these children again; a lost one must not look like a success.
      for (const end of running.values()) end({ code: null, signal: 'SIGKILL' });
      starting.clear();
      running.clear();
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
    start(order) {
      last++;
      const id = last;
      return new Promise((resolve, reject) => {
        starting.set(id, { resolve, reject });
        worker.postMessage({ ...order, id } satisfies ThreadOrder);
      });
    },
    get working() {
      return starting.size + running.size;
    },
    async close() {
      await worker.terminate();
    },
  };
}

function threadUrl(): URL {
  return new URL(`./landlock-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
