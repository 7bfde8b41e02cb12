import { readdirSync, readFileSync } from 'node:fs';

/** Processes that a process started and that still run. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => numberIn(child, 'PPid') === pid);
}

/** What a process holds in memory. */
export function residentBytes(pid: number): number {
  return numberIn(pid, 'VmRSS') * 1024;
}

function numberIn(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
