import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../engine.ts';
import { findRow, matching, putRow, updateRows } from '../rows.ts';

/**
 * Queues memories without a vector of this model: those from before embeddings were configured, and those of another
 * model. Remembers its position, so that the next start scans only new ones; `all` starts over and drops existing
 * vectors.
 */
export async function scanMemories(
  engine: Engine,
  { model, nowMs, all = false }: { readonly model: string; readonly nowMs: number; readonly all?: boolean },
  signal: AbortSignal,
): Promise<void> {
  const known = await findRow(engine.db, 'memory_embedding', { id: 1 });
  // Numbers are assigned before the commit, so a few may have appeared behind the last position.
  const from = all || known?.model !== model ? 0 : Math.max(0, known.scanned_seq - overlapRows);
  for (let after = from; !signal.aborted; ) {
    const last = await scanPage(engine, { model, nowMs, all, after });
    if (last === undefined) return;
    after = last;
    await nextTurn();
  }
}

async function scanPage(
  engine: Engine,
  { model, nowMs, all, after }: Parameters<typeof scanMemories>[1] & { readonly after: number },
): Promise<number | undefined> {
  const page = await matching(engine.db.selectFrom('memories').select('seq'), { 'seq >': after })
    .orderBy('seq')
    .limit(pageRows)
    .execute();
  const last = page.at(-1)?.seq;
  if (last === undefined) return undefined;
  await engine.write(
    async (tx) => {
      await tx
        .insertInto('memory_vectors')
        .columns(['seq', 'owner', 'model', 'due_at_ms'])
        .expression((from) =>
          from
            .selectFrom('memories')
            .select(({ val }) => [
              'memories.seq',
              'memories.owner',
              val(model).as('model'),
              val(nowMs).as('due_at_ms'),
            ])
            .where('memories.seq', '>', after)
            .where('memories.seq', '<=', last),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const former = { 'seq >': after, 'seq <=': last, ...(all ? {} : { 'model <>': model }) };
      const waiting = { dimensions: null, code: null, vector: null, attempts: 0, due_at_ms: nowMs };
      await updateRows(tx, 'memory_vectors', former, { model, ...waiting });
      await putRow(tx, 'memory_embedding', ['id'], { id: 1, model, scanned_seq: last });
    },
    { durable: false },
  );
  return last;
}

const pageRows = 500;
const overlapRows = 1000;
