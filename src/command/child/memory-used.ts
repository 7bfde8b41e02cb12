import { readFile } from 'node:fs/promises';

/**
 * The memory of these processes together, in bytes: in RAM or swapped out, without copies of files. Reserved addresses
 * that were never written do not count. Exact only above `moreThan`.
 */
export async function memoryUsed(pids: readonly number[], moreThan: number): Promise<number> {
  const held = await sumOf(pids, heldBy);
  // Children share unwritten pages with their parents: count each page once.
  return held <= moreThan ? held : sumOf(pids, async (pid) => (await shareOf(pid)) ?? heldBy(pid));
}

async function sumOf(pids: readonly number[], bytesOf: (pid: number) => Promise<number>): Promise<number> {
  const each = await Promise.all(pids.map(bytesOf));
  return each.reduce((sum, bytes) => sum + bytes, 0);
}

async function heldBy(pid: number): Promise<number> {
  return (await bytesIn(`/proc/${pid}/status`, /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB/gm)) ?? 0;
}

/** Slow for large programs; undefined if the program may not be inspected. */
function shareOf(pid: number): Promise<number | undefined> {
  return bytesIn(`/proc/${pid}/smaps_rollup`, /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB/gm);
}

async function bytesIn(file: string, fields: RegExp): Promise<number | undefined> {
  // It may have ended, or not be ours to inspect.
  const status = await readFile(file, 'latin1').catch(() => '');
  const found = [...status.matchAll(fields)];
  return found.length === 0 ? undefined : found.reduce((sum, [, kib]) => sum + Number(kib) * 1024, 0);
}
