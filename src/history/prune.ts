import type { HistoryStore } from '../contract/capabilities/history.ts';
import type { Blobs } from './blobs.ts';

export interface PruneOptions {
  readonly store: HistoryStore;
  readonly blobs: Blobs;
  /** Sends a content that only this machine has to a shared store. */
  readonly share: (digest: string) => Promise<void>;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly nowMs: number;
}

export interface Pruned {
  readonly entries: number;
  readonly contents: number;
  /** Size of the contents that the remaining entries need. */
  readonly keptBytes: number;
}

/**
 * Removes expired entries, then the oldest ones until the needed contents fit, then unused contents. A content is never
 * removed before its entry, so every remaining entry can be undone.
 */
export async function prune(options: PruneOptions): Promise<Pruned> {
  const { store, blobs, nowMs } = options;
  // Listed first: contents that are added during this work must stay.
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
      // Kept before the store was shared.
      if (shared && !sizes.has(digest)) await options.share(digest);
      const isWorthIt = bytes >= worthBytes && bytes <= atOnceBytes;
      if (!isCompressed && isWorthIt) await blobs.compress(digest);
    } else if (isOld({ modifiedMs })) {
      // The store has it too; this was the quick copy.
      blobs.remove(digest, nowMs - youngMs);
      if (!shared) contents += 1;
    }
  }
  return { entries, contents, keptBytes: bytes };
}

/** Smaller contents do not fill a disk block; larger ones are not read into memory for this. */
const worthBytes = 8 * 1024;
const atOnceBytes = 32 * 1024 * 1024;
const pageEntries = 1000;
/** A content is added before its entry, so a running call may still add the entry. */
const youngMs = 60 * 60 * 1000;
