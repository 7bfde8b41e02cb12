import type { HistoryStore } from '../../contract/capabilities/history.ts';
import type { Blobs } from './blobs.ts';

export interface PruneOptions {
  readonly store: HistoryStore;
  readonly blobs: Blobs;
  /** Brings to a shared store what only this machine has. */
  readonly share: (digest: string) => Promise<void>;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly nowMs: number;
}

export interface Pruned {
  readonly entries: number;
  readonly contents: number;
  /** The bytes of the contents that the remaining entries need. */
  readonly keptBytes: number;
}

/**
 * Forgets entries that are too old, then the oldest until what the rest need fits, then contents that nothing needs.
 * A content is never removed before its entry, so every entry that is there can be taken back.
 */
export async function prune(options: PruneOptions): Promise<Pruned> {
  const { store, blobs, nowMs } = options;
  // Looked at first: what comes while we work is not ours to judge.
  const there = blobs.all();
  const shared = await store.contents?.all();
  const sizes = new Map((shared ?? there).map(({ digest, bytes }) => [digest, bytes]));
  let entries = await store.forget({ beforeMs: nowMs - options.maxAgeMs });
  const needed = new Set<string>();
  let bytes = 0;
  for (let beforeSeq: number | undefined; ; ) {
    const page = await store.digests(beforeSeq, pageEntries);
    const cut = page.find(({ digest }) => {
      if (digest === undefined || needed.has(digest)) return false;
      const size = sizes.get(digest) ?? 0;
      if (bytes + size > options.maxBytes) return true;
      bytes += size;
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
  const isOld = ({ modifiedMs }: { readonly modifiedMs: number }) => modifiedMs <= nowMs - youngMs;
  const unneeded = (shared ?? []).filter((one) => !needed.has(one.digest) && isOld(one));
  await store.contents?.remove(
    unneeded.map(({ digest }) => digest),
    nowMs - youngMs,
  );
  let contents = unneeded.length;
  for (const { digest, bytes, modifiedMs, isCompressed } of there) {
    if (needed.has(digest) && !(shared && sizes.has(digest) && isOld({ modifiedMs }))) {
      // From before the store was shared.
      if (shared && !sizes.has(digest)) await options.share(digest);
      const isWorthIt = bytes >= worthBytes && bytes <= atOnceBytes;
      if (!isCompressed && isWorthIt) await blobs.compress(digest);
    } else if (isOld({ modifiedMs })) {
      // Of one that the store has, too, this was the quick copy.
      blobs.remove(digest, nowMs - youngMs);
      if (!shared) contents += 1;
    }
  }
  return { entries, contents, keptBytes: bytes };
}

/** Less does not fill a block of the disk; more is not held in memory for this. */
const worthBytes = 8 * 1024;
const atOnceBytes = 32 * 1024 * 1024;
const pageEntries = 1000;
/** A content comes before its entry does: a call that is under way may still add one. */
const youngMs = 60 * 60 * 1000;
