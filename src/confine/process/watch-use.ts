import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import type { Child } from './child/child.ts';
import { memoryUsed } from './child/memory-used.ts';
import type { ProcessLimits } from './prelude.ts';

/** What a command takes of the machine, all its processes together. */
export type Use = 'processes' | 'memory';

/**
 * Watches for a command that starts processes or takes memory without end. The kernel's own count of processes does not
 * hold for root, and its limits of memory count what is reserved and never used. One small read each tells whether the
 * machine grew crowded or full; only then, and now and then, is the tree looked at.
 */
export function watchUse(
  child: Child,
  most: Pick<ProcessLimits, 'processes' | 'memoryBytes'>,
  tooMuch: (use: Use) => void,
  everyMs = watchMs,
): { close(): void } {
  const tasksBefore = countTasks();
  let last = { usedBytes: 0, freeBytes: freemem(), atMs: performance.now() };
  let looking = false;
  const timer = setInterval(() => {
    if (countTasks() - tasksBefore > most.processes / 2 && child.members().length > most.processes)
      tooMuch('processes');
    void lookAtMemory();
  }, everyMs);
  timer.unref();

  async function lookAtMemory(): Promise<void> {
    const freeBytes = freemem();
    const atMs = performance.now();
    const mayHaveGrown = last.freeBytes - freeBytes > (most.memoryBytes - last.usedBytes) / 4;
    // What others gave back meanwhile hides what it took.
    if (looking || (!mayHaveGrown && atMs - last.atMs < sureMs)) return;
    looking = true;
    const usedBytes = await memoryUsed(child.members(), most.memoryBytes);
    looking = false;
    last = { usedBytes, freeBytes, atMs };
    if (usedBytes > most.memoryBytes) tooMuch('memory');
  }

  return { close: () => clearInterval(timer) };
}

const watchMs = 100;
const sureMs = 2000;

/** Tasks of the whole machine: `0.10 0.12 0.09 2/345 6789`. */
function countTasks(): number {
  try {
    return Number(/\/(\d+)/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
