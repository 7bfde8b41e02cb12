import type { EndedSessions } from '../../contract/nodes.ts';
import type { OpenEngine } from '../engine.ts';

/** Entries are kept as long as a client could return to a session. */
export function createEndedSessions(openEngine: OpenEngine): EndedSessions {
  return {
    async add(id) {
      const { write, clockMs } = await openEngine();
      await write((tx) =>
        tx
          .insertInto('ended_sessions')
          .values({ id, at_ms: clockMs })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      await write((tx) =>
        tx
          .deleteFrom('ended_sessions')
          .where(({ eb }) => eb('at_ms', '<', eb(clockMs, '-', keptMs)))
          .execute(),
      );
    },
    async among(ids) {
      if (ids.length === 0) return new Set();
      const { db } = await openEngine();
      const rows = await db
        .selectFrom('ended_sessions')
        .select('id')
        .where('id', 'in', [...ids])
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

const keptMs = 25 * 60 * 60 * 1000;
