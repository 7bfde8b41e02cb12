import { closeSync, lstatSync, mkdtempSync, openSync, readdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../../../ground/inside.ts';
import type { Kernel } from '../../seccomp/kernel.ts';

/** A folder of this server alone. */
export interface OwnFolder {
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Makes one in memory, where a file is made in a tenth of the time that a disk needs; what servers left there that were killed is
 * removed first. Undefined where there is no such place, or where commands may write in it.
 */
export async function openMemoryFolder(
  prefix: string,
  kernel: Kernel,
  writable: readonly string[],
): Promise<OwnFolder | undefined> {
  try {
    if (statfsSync(memory).type !== tmpfs) return undefined;
    if (writable.some((folder) => isInside(memory, folder) || isInside(folder, memory))) return undefined;
    await sweep(prefix, kernel);
    const path = mkdtempSync(join(memory, prefix));
    // Held while the server lives, however it ends: who can lock it may remove it.
    const lock = openSync(path, 'r');
    lockNow(kernel, lock);
    return {
      path,
      async close() {
        await rm(path, { recursive: true, force: true });
        closeSync(lock);
      },
    };
  } catch {
    // No memory for it here: the caller takes a folder on the disk.
    return undefined;
  }
}

async function sweep(prefix: string, kernel: Kernel): Promise<void> {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(memory, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Others may have put a folder of this name there, and one that was just made is not locked yet.
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.() || Date.now() - stat.mtimeMs < minAgeMs)
      continue;
    try {
      const fd = openSync(path, 'r');
      const isFree = lockNow(kernel, fd);
      if (isFree) await rm(path, { recursive: true, force: true });
      closeSync(fd);
    } catch {
      // Another server removed it.
    }
  }
}

/** Takes the lock of an open file, unless another holds it. */
function lockNow({ syscall }: Kernel, fd: number): boolean {
  return syscall(process.arch === 'x64' ? 73 : 32, fd, exclusive | noWait) === 0;
}

const memory = '/dev/shm';
const tmpfs = 0x01021994;
const exclusive = 2;
const noWait = 4;
const minAgeMs = 60_000;
