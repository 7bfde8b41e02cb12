import { readFileSync, readlinkSync, statSync } from 'node:fs';
import * as z from 'zod';

export const owner = z.object({
  pid: z.number(),
  started: z.string(),
  boot: z.string(),
  namespace: z.string(),
});

type Owner = z.output<typeof owner>;

/** Identifies this process among all others, including later ones with the same pid. */
export function thisProcess(): Owner {
  return {
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/** Whether the process of this log may still be alive. If that cannot be seen: for an hour after its last note. */
export function mayLive(one: Owner, log: string): boolean {
  const self = thisProcess();
  if (one.boot !== self.boot) return false;
  if (one.namespace === self.namespace) return startOf(one.pid) === one.started;
  // Processes of other containers are invisible; no write lasts an hour.
  return Date.now() - statSync(log).mtimeMs < 60 * 60 * 1000;
}

/** The start time of a process, in clock ticks since boot: with the pid, it identifies it. */
function startOf(pid: number): string | undefined {
  try {
    // The name in parentheses may contain anything; fields are counted after it.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}
