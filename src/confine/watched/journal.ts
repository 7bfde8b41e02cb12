import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a path was before a command changed it first. Paths are bytes, one a character, as the host has them. */
export interface Former {
  readonly path: string;
  readonly kind: FormerKind;
  readonly mode: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** The inode's. */
  readonly number: number;
  /** Of a file or a link: the host path of another, which holds what it held. */
  readonly kept?: string | undefined;
}

export type FormerKind = 'absent' | 'file' | 'folder' | 'symlink' | 'other';

export const journalName = 'before';
export const keptFolder = 'kept';

/** In the order of their first changes. A last line that was cut off is that of a change that was not made. */
export function readJournal(folder: string): readonly Former[] {
  const path = join(folder, journalName);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [name, kind, mode, bytes, mtimeMs, number, more] = JSON.parse(line) as [
      string,
      FormerKind,
      number,
      number,
      number,
      number,
      string | null,
    ];
    return {
      path: name,
      kind,
      mode,
      bytes,
      mtimeMs,
      number,
      ...(more != null && { kept: join(folder, keptFolder, more) }),
    };
  });
}
