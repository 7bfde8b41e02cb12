import type { Insertable, Transaction } from 'kysely';
import type {
  FileState,
  HistoryAction,
  HistoryEntry,
  HistoryStore,
  NewHistoryEntry,
  SharedContents,
} from '../../contract/capabilities/history.ts';
import type { OpenEngine } from '../engine.ts';
import { createNodeStore } from '../nodes.ts';
import { findRow, updateRows } from '../rows.ts';
import type { HistoryRow, Tables } from '../tables/tables.ts';
import { createSharedContents } from './contents.ts';

/**
 * Changes of files. Former contents are in a folder of the machine and, if named, in a bucket; otherwise in the
 * database if several machines share it.
 */
export function createHistoryStore(
  openEngine: OpenEngine,
  { isShared, bucket }: { readonly isShared: boolean; readonly bucket?: SharedContents | undefined },
): HistoryStore {
  return {
    contents: bucket ?? (isShared ? createSharedContents(openEngine) : undefined),
    servedBy: isShared ? (root) => servers(openEngine, root) : undefined,

    async add(entries) {
      if (entries.length === 0) return;
      const engine = await openEngine();
      await engine.write(async (tx) => {
        for (let at = 0; at < entries.length; at += rowsTogether) {
          const rows = entries.slice(at, at + rowsTogether).map(rowOf);
          await engine.insertMany(tx, 'history', rows, { unlessThere: true });
        }
        for (const entry of entries)
          if (entry.undoes !== undefined) await markUndone(tx, entry.undoes, entry.id);
      });
    },

    async get(id) {
      const { db } = await openEngine();
      const row = await findRow(db, 'history', { id });
      return row && entryOf(row);
    },

    async list({ at, sessionId, auditId, sinceMs, beforeSeq, standing, limit }) {
      const { db } = await openEngine();
      let query = db.selectFrom('history').selectAll();
      if (at) {
        query = query.where('root', '=', at.root);
        const below = `${at.path}/`;
        if (at.path !== '') {
          query = query.where((is) =>
            is.or([
              is('path', '=', at.path),
              is(is.fn<string>('substr', ['path', is.val(1), is.val([...below].length)]), '=', below),
            ]),
          );
        }
      }
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
      if (auditId !== undefined) query = query.where('audit_id', '=', auditId);
      if (sinceMs !== undefined) query = query.where('at_ms', '>=', sinceMs);
      if (beforeSeq !== undefined) query = query.where('seq', '<', beforeSeq);
      if (standing) query = query.where('undone_by', 'is', null);
      return (await query.orderBy('seq', 'desc').limit(limit).execute()).map(entryOf);
    },

    async digests(beforeSeq, limit) {
      const { db } = await openEngine();
      let query = db.selectFrom('history').select(['seq', 'digest']);
      if (beforeSeq !== undefined) query = query.where('seq', '<', beforeSeq);
      const rows = await query.orderBy('seq', 'desc').limit(limit).execute();
      return rows.map(({ seq, digest }) => ({ seq, digest: digest ?? undefined }));
    },

    async forget({ upToSeq, beforeMs }) {
      if (upToSeq === undefined && beforeMs === undefined) return 0;
      const engine = await openEngine();
      const done = await engine.write((tx) => {
        let query = tx.deleteFrom('history');
        if (upToSeq !== undefined) query = query.where('seq', '<=', upToSeq);
        if (beforeMs !== undefined) query = query.where('at_ms', '<', beforeMs);
        return query.executeTakeFirst();
      });
      return Number(done.numDeletedRows);
    },
  };
}

/** The live servers that serve a root. */
async function servers(openEngine: OpenEngine, root: string): Promise<readonly string[]> {
  const nodes = await createNodeStore(openEngine).list();
  return nodes
    .filter(({ state, roots }) => state !== 'lost' && roots.includes(root))
    .map(({ host, address }) => `${host} (${address})`);
}

/** Marks an entry as undone; the entry that it had undone is in effect again, and so on. */
async function markUndone(tx: Transaction<Tables>, id: string, by: string): Promise<void> {
  let undone: string | undefined = id;
  let undoneBy: string | null = by;
  while (undone !== undefined) {
    await updateRows(tx, 'history', { id: undone }, { undone_by: undoneBy });
    const row: { undoes: string | null } | undefined = await findRow(tx, 'history', { id: undone });
    undoneBy = undoneBy === null ? undone : null;
    undone = row?.undoes ?? undefined;
  }
}

function rowOf(entry: NewHistoryEntry): Insertable<Tables['history']> {
  return {
    id: entry.id,
    seq: entry.seq,
    at_ms: entry.atMs,
    principal: entry.principal,
    session_id: entry.sessionId,
    tool: entry.tool,
    audit_id: entry.auditId,
    root: entry.root,
    path: entry.path,
    action: entry.action,
    before_state: JSON.stringify(entry.before),
    after_state: JSON.stringify(entry.after),
    digest: contentOf(entry.before) ?? null,
    undoes: entry.undoes ?? null,
    undone_by: null,
  };
}

function contentOf(state: FileState): string | undefined {
  return state.kind === 'file' ? (state.tail?.digest ?? state.digest) : undefined;
}

function entryOf(row: HistoryRow): HistoryEntry {
  return {
    id: row.id,
    seq: row.seq,
    atMs: row.at_ms,
    principal: row.principal,
    sessionId: row.session_id,
    tool: row.tool,
    auditId: row.audit_id,
    root: row.root,
    path: row.path,
    action: row.action as HistoryAction,
    before: JSON.parse(row.before_state) as FileState,
    after: JSON.parse(row.after_state) as FileState,
    undoes: row.undoes ?? undefined,
    undoneBy: row.undone_by ?? undefined,
  };
}

/** Statements are limited in the number of values. */
const rowsTogether = 200;
