import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readAtNow } from '../../../files/io.ts';
import { asBytes } from '../../../ground/machine/byte-paths.ts';
import { orElse } from '../../../ground/or-else.ts';
import { defer } from '../../../ground/waiting/defer.ts';

/**
 * The first bytes of a file; undefined if there is no such file or, with `isWhole`, if it is longer. The path is bytes;
 * a final link is not followed, and a pipe is not waited for.
 */
export function readBounded(path: string, mostBytes: number, isWhole = true): Buffer | undefined {
  return withFile(path, (fd, size) =>
    isWhole && size > mostBytes ? undefined : readAtNow(fd, 0, Math.min(size, mostBytes)),
  );
}

/** Calls `work` with an open regular file; undefined if there is none. */
export function withFile<T>(path: string, work: (fd: number, size: number) => T): T | undefined {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = orElse(() => openSync(asBytes(path), flags), undefined);
  // The file is gone, a link, or not readable.
  if (fd === undefined) return undefined;
  using _ = defer(() => closeSync(fd));
  const stat = fstatSync(fd);
  return stat.isFile() ? work(fd, stat.size) : undefined;
}
