import { readdirSync, type Stats, statSync } from 'node:fs';

/** What a command did is not to land: run on the folders themselves it can come to the same. */
export class LayerUnfit extends Error {
  /** So it can on another layer, which shows what stood in the way. */
  readonly isPassing: boolean = false;
}

/** Another git was at work: what it left is there now. */
export class MetAnotherGit extends LayerUnfit {
  override readonly isPassing = true;
}

/** Of two gits that ran at once, the second must build on what the first left: it waits by locks, which a layer keeps apart. */
export function isKeptByGit(path: string): boolean {
  return path.startsWith('.git/') || path.includes('/.git/');
}

/** Is it a database, by its name? Programs that share one agree by locks, which a layer keeps apart. */
export function isDatabase(name: string): boolean {
  return /\.(db|db3|sqlite|sqlite3|mdb|ldb)$|-(wal|shm|journal)$/.test(name);
}

/** Which of these files some process has open, as far as we may see that. */
export function findOpen(
  files: readonly { readonly path: string; readonly stat: Stats }[],
): string | undefined {
  if (files.length === 0) return undefined;
  const wanted = new Map(files.map(({ path, stat }) => [`${stat.dev}:${stat.ino}`, path]));
  for (const pid of entriesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    for (const fd of entriesIn(`/proc/${pid}/fd`)) {
      const found = statOf(`/proc/${pid}/fd/${fd}`);
      const path = found && wanted.get(`${found.dev}:${found.ino}`);
      if (path !== undefined) return path;
    }
  }
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Closed meanwhile.
    return undefined;
  }
}

function entriesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Gone, or another user's.
    return [];
  }
}
