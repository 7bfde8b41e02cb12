import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Whatever a command left: folders without rights, and trees deeper than a path may be long. */
export async function removeLayer(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // What it could not change is what `rm` will name.
    await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => undefined);
    await run('rm', ['-rf', '--', folder]);
  }
}

const run = promisify(execFile);
