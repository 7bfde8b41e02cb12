import { spawn } from 'node:child_process';
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Parts } from './parts.ts';
import { isAfter, isShown, parentOf, type Seen, seenAt } from './seen.ts';
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
}

/** Looks at a folder and all below it, the folder itself as the path ''. Follows no link. */
export async function scan(folder: string, options: ScanOptions): Promise<readonly Seen[]> {
  // To start a process holds up our event loop for longer than a small folder does.
  const small = (options.expectedEntries ?? 0) <= smallEntries ? scanSmall(folder, options) : undefined;
  if (small) return small;
  if (finder === undefined) return scanByWalk(folder, options);
  try {
    return await scanByFind(finder, folder, options);
  } catch {
    // Not GNU's find, or no process to be had.
    return scanByWalk(folder, options);
  }
}

/** GNU find: quicker than a walk of our own, and not on our event loop. */
async function scanByFind(program: string, folder: string, options: ScanOptions): Promise<Seen[]> {
  const { ignore, changedAfterMs, parts = { opened: new Set(), bins: [['']] } } = options;
  const names = ignore.flatMap((name, at) => [...(at > 0 ? ['-o'] : []), '-name', escapeGlob(name)]);
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
  const outputs = await Promise.all(
    bins.map(async (bin) => {
      const here = bin.filter((path) => path === '' || !gone.has(parentOf(path)));
      for (const path of here) look(path);
      const starts = here.map((path) => join(folder, path)).filter((path) => existsSync(path));
      if (starts.length === 0) return '';
      return outputOf(program, [...starts, '-mindepth', '1', ...leaveOut, ...tell]);
    }),
  );
  const from = folder.endsWith('/') ? folder.length : folder.length + 1;
  for (const output of outputs) {
    const fields = output.split('\0');
    for (let at = 0; at + 8 < fields.length; at += 8) {
      const [
        kind = '',
        inode = '',
        bytes = '',
        modified = '',
        changed = '',
        mode = '',
        target = '',
        whole = '',
      ] = fields.slice(at, at + 8);
      const path = whole.slice(from);
      if (!isShown(path)) continue;
      found.push({
        path,
        kind: kinds[kind] ?? 'other',
        inode,
        bytes: Number(bytes),
        mode: Number.parseInt(mode, 8),
        modified,
        changed,
        target,
      });
    }
  }
  return found;
}

const format = '%y\\0%D:%i\\0%s\\0%T@\\0%C@\\0%m\\0%l\\0%p\\0';
const kinds: Readonly<Record<string, Seen['kind']>> = { f: 'file', d: 'folder', l: 'symlink' };

const finder = ['/usr/bin/find', '/bin/find'].find((path) => existsSync(path));

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { LC_ALL: 'C', TZ: 'UTC' },
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    // 1 says that something vanished or may not be read, and the rest was looked at; busybox says it of the options.
    child.on('close', (code) =>
      code === 0 || (code === 1 && chunks.length > 0)
        ? resolve(Buffer.concat(chunks).toString('utf8'))
        : reject(new Error(`find ended with ${code}.`)),
    );
  });
}

async function scanByWalk(folder: string, { ignore, changedAfterMs = 0 }: ScanOptions): Promise<Seen[]> {
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
