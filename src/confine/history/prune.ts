import type { HistoryStore } from '../../contract/history.ts';
import type { Blobs } from './blobs.ts';

export interface PruneOptions {
  readonly store: HistoryStore;
  readonly blobs: Blobs;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly nowMs: number;
  /** Contents that something else still needs. */
  readonly held: ReadonlySet<string>;
}

/**
 * Forgets entries that are too old, then the oldest until what the rest need fits, then contents that nothing needs.
 * A content is never removed before its entry, so every entry that is there can be taken back.
 */
export async function prune(options: PruneOptions): Promise<{ entries: number; contents: number }> {
  const { store, blobs, nowMs } = options;
  // Looked at first: what comes while we work is not ours to judge.
  const there = blobs.all();
  const sizes = new Map(there.map(({ digest, bytes }) => [digest, bytes]));
  let entries = await store.forget({ beforeMs: nowMs - options.maxAgeMs });
  const needed = new Set<string>();
  let bytes = 0;
  for (const digest of options.held) bytes += sizes.get(digest) ?? 0;
  for (let beforeSeq: number | undefined; ; ) {
    const page = await store.digests(beforeSeq, pageEntries);
    const cut = page.find(({ digest }) => {
      if (digest === undefined || needed.has(digest) || options.held.has(digest)) return false;
      bytes += sizes.get(digest) ?? 0;
      if (bytes > options.maxBytes) return true;
      needed.add(digest);
      return false;
    });
    if (cut) {
      entries += await store.forget({ upToSeq: cut.seq });
      break;
    }
    beforeSeq = page.at(-1)?.seq;
    if (page.length < pageEntries) break;
  }
  let contents = 0;
  for (const { digest, modifiedMs } of there) {
    if (needed.has(digest) || options.held.has(digest) || modifiedMs > nowMs - youngMs) continue;
    blobs.remove(digest);
    contents += 1;
  }
  return { entries, contents };
}

const pageEntries = 1000;
/** A content comes before its entry does: a call that is under way may still add one. */
const youngMs = 60 * 60 * 1000;
