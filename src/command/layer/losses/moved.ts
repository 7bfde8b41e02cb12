import { hash } from 'node:crypto';
import { asBytes } from '../../../ground/machine/byte-paths.ts';
import { hasSameContent } from '../diff.ts';
import type { Pause } from '../walk.ts';
import { type Collected, filesInNew, lowerPath, type Touched, upperPath } from './collect.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Returns the missed files whose content is not among the files that the command wrote: moved content is not lost,
 * unless its new path itself does not count. A file is read once, and only if a missed one has its size.
 */
export async function withoutMoved(
  missed: readonly Touched[],
  { created, changed, folders, lent }: Collected,
  isIgnored: (path: string, isFolder: boolean) => boolean,
  pause: Pause,
): Promise<readonly Touched[]> {
  if (missed.length === 0) return missed;
  const sizes = new Set(missed.map(({ before }) => before?.size));
  const found = new Set<number>();
  const written = new Map<string, Touched[]>();

  function add(file: Touched): void {
    if (!file.now?.isFile() || !sizes.has(file.now.size) || isIgnored(file.path, false)) return;
    const start = startOf(upperPath(file), file.now.size);
    if (start === undefined) return;
    found.add(file.now.size);
    const same = written.get(start) ?? [];
    if (same.length < mostCandidates) same.push(file);
    written.set(start, same);
  }

  for (const file of [...created, ...changed]) {
    await pause();
    add(file);
  }
  for (const folder of folders) for await (const file of filesInNew(folder, lent, pause)) add(file);

  const lost: Touched[] = [];
  for (const file of missed) {
    await pause();
    const bytes = file.before?.size ?? 0;
    const start = found.has(bytes) ? startOf(lowerPath(file), bytes) : undefined;
    const candidates = written.get(start ?? '') ?? [];
    const isThere = bytes <= startBytes ? candidates.length > 0 : await isAmong(file, bytes, candidates);
    if (!isThere) lost.push(file);
  }
  return lost;
}

async function isAmong(file: Touched, bytes: number, candidates: readonly Touched[]): Promise<boolean> {
  for (const candidate of candidates) {
    const paths = [asBytes(lowerPath(file)), asBytes(upperPath(candidate))] as const;
    if (await hasSameContent(...paths, bytes).catch(() => false)) return true;
  }
  return false;
}

/** Its size and a digest of its beginning; undefined if it is not readable. */
function startOf(path: string, bytes: number): string | undefined {
  const start = readBounded(path, startBytes, false);
  return start && `${bytes} ${hash('sha256', start)}`;
}

const startBytes = 64 * 1024;
/** Candidates with the same beginning that are compared further. */
const mostCandidates = 50;
