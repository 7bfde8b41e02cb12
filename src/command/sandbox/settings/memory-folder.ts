import { closeSync, lstatSync, mkdtempSync, openSync, readdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../../../ground/inside.ts';
import type { Kernel } from '../../seccomp/kernel.ts';

/** A folder for this server only. */
export interface OwnFolder {
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Creates a folder in memory, where creating a file takes a tenth of the time of a disk, and removes the folders of
 * killed servers first. Undefined if there is no such file system, or commands may write to it.
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
    // Locked while the server lives, and released at any kind of end: a server that can lock it may remove it.
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
    // Memory is short: the caller uses a folder on the disk.
    return undefined;
  }
}

async function sweep(prefix: string, kernel: Kernel): Promise<void> {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(memory, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Others may have created a folder of this name, and a new one may not be locked yet.
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

/** Locks an open file unless another process has the lock. */
function lockNow({ syscall }: Kernel, fd: number): boolean {
  return syscall('flock', fd, exclusive | noWait) === 0;
}

const memory = '/dev/shm';
const tmpfs = 0x01021994;
const exclusive = 2;
const noWait = 4;
const minAgeMs = 60_000;
