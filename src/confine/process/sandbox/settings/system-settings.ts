import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoCode } from '../../../../ground/errors/errno-code.ts';
import type { Kernel } from '../../seccomp/kernel.ts';
import { type OwnFolder, openMemoryFolder } from './memory-folder.ts';

/**
 * A folder to stand in for `/etc`, with copies of the settings that programs look up, and of those that the operator lists. Made once: a mount for each
 * of them would double the time of every command. It lies in memory where `kernel` is given and there is room, and never where `writable`
 * folders are, if that can be.
 */
export async function copySystemSettings(
  files: SettingFiles,
  means: { readonly kernel?: Kernel | undefined; readonly writable?: readonly string[] } = {},
): Promise<OwnFolder> {
  const { kernel, writable = [] } = means;
  const inMemory = kernel && (await openMemoryFolder(prefix, kernel, writable));
  try {
    if (inMemory) {
      await copyAll(files, inMemory.path);
      return inMemory;
    }
  } catch {
    // It is full.
    await inMemory?.close();
  }
  // By another name: it is not held, and other servers sweep those that nobody holds, should this folder be in memory as well.
  const path = mkdtempSync(join(tmpdir(), 'sekisho-settings-'));
  // What could not be copied is missing in there, as it would be on a full disk.
  await copyAll(files, path).catch(() => {});
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

/** Paths below `/etc`. */
export interface SettingFiles {
  readonly system: readonly string[];
  readonly listed: readonly string[];
}

const prefix = 'sekisho-etc-';

/** Throws where there is no room for them. */
async function copyAll({ system, listed }: SettingFiles, folder: string): Promise<void> {
  const budget = { entries: 5000 };
  const copyThese = async (files: readonly string[], isShown: (mode: number) => boolean) => {
    for (const file of files) {
      const target = join(folder, file.slice('/etc/'.length));
      mkdirSync(dirname(target), { recursive: true });
      await copy(file, target, budget, isShown);
    }
  };
  // A server that runs as root could read what is not for everybody.
  await copyThese(system, (mode) => (mode & 0o004) !== 0);
  await copyThese(listed, () => true);
}

/** Nothing can be mounted in the copy that is not in it. */
export function isSetting(path: string): boolean {
  return path.startsWith('/etc/');
}

/** Links stay links: most of them lead into `/usr`, which is there. What cannot be read is left out. */
async function copy(
  from: string,
  to: string,
  budget: { entries: number },
  isShown: (mode: number) => boolean,
): Promise<void> {
  budget.entries--;
  if (budget.entries < 0) return;
  // A thousand small steps: other calls get their turn between them.
  if (budget.entries % 16 === 0) await nextTurn();
  try {
    const stat = lstatSync(from);
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (stat.isFile() && isShown(stat.mode)) copyFileSync(from, to);
    else if (stat.isDirectory()) {
      mkdirSync(to, { recursive: true });
      for (const name of readdirSync(from)) await copy(join(from, name), join(to, name), budget, isShown);
    }
  } catch (error) {
    if (isFull(error)) throw error;
    // Not on this machine, or not for this user.
  }
}

function isFull(error: unknown): boolean {
  const code = errnoCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
