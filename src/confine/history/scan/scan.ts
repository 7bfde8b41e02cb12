import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import { finder, format, runFind } from '../find.ts';
import type { Parts } from '../parts.ts';
import { isAfter, isShown, parentOf, type Seen, seenAt } from '../seen.ts';
import type { Bounds } from './bounds.ts';
import { scanSmall, smallEntries } from './small-scan.ts';

export interface ScanOptions {
  /** Names of folders that are left out. */
  readonly ignore: readonly string[];
  /** Only what changed after this moment. Nothing but the system sets that time, so none can hide. */
  readonly changedAfterMs?: number | undefined;
  /** How to share the work. */
  readonly parts?: Parts | undefined;
  /** How many entries were there the last time, if that is known. */
  readonly expectedEntries?: number | undefined;
  /** How much is looked at. Default: all. */
  readonly bounds?: Omit<Bounds, 'below'> | undefined;
}

/** Looks at a folder and all below it, the folder itself as the path ''. Follows no link. */
export async function scan(folder: string, options: ScanOptions): Promise<readonly Seen[]> {
  const { bounds } = options;
  for (;;) {
    if (bounds?.leavesOut('')) return [];
    const leftOut = bounds?.leftOut.size;
    const found = await scanAll(folder, options);
    if (bounds?.leftOut.size === leftOut) return found;
    // A folder turned out to hold too many: once more, without it.
    bounds?.begin();
  }
}

async function scanAll(folder: string, options: ScanOptions): Promise<readonly Seen[]> {
  // To start a process holds up our event loop for longer than a small folder does.
  const small = (options.expectedEntries ?? 0) <= smallEntries ? scanSmall(folder, options) : undefined;
  if (small) return small;
  if (finder === undefined) return scanByWalk(folder, options);
  try {
    return await scanByFind(finder, folder, options);
  } catch {
    // Not GNU's find, or no process to be had.
    options.bounds?.begin();
    return scanByWalk(folder, options);
  }
}

/** GNU find: quicker than a walk of our own, and not on our event loop. */
async function scanByFind(program: string, folder: string, options: ScanOptions): Promise<Seen[]> {
  const { ignore, changedAfterMs, bounds, parts = { opened: new Set(), bins: [['']] } } = options;
  const names = [
    ...ignore.map((name) => ['-name', escapeGlob(name)]),
    ...[...(bounds?.leftOut ?? [])].map((path) => ['-path', escapeGlob(join(folder, path))]),
  ].flatMap((test, at) => (at === 0 ? test : ['-o', ...test]));
  const since = changedAfterMs === undefined ? [] : ['-newerct', `@${(changedAfterMs / 1000).toFixed(3)}`];
  const tell = [...since, '-printf', format];
  // Only folders are compared with the names; find would otherwise try them on every file first.
  const leaveOut =
    names.length > 0
      ? ['!', '-type', 'd', '(', ...tell, '-o', '-true', ')', '-o', '(', ...names, ')', '-prune', '-o']
      : [];
  const bins = parts.bins.map((bin) => [...bin]);
  const found: Seen[] = [];

  function look(path: string): void {
    const seen = seenAt(join(folder, path), path);
    if (seen && isShown(path) && isAfter(seen, changedAfterMs ?? 0)) found.push(seen);
  }

  const known = new Set(bins.flat());
  // Where a folder became a link, what is below it is elsewhere.
  const gone = new Set<string>();
  for (const path of parts.opened) {
    if (path !== '' && gone.has(parentOf(path))) {
      gone.add(path);
      continue;
    }
    look(path);
    if (seenAt(join(folder, path), path)?.kind !== 'folder') {
      gone.add(path);
      continue;
    }
    for (const entry of entriesIn(join(folder, path))) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (!entry.isDirectory()) look(inside);
      else if (!known.has(inside) && !parts.opened.has(inside) && !ignore.includes(entry.name)) {
        bins[0]?.push(inside);
      }
    }
  }
  const from = folder.endsWith('/') ? folder.length : folder.length + 1;
  const take = (entry: Seen): boolean => {
    const path = entry.path.slice(from);
    if (!isShown(path)) return true;
    if (bounds?.take(path) === false) return false;
    found.push({ ...entry, path });
    return true;
  };
  await Promise.all(
    bins.map(async (bin) => {
      const here = bin.filter((path) => path === '' || !gone.has(parentOf(path)));
      for (const path of here) look(path);
      const starts = here
        .filter((path) => bounds?.leavesOut(path) !== true)
        .map((path) => join(folder, path))
        .filter((path) => existsSync(path));
      if (starts.length > 0)
        await runFind(program, [...starts, '-mindepth', '1', ...leaveOut, ...tell], take);
    }),
  );
  return found;
}

async function scanByWalk(
  folder: string,
  { ignore, changedAfterMs = 0, bounds }: ScanOptions,
): Promise<Seen[]> {
  const left = new Set(ignore);
  const found: Seen[] = [];
  const folders = [''];
  let looked = 0;
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    const self = below === '' ? seenAt(folder, '') : undefined;
    if (self && isAfter(self, changedAfterMs)) found.push(self);
    for (const { name } of entriesIn(join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`;
      const seen = seenAt(join(folder, path), path);
      if (!seen || (seen.kind === 'folder' && left.has(name)) || !isShown(path)) continue;
      if (bounds?.take(path) === false) return found;
      if (seen.kind === 'folder') folders.push(path);
      if (isAfter(seen, changedAfterMs)) found.push(seen);
      if (++looked % 500 === 0) await giveWay();
    }
  }
  return found;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or not ours to read.
    return [];
  }
}

function escapeGlob(name: string): string {
  return name.replace(/[\\*?[\]]/g, '\\$&');
}
