import { type Stats, statSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';
import { namesAt } from './entries.ts';

/** The changes must not land; running the command directly on the folders can have the same result. */
export class LayerUnfit extends Error {
  /** True if the command can succeed on a second layer, which shows the other program's changes. */
  readonly isPassing: boolean = false;
}

/** Another git was running; its result is there now. */
export class MetAnotherGit extends LayerUnfit {
  override readonly isPassing = true;
}

/** `path`: of a file in git's own folder, relative to its root. */
export function metAnotherGit(path: string): MetAnotherGit {
  return new MetAnotherGit(`another git changed ${path} while it ran`);
}

/** Recognizes a database by its name. Programs that share one coordinate by locks, which a layer keeps apart. */
export function isDatabase(name: string): boolean {
  return /\.(db|db3|sqlite|sqlite3|mdb|ldb)$|-(wal|shm|journal)$/.test(name);
}

/** Finds which of these files a process has open, as far as /proc shows us. */
export function findOpen(
  files: readonly { readonly path: string; readonly stat: Stats }[],
): string | undefined {
  if (files.length === 0) return undefined;
  const wanted = new Map(files.map(({ path, stat }) => [`${stat.dev}:${stat.ino}`, path]));
  for (const pid of namesAt('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of namesAt(`/proc/${pid}/fd`)) {
      const found = statOf(`/proc/${pid}/fd/${fd}`);
      const path = found && wanted.get(`${found.dev}:${found.ino}`);
      if (path !== undefined) return path;
    }
  }
  return undefined;
}

function statOf(path: string): Stats | undefined {
  // Closed in the meantime.
  return orElse(() => statSync(path), undefined);
}
