import type { NodeState, NodeStore, NodeView } from '../contract/nodes.ts';
import type { OpenEngine } from './engine.ts';
import { deleteRows, putRow } from './rows.ts';
import type { NodeRow } from './tables/tables.ts';

export const nodeBeatMs = 5000;
/** A node is lost after this long without a heartbeat. */
export const nodeLostMs = 4 * nodeBeatMs;

/** The servers that use this store. Times are the store's, so that a node with a wrong clock is seen like any other. */
export function createNodeStore(openEngine: OpenEngine): NodeStore {
  return {
    async beat(node) {
      const engine = await openEngine();
      const row = { ...rowOf(node), seen_at_ms: engine.clockMs };
      await engine.write(
        async (tx) => {
          await tx
            .deleteFrom('nodes')
            .where(({ eb }) => eb('seen_at_ms', '<', eb(engine.clockMs, '-', keptMs)))
            .execute();
          await putRow(tx, 'nodes', ['id'], row);
        },
        { durable: false },
      );
    },
    async leave(id) {
      const engine = await openEngine();
      await engine.write((tx) => deleteRows(tx, 'nodes', { id }), { durable: false });
    },
    async list() {
      const { db, clockMs } = await openEngine();
      const rows = await db
        .selectFrom('nodes')
        .selectAll()
        .select(clockMs.as('now_ms'))
        .where(({ eb }) => eb('seen_at_ms', '>=', eb(clockMs, '-', keptMs)))
        .orderBy('started_at_ms')
        .orderBy('id')
        .limit(listed)
        .execute();
      return rows.map(viewOf);
    },
  };
}

function rowOf({ startedAtMs, isDraining, load, residentBytes, roots, ...node }: NodeState) {
  return {
    ...node,
    started_at_ms: Math.trunc(startedAtMs),
    is_draining: isDraining ? 1 : 0,
    load_percent: Math.round(load * 100),
    resident_bytes: residentBytes,
    roots: JSON.stringify(roots),
    clock_ms: Date.now(),
  };
}

function viewOf(row: NodeRow & { readonly now_ms: number }): NodeView {
  const { started_at_ms, is_draining, load_percent, resident_bytes, roots, ...rest } = row;
  const { clock_ms, seen_at_ms, now_ms, ...node } = rest;
  const seenAgoMs = Math.max(0, Number(now_ms) - seen_at_ms);
  const isDraining = is_draining === 1;
  return {
    ...node,
    startedAtMs: started_at_ms,
    isDraining,
    load: load_percent / 100,
    residentBytes: resident_bytes,
    roots: JSON.parse(roots ?? '[]') as string[],
    state: seenAgoMs > nodeLostMs ? 'lost' : isDraining ? 'draining' : 'serving',
    seenAgoMs,
    clockAheadMs: clock_ms - seen_at_ms,
  };
}

const keptMs = 60 * 60 * 1000;
const listed = 1000;
