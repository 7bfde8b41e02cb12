import type { NodeState, NodeStore, NodeView } from '../contract/nodes.ts';
import type { OpenEngine } from './engine.ts';
import { deleteRows } from './rows.ts';
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
          await tx
            .insertInto('nodes')
            .values(row)
            .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
            .execute();
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
      return rows.map((row) => viewOf(row, Number(row.now_ms)));
    },
  };
}

function rowOf(node: NodeState): Omit<NodeRow, 'seen_at_ms'> {
  return {
    id: node.id,
    host: node.host,
    address: node.address,
    version: node.version,
    pid: node.pid,
    started_at_ms: Math.trunc(node.startedAtMs),
    is_draining: node.isDraining ? 1 : 0,
    calls: node.calls,
    load_percent: Math.round(node.load * 100),
    resident_bytes: node.residentBytes,
    roots: JSON.stringify(node.roots),
    clock_ms: Date.now(),
  };
}

function viewOf(row: NodeRow, nowMs: number): NodeView {
  const seenAgoMs = Math.max(0, nowMs - row.seen_at_ms);
  const isDraining = row.is_draining === 1;
  return {
    id: row.id,
    host: row.host,
    address: row.address,
    version: row.version,
    pid: row.pid,
    startedAtMs: row.started_at_ms,
    isDraining,
    calls: row.calls,
    load: row.load_percent / 100,
    residentBytes: row.resident_bytes,
    roots: JSON.parse(row.roots ?? '[]') as string[],
    state: seenAgoMs > nodeLostMs ? 'lost' : isDraining ? 'draining' : 'serving',
    seenAgoMs,
    clockAheadMs: row.clock_ms - row.seen_at_ms,
  };
}

const keptMs = 60 * 60 * 1000;
const listed = 1000;
