import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The state of a path before a command first changed it. Paths are bytes, one per character, as on the host. */
export interface Former {
  readonly path: string;
  readonly kind: FormerKind;
  readonly mode: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** The inode's number. */
  readonly number: number;
  readonly user: number;
  readonly group: number;
  /** Of a file or a folder: its extended attributes; bytes, one per character. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** Of a file or a link: the host path of the copy with its content. */
  readonly kept?: string | undefined;
}

export type FormerKind = 'absent' | 'file' | 'folder' | 'symlink' | 'other';

export const journalName = 'before';
export const keptFolder = 'kept';

/** In the order of the first changes. A last line that is cut off belongs to a change that was not made. */
export function readJournal(folder: string): readonly Former[] {
  const path = join(folder, journalName);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const former: Former = JSON.parse(line);
    return former.kept === undefined ? former : { ...former, kept: join(folder, keptFolder, former.kept) };
  });
}

/** The state of each path before the first change of it. */
export function firstOf(formers: Iterable<Former>): ReadonlyMap<string, Former> {
  const first = new Map<string, Former>();
  for (const former of formers) if (!first.has(former.path)) first.set(former.path, former);
  return first;
}

export function readFormers(folder: string): ReadonlyMap<string, Former> {
  return firstOf(readJournal(folder));
}
