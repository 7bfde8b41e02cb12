import type { Transaction } from 'kysely';
import { type Memories, type Memory, maxTags } from '../../contract/capabilities/memory.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { Meaning } from '../embeddings/meaning.ts';
import { enqueue, outdate } from '../embeddings/queue.ts';
import type { Clock, Engine, OpenEngine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { fold } from '../recall/fold.ts';
import { findRow, insertNew, listRows, takeRow } from '../rows.ts';
import type { MemoryRow, Tables } from '../tables/tables.ts';
import { memoryOf } from './row.ts';

/** The model for embedding memories, and access to their meaning. */
export interface Embedding {
  readonly model: string;
  meaning(): Promise<Meaning>;
}

/** The memories of one bound owner. The word splitter is loaded on first use: its patterns cost milliseconds. */
export function createMemories(
  openEngine: OpenEngine,
  clock: Clock,
  owner: string,
  embedding?: Embedding,
): Memories {
  return {
    async remember(input) {
      const engine = await openEngine();
      const nowMs = clock();
      const createdAtMs = input.createdAtMs ?? nowMs;
      const { memoryColumns } = await import('./columns.ts');
      const { words, columns } = memoryColumns(input);
      const row = {
        ...columns,
        id: randomId('mem_', 16),
        owner,
        created_at_ms: createdAtMs,
        updated_at_ms: nowMs,
      };
      const stored = await engine.write(async (tx) => {
        await lockOwner(engine, tx, owner);
        const same = await findRow(tx, 'memories', { owner, gist: row.gist });
        if (same)
          return {
            memory: await addTags({ engine, tx, owner, nowMs, embedding }, same, input.tags),
            duplicate: true,
          };
        const stored = await tx.insertInto('memories').values(row).returningAll().executeTakeFirstOrThrow();
        await engine.memoryIndex.put(tx, owner, stored.seq, words);
        if (embedding) await enqueue(tx, owner, stored.seq, { model: embedding.model, nowMs });
        await countOwner(tx, owner, 1, words.length);
        return { memory: memoryOf(stored), duplicate: false };
      });
      (await embedding?.meaning())?.wake();
      return stored;
    },

    async recall(query) {
      const { recallMemories } = await import('../recall/recall.ts');
      const embedded = await embedding?.meaning();
      embedded?.wake();
      return recallMemories(await openEngine(), owner, query, embedded);
    },

    async update(id, change) {
      const engine = await openEngine();
      const updated = await engine.write(async (tx) => {
        await lockOwner(engine, tx, owner);
        const row = await findRow(tx, 'memories', { owner, id });
        return row && rewrite({ engine, tx, owner, nowMs: clock(), embedding }, row, change);
      });
      (await embedding?.meaning())?.wake();
      return updated;
    },

    async forget(id) {
      const engine = await openEngine();
      return engine.write(async (tx) => {
        await lockOwner(engine, tx, owner);
        const row = await takeRow(tx, 'memories', { owner, id });
        if (!row) return false;
        await engine.memoryIndex.remove(tx, row.seq);
        await countOwner(tx, owner, -1, -wordCount(row));
        return true;
      });
    },

    async *all() {
      const { db } = await openEngine();
      for (let after = 0; ; ) {
        const page = { by: 'seq', limit: pageRows } as const;
        const rows = await listRows(db, 'memories', { owner, 'seq >': after }, page);
        for (const row of rows) yield memoryOf(row);
        const last = rows.at(-1);
        if (!last) return;
        after = last.seq;
      }
    },
  };
}

/** The owner's memories in one transaction. */
interface Writing {
  readonly engine: Engine;
  readonly tx: Transaction<Tables>;
  readonly owner: string;
  readonly nowMs: number;
  readonly embedding: Embedding | undefined;
}

async function rewrite(
  { engine, tx, owner, nowMs, embedding }: Writing,
  row: MemoryRow,
  change: Parameters<Memories['update']>[1],
): Promise<Memory> {
  const { memoryColumns } = await import('./columns.ts');
  const before = memoryOf(row);
  const { words, columns } = memoryColumns({
    content: change.content ?? before.content,
    category: change.category ?? before.category,
    tags: change.tags ?? before.tags,
  });
  const same = await findRow(tx, 'memories', { owner, gist: columns.gist });
  if (same && same.id !== row.id)
    throw new ToolError(
      'conflict',
      `The memory ${same.id} already says the same.`,
      `メモリ ${same.id} に、既に同じ内容があります。`,
      text(
        `Forget one of the two, or change ${same.id}.`,
        `どちらかを forget するか、${same.id} を変更してください。`,
      ),
      { id: same.id },
    );
  const changed = await tx
    .updateTable('memories')
    .set({ ...columns, updated_at_ms: nowMs })
    .where('seq', '=', row.seq)
    .returningAll()
    .executeTakeFirstOrThrow();
  await engine.memoryIndex.remove(tx, row.seq);
  await engine.memoryIndex.put(tx, owner, row.seq, words);
  await countOwner(tx, owner, 0, words.length - wordCount(row));
  if (columns.content !== row.content) {
    if (embedding) await enqueue(tx, owner, row.seq, { model: embedding.model, nowMs });
    else await outdate(tx, row.seq, nowMs);
  }
  return memoryOf(changed);
}

/** A repeated memory with other tags must be found by these, too. */
async function addTags(writing: Writing, row: MemoryRow, tags: readonly string[]): Promise<Memory> {
  const before = memoryOf(row);
  const known = new Set(before.tags.map(fold));
  const added = tags.filter((tag) => !known.has(fold(tag)));
  if (added.length === 0) return before;
  const together = [...before.tags, ...added];
  if (together.length > maxTags)
    throw new ToolError(
      'conflict',
      `The memory ${row.id} already says this, and would have more than ${maxTags} tags with these.`,
      `メモリ ${row.id} に既に同じ内容があり、これらのタグを加えると ${maxTags} 個を超えます。`,
      text('Choose its tags with update_memory.', 'update_memory でタグを選び直してください。'),
      { id: row.id },
    );
  return rewrite(writing, row, { tags: together });
}

/** One writer per owner at a time: two that store the same memory at once store it once. */
async function lockOwner(engine: Engine, tx: Transaction<Tables>, owner: string): Promise<void> {
  await insertNew(tx, 'memory_owners', { owner, memories: 0, words: 0 });
  await engine.lock(tx.selectFrom('memory_owners').select('owner').where('owner', '=', owner)).execute();
}

async function countOwner(
  tx: Transaction<Tables>,
  owner: string,
  memories: number,
  words: number,
): Promise<void> {
  await tx
    .updateTable('memory_owners')
    .set((column) => ({
      memories: column('memories', '+', memories),
      words: column('words', '+', words),
    }))
    .where('owner', '=', owner)
    .execute();
}

function wordCount(row: Pick<MemoryRow, 'words'>): number {
  return row.words === '' ? 0 : row.words.split(' ').length;
}

const pageRows = 500;
