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
import { errnoCode } from '../../../ground/errors/errno-code.ts';
import type { Kernel } from '../../seccomp/kernel.ts';
import { type OwnFolder, openMemoryFolder } from './memory-folder.ts';

/**
 * Makes a replacement of `/etc` with copies of the settings that programs read, and of those that the operator lists.
 * Made once: mounting each of them would double the time of every command. It is in memory if `kernel` is given and
 * there is space, and outside the `writable` folders if possible.
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
    // The memory is full.
    await inMemory?.close();
  }
  // With another prefix: it has no lock, and other servers remove unlocked folders of the usual name if this one is in
  // memory too.
  const path = mkdtempSync(join(tmpdir(), 'sekisho-settings-'));
  // A setting that could not be copied, as on a full disk, is left out.
  await copyAll(files, path).catch(() => {});
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

/** Paths below `/etc`. */
export interface SettingFiles {
  readonly system: readonly string[];
  readonly listed: readonly string[];
}

const prefix = 'sekisho-etc-';

/** Throws if there is no space. */
async function copyAll({ system, listed }: SettingFiles, folder: string): Promise<void> {
  const budget = { entries: 5000 };
  const copyThese = async (files: readonly string[], isShown: (mode: number) => boolean) => {
    for (const file of files) {
      const target = join(folder, file.slice('/etc/'.length));
      mkdirSync(dirname(target), { recursive: true });
      await copy(file, target, budget, isShown);
    }
  };
  // A server that runs as root could otherwise copy files that are not world-readable.
  await copyThese(system, (mode) => (mode & 0o004) !== 0);
  await copyThese(listed, () => true);
}

/** A mount in the copy needs an existing target. */
export function isSetting(path: string): boolean {
  return path.startsWith('/etc/');
}

/** Links stay links: most of them lead to `/usr`, which exists. Unreadable files are left out. */
async function copy(
  from: string,
  to: string,
  budget: { entries: number },
  isShown: (mode: number) => boolean,
): Promise<void> {
  budget.entries--;
  if (budget.entries < 0) return;
  // Lets other calls run during the thousand small steps.
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
    // Missing on this machine, or not readable for this user.
  }
}

function isFull(error: unknown): boolean {
  const code = errnoCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
