import type { AskSessionKey, AskSessionStore } from '../contract/ask.ts';
import type { OpenEngine } from './engine.ts';
import { deleteRows, insertRow, lockRow, updateRows, writeTo } from './rows.ts';

/** The most conversations of one owner, and how long each is kept after its last question. */
export const maxAskSessions = 100;
export const askSessionIdleMs = 30 * 24 * 60 * 60 * 1000;

/** Conversations with a model over HTTP. A question leases its conversation, so that two never mix. */
export function createAskSessionStore(openEngine: OpenEngine): AskSessionStore {
  return {
    async take({ principal, id, holder }, untilMs, nowMs) {
      const engine = await openEngine();
      return engine.write(async (tx) => {
        const row = await lockRow(engine, tx, 'ask_sessions', { id, principal });
        if (!row || row.updated_at_ms + askSessionIdleMs < nowMs) return { kind: 'unknown' as const };
        if (row.holder !== null && row.held_until_ms > nowMs) return { kind: 'busy' as const };
        await updateRows(tx, 'ask_sessions', { id }, { holder, held_until_ms: untilMs });
        return { kind: 'taken' as const, body: row.body };
      });
    },
    async hold(key, untilMs) {
      await change(key, { held_until_ms: untilMs });
    },
    async save(key, body, nowMs) {
      await change(key, { body, updated_at_ms: nowMs, holder: null, held_until_ms: 0 });
    },
    async create(principal, id, body, nowMs) {
      const row = { id, principal, body, updated_at_ms: nowMs, holder: null, held_until_ms: 0 };
      await writeTo(openEngine, async (tx) => {
        await deleteRows(tx, 'ask_sessions', { 'updated_at_ms <': nowMs - askSessionIdleMs });
        const own = tx.selectFrom('ask_sessions').select('id').where('principal', '=', principal);
        const surplus = await own
          .orderBy('updated_at_ms', 'desc')
          .orderBy('id')
          .offset(maxAskSessions - 1)
          .limit(maxAskSessions)
          .execute();
        for (const { id: oldest } of surplus) await deleteRows(tx, 'ask_sessions', { id: oldest });
        await insertRow(tx, 'ask_sessions', row);
      });
    },
    async release(key) {
      await change(key, { holder: null, held_until_ms: 0 });
    },
    async remove(principal, id) {
      return (await writeTo(openEngine, (tx) => deleteRows(tx, 'ask_sessions', { id, principal }))) > 0;
    },
  };

  /** Changes the conversation of this question; does nothing if it was forgotten or taken over. */
  async function change(
    { principal, id, holder }: AskSessionKey,
    values: Partial<{ body: string; updated_at_ms: number; holder: null; held_until_ms: number }>,
  ): Promise<void> {
    await writeTo(openEngine, (tx) => updateRows(tx, 'ask_sessions', { id, principal, holder }, values));
  }
}
