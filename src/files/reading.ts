import { type BigIntStats, type Dirent, lstatSync, type Stats, type StatsBase, statSync } from 'node:fs';
import type { FileKind, FileStat } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { fault, leftUnchanged } from './fault.ts';
import { readAt } from './io.ts';

/** A regular file, open for reading. */
export interface OpenFile {
  readonly fd: number;
  readonly stat: Stats;
}

/** Stats an entry without following it, or (`follow`) the open file of a descriptor path. */
export function readStat(path: string, follow: boolean): FileStat {
  return toFileStat((follow ? statSync : lstatSync)(path, { bigint: true }));
}

export function toFileStat(stat: BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    bytes: Number(stat.size),
    mode: Number(stat.mode),
    modifiedMs: Number(stat.mtimeMs),
    modifiedNs: stat.mtimeNs,
    changedNs: stat.ctimeNs,
    device: stat.dev,
    inode: stat.ino,
    links: Number(stat.nlink),
  };
}

/** The whole file. Throws `too_large` if it has more than `maxBytes`, even if it grew after `stat`. */
export async function readFileBytes(
  file: OpenFile,
  maxBytes: number,
  shown: string,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (file.stat.size > maxBytes) throw tooLarge(shown, file.stat.size, maxBytes);
  try {
    // One byte more than expected shows whether it has grown.
    const bytes = await readAt(file.fd, 0, file.stat.size + 1, signal);
    if (bytes.length <= file.stat.size) return bytes;
    const all = await readAt(file.fd, 0, maxBytes + 1, signal);
    if (all.length > maxBytes) throw tooLarge(shown, all.length, maxBytes);
    return all;
  } catch (cause) {
    throw signal?.aborted ? leftUnchanged(shown) : fault(cause, shown);
  }
}

export function tooLarge(shown: string, bytes: number, maxBytes: number): ToolError {
  return new ToolError(
    'too_large',
    `${shown} has ${bytes} bytes; the limit here is ${maxBytes}.`,
    `${shown} は ${bytes} バイトあり、上限の ${maxBytes} バイトを超えています。`,
    { details: { bytes, max_bytes: maxBytes } },
  );
}

type Looked = Pick<Dirent | StatsBase<number | bigint>, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/** The kind of an entry, from its stat or its folder's listing. Devices, pipes and sockets are `other`. */
export function kindOf(entry: Looked): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
