import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** More than git ever writes to a file of settings. */
export const maxPartBytes = 1024 * 1024;

/** A file as bytes, one per character. Undefined if it is no file, a link or larger. */
export function readSmall(path: string | Buffer): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Missing, or a link.
    return undefined;
  }
  try {
    return readHeld(fd);
  } catch {
    // Treated as missing.
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** The same for an open file. */
export function readHeld(fd: number): string | undefined {
  if (!fstatSync(fd).isFile()) return undefined;
  const bytes = Buffer.alloc(maxPartBytes + 1);
  const length = readSync(fd, bytes, 0, bytes.length, 0);
  return length > maxPartBytes ? undefined : bytes.toString('latin1', 0, length);
}
