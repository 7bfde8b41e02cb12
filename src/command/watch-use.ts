import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { orElse } from '../ground/or-else.ts';
import type { Child } from './child/child.ts';
import { memoryUsed } from './child/memory-used.ts';
import type { ProcessLimits } from './prelude.ts';

/** A resource that all processes of a command use together. */
export type Use = 'processes' | 'memory';

/**
 * Watches for a command that starts processes or takes memory without limit. The kernel's limit on processes does not
 * apply to root, and its memory limits count reserved, unused addresses. One small read each tells whether the whole
 * machine grew; the process tree is read only then, and at intervals.
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
    // Memory that others freed may hide the command's growth.
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
  return orElse(() => Number(/\/(\d+)/.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0), 0);
}
