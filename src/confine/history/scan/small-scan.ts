import { closeSync, constants, opendirSync, openSync } from 'node:fs';
import { isAfter, isShown, type Seen, seenAt } from '../seen.ts';

/**
 * Looks at a small folder and all below it without a process and in one go; `undefined` where there is more in it than
 * that is good for, or no /proc. Each folder is reached through the descriptor of the one above, so that a link that is
 * put in its place meanwhile leads nowhere.
 */
export function scanSmall(
  folder: string,
  {
    ignore,
    changedAfterMs = 0,
  }: { readonly ignore: readonly string[]; readonly changedAfterMs?: number | undefined },
): Seen[] | undefined {
  const left = new Set(ignore);
  const found: Seen[] = [];
  let entries = 0;

  /** Says whether the bound still holds. */
  function lookInto(openPath: string, path: string): boolean {
    const descriptor = tryOpen(openPath);
    // Gone, a link by now, or not ours to read.
    if (descriptor === undefined) return true;
    try {
      const here = `/proc/self/fd/${descriptor}`;
      const names = namesIn(here, smallEntries - entries);
      if (!names) return false;
      entries += names.length;
      for (const name of names) {
        const inside = path === '' ? name : `${path}/${name}`;
        const seen = seenAt(`${here}/${name}`, inside);
        if (!seen || !isShown(inside)) continue;
        const isFolder = seen.kind === 'folder';
        if (isFolder && left.has(name)) continue;
        if (isAfter(seen, changedAfterMs)) found.push(seen);
        if (isFolder && !lookInto(`${here}/${name}`, inside)) return false;
      }
      return true;
    } finally {
      closeSync(descriptor);
    }
  }

  if (process.platform !== 'linux') return undefined;
  const self = seenAt(folder, '');
  if (self && isAfter(self, changedAfterMs)) found.push(self);
  try {
    return lookInto(folder, '') ? found : undefined;
  } catch {
    // Something came or went under our hands, or there is no /proc: looked at in the other way.
    return undefined;
  }
}

/** The names in a folder; `undefined` where there are more, however many: they are not all read to be counted. */
function namesIn(folder: string, most: number): string[] | undefined {
  const opened = opendirSync(folder);
  try {
    const names: string[] = [];
    for (let entry = opened.readSync(); entry; entry = opened.readSync()) {
      if (names.length === most) return undefined;
      names.push(entry.name);
    }
    return names;
  } finally {
    opened.closeSync();
  }
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (unreadable.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const unreadable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM']);

/** What is looked at in about two milliseconds; starting `find` takes as long. */
export const smallEntries = 250;
