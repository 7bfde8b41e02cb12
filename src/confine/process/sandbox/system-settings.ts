import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A folder to stand in for `/etc`, with copies of the settings that programs look up, and of those that the operator lists. Made once: a mount for each
 * of them would double the time of every command. The caller removes it.
 */
export async function copySystemSettings(
  system: readonly string[],
  listed: readonly string[],
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-etc-'));
  const budget = { entries: 5000 };
  const copyAll = async (files: readonly string[], isShown: (mode: number) => boolean) => {
    for (const file of files) {
      const target = join(folder, file.slice('/etc/'.length));
      mkdirSync(dirname(target), { recursive: true });
      await copy(file, target, budget, isShown);
    }
  };
  // A server that runs as root could read what is not for everybody.
  await copyAll(system, (mode) => (mode & 0o004) !== 0);
  await copyAll(listed, () => true);
  return folder;
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
  } catch {
    // Not on this machine, or not for this user.
  }
}
