import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** Removes an entry by one rename; its content goes in the background. Throws if `trash` is on another file system. */
export function throwAway(entry: Buffer, trash: string): void {
  intoTrash(trash, (to) => renameSync(entry, to));
}

/**
 * Links a file that is about to be replaced into the trash. The rename over it is ten times as fast if the file system
 * need not free the content, which is then freed in the background. If the link fails, the rename is only slower.
 */
export function keepFromFreeing(entry: Buffer, trash: string): void {
  try {
    intoTrash(trash, (to) => linkSync(entry, to));
  } catch {
    // The file belongs to another user, or is on another file system.
  }
}

function intoTrash(trash: string, give: (to: string) => void): void {
  const to = join(trash, randomUUID());
  try {
    give(to);
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    give(to);
  }
}
