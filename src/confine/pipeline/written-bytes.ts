import { readFileSync } from 'node:fs';

/**
 * What a process that has just ended wrote to its output, as the kernel counted it, without its errors. Must be read
 * after its descriptors are closed and before it is collected. Absent where the kernel keeps no such count.
 */
export function writtenBytes(pid: number, stderrBytes: number): number | undefined {
  try {
    const counted = /^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1];
    return counted === undefined ? undefined : Math.max(0, Number(counted) - stderrBytes - starting);
  } catch {
    return undefined;
  }
}

/** Starting a process through libuv writes one byte. */
const starting = 1;
