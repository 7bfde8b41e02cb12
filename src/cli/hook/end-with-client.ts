import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { orElse } from '../../ground/or-else.ts';

/** Ends this process once its client is gone: some clients leave shells running when told twice to stop. */
export function endWithClient(): void {
  const client = clientAbove(process.ppid);
  if (!client) return;
  setInterval(() => {
    if (processOf(client.pid)?.startedAt !== client.startedAt) process.exit(ended);
  }, everyMs).unref();
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** Distinguishes it from a later process with the same number. */
  readonly startedAt: string;
}

/** The first ancestor that is not a shell; undefined if the system does not tell, or there is none. */
function clientAbove(pid: number): Process | undefined {
  let above = processOf(pid);
  for (let steps = 0; above && shells.has(above.name) && steps < mostSteps; steps++)
    above = processOf(above.parent);
  return above && above.pid > 1 && !shells.has(above.name) ? above : undefined;
}

function processOf(pid: number): Process | undefined {
  // The process is gone, or this is not Linux.
  return orElse(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    const fields = rest.split(' ');
    return { pid, name: basename(name), parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  }, undefined);
}

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'fish', 'ksh', 'busybox', 'env', 'timeout', 'nice']);
const mostSteps = 16;
const everyMs = 1000;
/** The status of a program that SIGTERM ended. */
const ended = 143;
