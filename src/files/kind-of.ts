import type { Dirent, StatsBase } from 'node:fs';
import type { FileKind } from '../contract/capabilities/files.ts';

type Looked = Pick<Dirent | StatsBase<number | bigint>, 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/** The kind of an entry, from its stat or its folder's listing. Devices, pipes and sockets are `other`. */
export function kindOf(entry: Looked): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
