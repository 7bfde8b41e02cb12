import type { Memory } from '../../contract/capabilities/memory.ts';
import type { MemoryBrowser } from '../../contract/people/memory-browser.ts';
import type { OpenEngine } from '../engine.ts';
import { findRow, given, listRows } from '../rows.ts';
import { memoryOf } from './row.ts';

/** Memories for a person to browse: newest first, in pages, and who owns any. */
export function createMemoryBrowser(openEngine: OpenEngine): MemoryBrowser {
  return {
    async owners(limit) {
      const { db } = await openEngine();
      const rows = await listRows(db, 'memory_owners', { 'memories >': 0 }, { by: 'owner', limit });
      return rows.map(({ owner, memories }) => ({ owner, memories: Number(memories) }));
    },

    async page(owner, { before, limit }) {
      const { db } = await openEngine();
      const wanted = { owner, ...given({ 'seq <': before }) };
      const rows = await listRows(db, 'memories', wanted, { by: 'seq desc', limit: limit + 1 });
      const page = rows.slice(0, limit);
      return { memories: page.map(memoryOf), next: rows.length > limit ? page.at(-1)?.seq : undefined };
    },

    async get(owner, id): Promise<Memory | undefined> {
      const { db } = await openEngine();
      const row = await findRow(db, 'memories', { owner, id });
      return row && memoryOf(row);
    },
  };
}
