import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** Takes an entry away by one rename, whatever is in it: that is removed while nobody waits. Throws where `trash` is on another file system. */
export function throwAway(entry: Buffer, trash: string): void {
  intoTrash(trash, (to) => renameSync(entry, to));
}

/**
 * Gives a file that is about to be replaced a name here as well. The rename over it is ten times as fast where the file
 * system need not free what it held; that is done while nobody waits. Where it cannot have one, it takes longer.
 */
export function keepFromFreeing(entry: Buffer, trash: string): void {
  try {
    intoTrash(trash, (to) => linkSync(entry, to));
  } catch {
    // It is another's, or on another file system.
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
