import { readFileSync } from 'node:fs';
import type { Child } from './child/child.ts';

/**
 * Watches for a command that starts processes without end: the kernel's own count does not hold for root, and
 * counts all of a user's. One small read tells whether the machine grew crowded; only then is the tree counted.
 */
export function watchCrowd(child: Child, maxProcesses: number, tooMany: () => void): { close(): void } {
  const before = countTasks();
  const timer = setInterval(() => {
    if (countTasks() - before > maxProcesses / 2 && child.members().length > maxProcesses) tooMany();
  }, watchMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const watchMs = 200;

/** Tasks of the whole machine: `0.10 0.12 0.09 2/345 6789`. */
function countTasks(): number {
  try {
    return Number(/\/(\d+)/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
