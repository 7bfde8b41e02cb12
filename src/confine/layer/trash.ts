import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** Takes an entry away by one rename, whatever is in it: that is removed while nobody waits. Throws where `trash` is on another file system. */
export function throwAway(entry: Buffer, trash: string): void {
  mkdirSync(trash, { recursive: true, mode: 0o700 });
  renameSync(entry, join(trash, randomBytes(8).toString('hex')));
}
