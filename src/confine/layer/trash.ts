import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** Takes an entry away by one rename, whatever is in it: that is removed while nobody waits. Throws where `trash` is on another file system. */
export function throwAway(entry: Buffer, trash: string): void {
  const to = join(trash, randomUUID());
  try {
    renameSync(entry, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    renameSync(entry, to);
  }
}
