import type { RateStore } from '../contract/records.ts';
import type { OpenEngine } from './engine.ts';

/**
 * Exact sliding windows at a constant cost: the newest `max` hits of a key lie in a ring, and the next one is
 * allowed when the one it would overwrite has left the window.
 */
export function createRateStore(openEngine: OpenEngine): RateStore {
  let untilSweep = 0;
  return {
    async hit(name, max, windowMs, nowMs) {
      if (max <= 0) return { retryAfterMs: windowMs };
      const engine = await openEngine();
      // The size is part of the key: a ring of another size starts afresh.
      const key = `${max}/${windowMs} ${name.toWellFormed().replaceAll('\0', '')}`;
      const sweep = --untilSweep < 0;
      if (sweep) untilSweep = hitsBetweenSweeps;

      return engine.write(
        async (tx) => {
          if (sweep) await forgetBefore(tx, nowMs - keepMs);
          // Touching the row locks it, whether it is new or not.
          const { hits } = await tx
            .insertInto('rates')
            .values({ key, hits: 0, touched_at_ms: nowMs })
            .onConflict((conflict) => conflict.column('key').doUpdateSet({ touched_at_ms: nowMs }))
            .returning('hits')
            .executeTakeFirstOrThrow();
          const slot = hits % max;
          const oldest = await tx
            .selectFrom('rate_hits')
            .select('at_ms')
            .where('key', '=', key)
            .where('slot', '=', slot)
            .executeTakeFirst();
          // A clock that was set back must not lock anybody out for longer than a window.
          const waitMs = oldest ? Math.min(oldest.at_ms + windowMs - nowMs, windowMs) : 0;
          if (waitMs > 0) return { retryAfterMs: waitMs };
          await tx
            .insertInto('rate_hits')
            .values({ key, slot, at_ms: nowMs })
            .onConflict((conflict) => conflict.columns(['key', 'slot']).doUpdateSet({ at_ms: nowMs }))
            .execute();
          await tx
            .updateTable('rates')
            .set({ hits: hits + 1 })
            .where('key', '=', key)
            .execute();
          return { retryAfterMs: 0 };
        },
        { durable: false },
      );
    },
  };
}

type Tx = Parameters<Parameters<Awaited<ReturnType<OpenEngine>>['write']>[0]>[0];

async function forgetBefore(tx: Tx, beforeMs: number): Promise<void> {
  const stale = tx.selectFrom('rates').select('key').where('touched_at_ms', '<', beforeMs);
  await tx.deleteFrom('rate_hits').where('key', 'in', stale).execute();
  await tx.deleteFrom('rates').where('touched_at_ms', '<', beforeMs).execute();
}

const hitsBetweenSweeps = 1000;
const keepMs = 2 * 24 * 60 * 60 * 1000;
