import type { Transaction } from 'kysely';
import type { Engine } from '../engine.ts';
import { matching, putRow, updateRows } from '../rows.ts';
import type { Tables } from '../tables/tables.ts';
import { codeOf, packVector } from './codes.ts';

/** A memory taken from the queue; it returns automatically if its taker dies. */
export interface Waiting {
  readonly seq: number;
  readonly owner: string;
  readonly content: string;
  /** How often it was taken, including this time. */
  readonly attempts: number;
}

const without = { dimensions: null, code: null, vector: null, rev: 0, attempts: 0 } as const;

/** Queues a memory, in the transaction that stores its text. Its old vector is deleted. */
export async function enqueue(
  tx: Transaction<Tables>,
  owner: string,
  seq: number,
  { model, nowMs }: { readonly model: string; readonly nowMs: number },
): Promise<void> {
  await putRow(tx, 'memory_vectors', ['seq'], { seq, owner, ...without, model, due_at_ms: nowMs });
}

/** The same for a memory that had a vector or waited for one; does nothing if memories are not embedded. */
export async function outdate(tx: Transaction<Tables>, seq: number, nowMs: number): Promise<void> {
  await updateRows(tx, 'memory_vectors', { seq }, { ...without, due_at_ms: nowMs });
}

/** Takes due memories of this model, from others until `untilMs`. Servers with another model ignore them. */
export async function takeWaiting(
  engine: Engine,
  {
    model,
    nowMs,
    untilMs,
    count,
  }: Record<'nowMs' | 'untilMs' | 'count', number> & { readonly model: string },
): Promise<readonly Waiting[]> {
  const due = (db: Pick<Engine['db'], 'selectFrom'>) =>
    matching(db.selectFrom('memory_vectors').select('seq'), { model, 'due_at_ms <=': nowMs }).orderBy(
      'due_at_ms',
    );
  // With an empty queue, take no lock.
  if (!(await due(engine.db).limit(1).executeTakeFirst())) return [];
  return engine.write(
    async (tx) => {
      const rows = await engine.lock(due(tx).limit(count), { skip: true }).execute();
      if (rows.length === 0) return [];
      const seqs = rows.map(({ seq }) => seq);
      const taken = await tx
        .updateTable('memory_vectors')
        .set((column) => ({ due_at_ms: untilMs, attempts: column('attempts', '+', 1) }))
        .where('seq', 'in', seqs)
        .returning(['seq', 'attempts'])
        .execute();
      const attempts = new Map(taken.map((row) => [row.seq, row.attempts]));
      const texts = await tx
        .selectFrom('memories')
        .select(['seq', 'owner', 'content'])
        .where('seq', 'in', seqs)
        .orderBy('seq')
        .execute();
      return texts.map((row) => ({ ...row, attempts: attempts.get(row.seq) ?? 1 }));
    },
    { durable: false },
  );
}

/**
 * Stores vectors of memories whose text is unchanged since; changed or forgotten ones are skipped. Each owner's
 * revision rises under a lock, so that readers see revisions in order.
 */
export async function storeVectors(
  engine: Engine,
  model: string,
  embedded: readonly (Waiting & { readonly vector: Float32Array })[],
): Promise<void> {
  const byOwner = Map.groupBy(embedded, ({ owner }) => owner);
  // In the same order everywhere, so that two writers that lock the same owners cannot deadlock.
  const owners = [...byOwner].sort(([one], [other]) => (one < other ? -1 : 1));
  await engine.write(
    async (tx) => {
      for (const [owner, memories] of owners) {
        const raised = await tx
          .updateTable('memory_owners')
          .set((column) => ({ vector_rev: column('vector_rev', '+', 1) }))
          .where('owner', '=', owner)
          .returning('vector_rev')
          .executeTakeFirst();
        if (!raised) continue;
        for (const { seq, content, vector } of memories) {
          const set = {
            dimensions: vector.length,
            code: codeOf(vector),
            vector: packVector(vector),
            rev: raised.vector_rev,
            due_at_ms: null,
          };
          const waiting = { seq, model, 'due_at_ms <>': null };
          await matching(tx.updateTable('memory_vectors').set(set), waiting)
            .where(({ exists, selectFrom }) =>
              exists(matching(selectFrom('memories').select('seq'), { seq, content })),
            )
            .execute();
        }
      }
    },
    { durable: false },
  );
}

/** Returns memories to the queue; `untried` if the failed attempt was not their fault. */
export async function putOff(
  engine: Engine,
  seqs: readonly number[],
  dueAtMs: number,
  { untried = false } = {},
): Promise<void> {
  if (seqs.length === 0) return;
  await engine.write(
    (tx) => {
      const put = tx.updateTable('memory_vectors').set((column) => ({
        due_at_ms: dueAtMs,
        ...(untried ? { attempts: column('attempts', '-', 1) } : {}),
      }));
      // Memories changed in between are queued again already.
      return matching(put, { seq: seqs, 'due_at_ms <>': null, 'attempts >': 0 }).execute();
    },
    { durable: false },
  );
}
