import type { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { asBytes } from '../../../ground/byte-paths.ts';
import { readAtNow } from '../../files/io.ts';

/**
 * A file's first bytes, by a path that is bytes; undefined where there is no such file or, with `isWhole`, where it has
 * more. Its last name is followed nowhere, and nothing is waited for.
 */
export function readBounded(path: string, mostBytes: number, isWhole = true): Buffer | undefined {
  return withFile(path, (fd, size) =>
    isWhole && size > mostBytes ? undefined : readAtNow(fd, 0, Math.min(size, mostBytes)),
  );
}

/** Works with a regular file that is open; undefined where there is none. */
export function withFile<T>(path: string, work: (fd: number, size: number) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(asBytes(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Gone, a link, or nobody's to read.
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() ? work(fd, stat.size) : undefined;
  } finally {
    closeSync(fd);
  }
}
