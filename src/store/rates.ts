import type { RateStore } from '../contract/records.ts';
import type { OpenEngine } from './engine.ts';
import { deleteRows, findRow, putRow, updateRows } from './rows.ts';

/** Exact sliding windows at constant cost: the next hit may come when the one it overwrites has left the window. */
export function createRateStore(openEngine: OpenEngine): RateStore {
  let untilSweep = 0;

  const hitAll: RateStore['hitAll'] = async (bounds, windowMs, nowMs) => {
    if (bounds.some(({ max }) => max <= 0)) return bounds.map(({ max }) => (max <= 0 ? windowMs : 0));
    const engine = await openEngine();
    // The size is part of the key: a ring of another size starts empty.
    const rings = bounds.map(({ key, max }) => ({
      key: `${max}/${windowMs} ${key.toWellFormed().replaceAll('\0', '')}`,
      max,
    }));
    const sweep = --untilSweep < 0;
    if (sweep) untilSweep = hitsBetweenSweeps;

    return engine.write(
      async (tx) => {
        if (sweep) await forgetBefore(tx, nowMs - keepMs);
        const slots: { readonly key: string; readonly hits: number; readonly slot: number }[] = [];
        const waits: number[] = [];
        for (const { key, max } of rings) {
          // Writing the row locks it, whether it is new or not.
          const { hits } = await tx
            .insertInto('rates')
            .values({ key, hits: 0, touched_at_ms: nowMs })
            .onConflict((conflict) => conflict.column('key').doUpdateSet({ touched_at_ms: nowMs }))
            .returning('hits')
            .executeTakeFirstOrThrow();
          const slot = hits % max;
          slots.push({ key, hits, slot });
          const oldest = await findRow(tx, 'rate_hits', { key, slot });
          // The clock was set back: hits in its future count as now, so that the limit clears after one window.
          if (oldest && oldest.at_ms > nowMs)
            await updateRows(tx, 'rate_hits', { key, 'at_ms >': nowMs }, { at_ms: nowMs });
          waits.push(oldest ? Math.max(0, Math.min(oldest.at_ms, nowMs) + windowMs - nowMs) : 0);
        }
        if (waits.some((waitMs) => waitMs > 0)) return waits;
        for (const { key, hits, slot } of slots) {
          await putRow(tx, 'rate_hits', ['key', 'slot'], { key, slot, at_ms: nowMs });
          await updateRows(tx, 'rates', { key }, { hits: hits + 1 });
        }
        return waits;
      },
      { durable: false },
    );
  };

  const count: RateStore['count'] = async (adding, bounds, nowMs) =>
    (await openEngine()).write(
      async (tx) => {
        const totals = new Map<string, number>();
        for (const { key, amount } of adding) {
          const { hits } = await tx
            .insertInto('rates')
            .values({ key, hits: amount, touched_at_ms: nowMs })
            .onConflict((conflict) =>
              conflict.column('key').doUpdateSet(({ eb }) => ({
                hits: eb('rates.hits', '+', amount),
                touched_at_ms: nowMs,
              })),
            )
            .returning('hits')
            .executeTakeFirstOrThrow();
          totals.set(key, hits - 1);
        }
        for (const { key, max } of bounds) {
          const total = totals.get(key) ?? (await findRow(tx, 'rates', { key }))?.hits ?? 0;
          if (total < max) continue;
          for (const added of adding)
            await tx
              .updateTable('rates')
              .set(({ eb }) => ({ hits: eb('hits', '-', added.amount) }))
              .where('key', '=', added.key)
              .execute();
          return key;
        }
        return undefined;
      },
      { durable: false },
    );

  return {
    hitAll,
    count,
    hit: async (key, max, windowMs, nowMs) => ({
      retryAfterMs: (await hitAll([{ key, max }], windowMs, nowMs))[0] ?? 0,
    }),
  };
}

type Tx = Parameters<Parameters<Awaited<ReturnType<OpenEngine>>['write']>[0]>[0];

async function forgetBefore(tx: Tx, beforeMs: number): Promise<void> {
  const stale = tx.selectFrom('rates').select('key').where('touched_at_ms', '<', beforeMs);
  await tx.deleteFrom('rate_hits').where('key', 'in', stale).execute();
  await deleteRows(tx, 'rates', { 'touched_at_ms <': beforeMs });
}

const hitsBetweenSweeps = 1000;
const keepMs = 2 * 24 * 60 * 60 * 1000;
