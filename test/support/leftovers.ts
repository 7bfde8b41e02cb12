import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** How long workers have, after the last test, to end by themselves. */
const graceMs = 20_000;

/**
 * Ends what tests left running. The run waits for the end of each worker's output without a limit, and a process that
 * a test started with that output and forgot keeps it open for ever. Each is named, so that its test can be mended.
 */
export default class Leftovers implements Reporter {
  constructor() {
    // Workers inherit it, and so does what they start.
    process.env.VITEST_RUN = `${process.pid}`;
  }

  onTestRunEnd(): void {
    setTimeout(() => {
      for (const pid of findLeftovers()) {
        console.error(`A test left process ${pid} running: ${read(pid, 'cmdline').join(' ')}`);
        process.kill(pid, 'SIGKILL');
      }
      // Vitest has set the exit code by now.
      setTimeout(() => process.exit(), graceMs).unref();
    }, graceMs).unref();
  }
}

/** Other processes whose output is a socket, as a worker's is: by a worker's variables, or as orphans of its group. */
function findLeftovers(): readonly number[] {
  const { group } = originOf(process.pid);
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && [1, 2].some((fd) => isSocket(pid, fd)))
    .filter((pid) => {
      const origin = originOf(pid);
      return (
        (origin.parent === '1' && origin.group === group) ||
        read(pid, 'environ').includes(`VITEST_RUN=${process.pid}`)
      );
    });
}

function isSocket(pid: number, fd: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
  } catch {
    // It has ended, has none, or is somebody else's.
    return false;
  }
}

function originOf(pid: number): {
  readonly parent?: string | undefined;
  readonly group?: string | undefined;
} {
  // The name before it may hold anything.
  const [, parent, group] = read(pid, 'stat').join('').split(') ').at(-1)?.split(' ') ?? [];
  return { parent, group };
}

/** A file of /proc, parted at its NULs; nothing of a process that has ended or is somebody else's. */
function read(pid: number, file: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
