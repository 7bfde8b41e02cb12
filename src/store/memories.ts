import { createHash } from 'node:crypto';
import type { Memories, Memory } from '../contract/memory.ts';
import type { Clock, OpenEngine } from './engine.ts';
import { randomId } from './random-id.ts';
import { recallMemories } from './recall/recall.ts';
import { normalise, wordsOfMemory } from './recall/words.ts';
import type { MemoryRow } from './tables.ts';

/** What one owner asked to be remembered. The owner is bound here; no argument of any method names one. */
export function createMemories(openEngine: OpenEngine, clock: Clock, owner: string): Memories {
  return {
    async remember({ content, category, tags }) {
      const engine = await openEngine();
      const nowMs = clock();
      const row = {
        id: randomId('mem_', 16),
        owner,
        content,
        category,
        tags: JSON.stringify(tags),
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
        digest: digestOf(content),
      };
      return engine.write(async (tx) => {
        const same = await tx
          .selectFrom('memories')
          .selectAll()
          .where('owner', '=', owner)
          .where('digest', '=', row.digest)
          .executeTakeFirst();
        if (same) return { memory: memoryOf(same), duplicate: true };
        const stored = await tx
          .insertInto('memories')
          .values(row as MemoryRow)
          .returningAll()
          .executeTakeFirstOrThrow();
        await engine.memoryIndex.put(tx, owner, stored.seq, wordsOfMemory({ content, category, tags }));
        return { memory: memoryOf(stored), duplicate: false };
      });
    },

    async recall(query) {
      return recallMemories(await openEngine(), owner, query);
    },

    async update(id, change) {
      const engine = await openEngine();
      return engine.write(async (tx) => {
        const row = await engine
          .lock(tx.selectFrom('memories').selectAll().where('owner', '=', owner).where('id', '=', id))
          .executeTakeFirst();
        if (!row) return undefined;
        const before = memoryOf(row);
        const content = change.content ?? before.content;
        const category = change.category ?? before.category;
        const tags = change.tags ?? before.tags;
        const changed = await tx
          .updateTable('memories')
          .set({
            content,
            category,
            tags: JSON.stringify(tags),
            digest: digestOf(content),
            updated_at_ms: clock(),
          })
          .where('seq', '=', row.seq)
          .returningAll()
          .executeTakeFirstOrThrow();
        await engine.memoryIndex.remove(tx, owner, row.seq);
        await engine.memoryIndex.put(tx, owner, row.seq, wordsOfMemory({ content, category, tags }));
        return memoryOf(changed);
      });
    },

    async forget(id) {
      const engine = await openEngine();
      return engine.write(async (tx) => {
        const row = await tx
          .deleteFrom('memories')
          .where('owner', '=', owner)
          .where('id', '=', id)
          .returning('seq')
          .executeTakeFirst();
        if (!row) return false;
        await engine.memoryIndex.remove(tx, owner, row.seq);
        return true;
      });
    },

    async *all() {
      const { db } = await openEngine();
      for (let after = 0; ; ) {
        const rows = await db
          .selectFrom('memories')
          .selectAll()
          .where('owner', '=', owner)
          .where('seq', '>', after)
          .orderBy('seq')
          .limit(pageRows)
          .execute();
        for (const row of rows) yield memoryOf(row);
        const last = rows.at(-1);
        if (!last) return;
        after = last.seq;
      }
    },
  };
}

/** A row as its owner sees it. */
export function memoryOf(row: Omit<MemoryRow, 'owner' | 'digest'>): Memory {
  return {
    id: row.id,
    content: row.content,
    category: row.category,
    tags: JSON.parse(row.tags) as string[],
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

function digestOf(content: string): string {
  return createHash('sha256').update(normalise(content)).digest('base64url');
}

const pageRows = 500;
