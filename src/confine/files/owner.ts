import { readFileSync, readlinkSync, statSync } from 'node:fs';
import * as z from 'zod';

export const owner = z.object({
  pid: z.number(),
  started: z.string(),
  boot: z.string(),
  namespace: z.string(),
});

type Owner = z.output<typeof owner>;

/** How this process is told from every other, also from one that gets its number later. */
export function thisProcess(): Owner {
  return {
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/** May the process that keeps this log still live? Where that cannot be seen, for an hour after its last note. */
export function mayLive(one: Owner, log: string): boolean {
  const self = thisProcess();
  if (one.boot !== self.boot) return false;
  if (one.namespace === self.namespace) return startOf(one.pid) === one.started;
  // Another container's processes cannot be seen from here; no write lasts an hour.
  return Date.now() - statSync(log).mtimeMs < 60 * 60 * 1000;
}

/** When a process started, in clock ticks since boot: with its number, it names it. */
function startOf(pid: number): string | undefined {
  try {
    // The name in parentheses may hold anything; fields are counted after it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}
