import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { Exit } from '../../contract/capabilities/process.ts';
import type { Kernel } from '../seccomp/kernel.ts';

export type Collector = ReturnType<typeof createCollector>;

/** Reaps children that Node did not start. */
export function createCollector({ syscall }: Kernel) {
  // Node delivers SIGCHLD only to the main thread.
  if (!isMainThread) throw new Error('children are collected on the main thread');
  const waiting = new Map<number, (end: Exit) => void>();
  // Keeps the process alive while a child is awaited; the signal's listener does not.
  let awake: NodeJS.Timeout | undefined;

  function look(): void {
    for (const [pid, resolve] of waiting) {
      const status = Buffer.alloc(4);
      const found = syscall('wait4', pid, status, noHang, 0);
      if (found === 0) continue;
      waiting.delete(pid);
      resolve(found === pid ? read(status.readUInt32LE(0)) : { code: undefined, signal: 'SIGKILL' });
    }
    if (waiting.size > 0) return;
    process.off('SIGCHLD', look);
    clearInterval(awake);
  }

  return {
    /** Resolves when the child has ended, possibly already. */
    wait(pid: number): Promise<Exit> {
      return new Promise((resolve) => {
        if (waiting.size === 0) {
          process.on('SIGCHLD', look);
          awake = setInterval(look, 1000);
        }
        waiting.set(pid, resolve);
        look();
      });
    },
  };
}

const noHang = 1;

function read(status: number): Exit {
  const number = status & 0x7f;
  if (number === 0) return { code: (status >> 8) & 0xff, signal: undefined };
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? ['SIGKILL'];
  return { code: undefined, signal: name as NodeJS.Signals };
}
