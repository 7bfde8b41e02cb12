import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../engine.ts';
import { matching } from '../rows.ts';
import { type CodeSet, createCodeSet } from './code-set.ts';
import { codeBytes } from './codes.ts';

/** Vectors that may be compared: of one owner, from one model. */
export interface Space {
  readonly owner: string;
  readonly model: string;
  readonly dimensions: number;
}

interface Cached {
  readonly dimensions: number;
  readonly set: CodeSet;
  rev: number;
  ready: Promise<void>;
}

/**
 * Codes in memory by owner, loaded on first use and then cached up to date. The least recently used owners are
 * evicted. For a single owner with too many codes, the newest are cached.
 */
export function createCodeCache(maxBytes: number = usualMaxBytes) {
  const cached = new Map<string, Cached>();

  function cachedFor(space: Space, memories: number): Cached {
    const found = cached.get(space.owner);
    cached.delete(space.owner);
    // Changed and forgotten memories leave their codes behind; with too many of them, start over.
    const usable = found && found.dimensions === space.dimensions && found.set.size <= 1000 + memories * 1.25;
    const entry = usable
      ? found
      : {
          dimensions: space.dimensions,
          set: createCodeSet(codeBytes(space.dimensions)),
          rev: -1,
          ready: Promise.resolve(),
        };
    cached.set(space.owner, entry);
    return entry;
  }

  function makeRoom(): void {
    let bytes = 0;
    for (const { set } of cached.values()) bytes += set.bytes;
    for (const [owner, { set }] of cached) {
      if (bytes <= maxBytes || cached.size === 1) return;
      cached.delete(owner);
      bytes -= set.bytes;
    }
  }

  return {
    /** `rev` is the owner's current `vector_rev`, `memories` the number of memories. */
    async codes(
      engine: Engine,
      space: Space,
      now: { readonly rev: number; readonly memories: number },
    ): Promise<CodeSet> {
      const entry = cachedFor(space, now.memories);
      if (entry.rev < now.rev) {
        // One at a time: two at once would read the same rows. The previous caller got its own failure.
        entry.ready = entry.ready
          .catch(() => {})
          .then(async () => {
            if (entry.rev >= now.rev) return;
            if (entry.rev < 0) await loadAll(engine, space, entry.set, maxBytes);
            else await loadSince(engine, space, entry.set, entry.rev);
            entry.rev = now.rev;
            makeRoom();
          });
      }
      try {
        await entry.ready;
      } catch (error) {
        if (cached.get(space.owner) === entry) cached.delete(space.owner);
        throw error;
      }
      return entry.set;
    },
  };
}

function rowsOf(engine: Engine, { owner, model, dimensions }: Space) {
  return matching(engine.db.selectFrom('memory_vectors'), { owner, model, dimensions, due_at_ms: null });
}

/** Newest first, as far as they fit. */
async function loadAll(engine: Engine, space: Space, set: CodeSet, maxBytes: number): Promise<void> {
  for (let before = Number.MAX_SAFE_INTEGER; set.bytes < maxBytes; ) {
    const rows = await rowsOf(engine, space)
      .select(['seq', 'code'])
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(pageRows)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    for (const { seq, code } of rows) if (code) set.add(seq, code);
    before = last.seq;
    await nextTurn();
  }
}

async function loadSince(engine: Engine, space: Space, set: CodeSet, rev: number): Promise<void> {
  for (let after = { rev, seq: Number.MAX_SAFE_INTEGER }; ; ) {
    const rows = await rowsOf(engine, space)
      .select(['seq', 'code', 'rev'])
      .where('rev', '>=', after.rev)
      .where(({ eb, or }) => or([eb('rev', '>', after.rev), eb('seq', '>', after.seq)]))
      .orderBy('rev')
      .orderBy('seq')
      .limit(pageRows)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    for (const { seq, code } of rows) if (code) set.add(seq, code);
    after = last;
    await nextTurn();
  }
}

const pageRows = 2000;
const usualMaxBytes = 256 * 1024 * 1024;
