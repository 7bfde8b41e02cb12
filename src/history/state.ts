import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats } from 'node:fs';
import type { FileState } from '../contract/capabilities/history.ts';
import { readAtNow } from '../files/io.ts';
import { withRights } from '../files/lent.ts';
import { defer } from '../ground/waiting/defer.ts';

/** The current state of an entry in an open folder, or of a resolved path. A link is not followed. */
export function stateAt(path: string, like?: FileState): FileState {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return { kind: 'absent' };
  if (stat.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(path) };
  if (stat.isDirectory()) return { kind: 'folder', mode: stat.mode & 0o7777 };
  if (!stat.isFile()) return { kind: 'other' };
  return fileState(path, stat, like);
}

function fileState(path: string, { size, mode }: Stats, like: FileState | undefined): FileState {
  const state = { kind: 'file', bytes: size, mode: mode & 0o7777 } as const;
  // A different size is enough, and avoids reading a large file.
  if (like?.kind === 'file' && like.bytes !== size) return state;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = withRights(path, () => openSync(path, flags));
  using _ = defer(() => closeSync(fd));
  if (!fstatSync(fd).isFile()) return { kind: 'other' };
  if (like?.kind !== 'file') return { ...state, digest: digestOfFile(fd) };
  if (like.tail) {
    const bytes = readAtNow(fd, size - like.tail.bytes, like.tail.bytes);
    return { ...state, tail: { bytes: bytes.length, digest: hash('sha256', bytes) } };
  }
  if (like.isStart) return { ...state, isStart: true };
  return like.digest === undefined ? state : { ...state, digest: digestOfFile(fd) };
}

/** Is the content the same? Modes are compared if both are known. */
export function isSame(a: FileState, b: FileState, withMode: boolean): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'symlink') return a.target === (b as typeof a).target;
  if (a.kind === 'other') return false;
  if (a.kind === 'absent') return true;
  const other = b as typeof a;
  const sameMode = !withMode || a.mode === undefined || other.mode === undefined || a.mode === other.mode;
  if (a.kind === 'folder' || other.kind !== 'file') return sameMode;
  return (
    sameMode &&
    a.bytes === other.bytes &&
    a.digest === other.digest &&
    a.isStart === other.isStart &&
    a.tail?.digest === other.tail?.digest
  );
}

function digestOfFile(fd: number): string {
  const sum = createHash('sha256');
  for (let at = 0; ; ) {
    const bytes = readAtNow(fd, at, pieceBytes);
    if (bytes.length === 0) return sum.digest('hex');
    sum.update(bytes);
    at += bytes.length;
  }
}

const pieceBytes = 1024 * 1024;
