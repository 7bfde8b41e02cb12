import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Replaces a private file durably: a reader finds the old content or the new one, even after a crash. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    writeFileSync(fresh, content, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
