import { spawn } from 'node:child_process';
import { parentPort, workerData } from 'node:worker_threads';
import { openKernel } from './kernel.ts';
import { confineThread, type ThreadWalls } from './landlock-rules.ts';

/** Starts children for the main thread. What this thread may not do, they may not: they inherit its walls. */

/** One child to start. Its descriptors are the process's, opened by the main thread. */
export interface ThreadOrder {
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  readonly descriptors: readonly number[];
}

export type ThreadNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unable'; readonly problem: string }
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly id: number; readonly problem: string }
  | {
      readonly kind: 'ended';
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };

const port = parentPort;
if (port) {
  const tell = (news: ThreadNews) => port.postMessage(news);
  try {
    // What the main thread sent when it made this one.
    confineThread(await openKernel(), workerData as ThreadWalls);
    port.on('message', (order: ThreadOrder) => {
      const { id } = order;
      try {
        const child = spawn(order.program, order.args, {
          cwd: order.workingFolder,
          env: order.environment,
          stdio: [...order.descriptors],
          detached: true,
        });
        child.once('error', (error) => {
          if (child.pid === undefined) tell({ kind: 'failed', id, problem: error.message });
        });
        if (child.pid === undefined) return;
        child.once('exit', (code, signal) => tell({ kind: 'ended', id, code, signal }));
        tell({ kind: 'started', id, pid: child.pid });
      } catch (error) {
        tell({ kind: 'failed', id, problem: String(error) });
      }
    });
    tell({ kind: 'ready' });
  } catch (error) {
    tell({ kind: 'unable', problem: error instanceof Error ? error.message : String(error) });
  }
}
