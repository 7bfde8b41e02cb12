import { type Insertable, sql, type Transaction } from 'kysely';
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
import { deleteRows, findRow, given, insertNew, listRows, selectRows, updateRows, writeTo } from '../rows.ts';
import type { HistoryRow, Tables } from '../tables/tables.ts';

/** Changes of files. Former contents are in a folder, and in a bucket or, for several machines, in the database. */
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
      const wanted = {
        root: at?.root,
        session_id: sessionId,
        audit_id: auditId,
        'at_ms >=': sinceMs,
        'seq <': beforeSeq,
        undone_by: standing ? null : undefined,
      };
      let query = selectRows(db, 'history', given(wanted));
      if (at && at.path !== '') {
        const below = `${at.path}/`;
        query = query.where((is) =>
          is.or([
            is('path', '=', at.path),
            is(is.fn<string>('substr', ['path', is.val(1), is.val([...below].length)]), '=', below),
          ]),
        );
      }
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
      const old = given({ 'seq <=': upToSeq, 'at_ms <': beforeMs });
      return writeTo(openEngine, (tx) => deleteRows(tx, 'history', old));
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

/** Contents as rows of a mebibyte, so that neither side holds a large one as one value. */
function createSharedContents(openEngine: OpenEngine): SharedContents {
  return {
    async put(digest, parts) {
      const engine = await openEngine();
      // Most contents are new: a read takes no lock. Another server may be about to remove an old one as unused.
      const first = { digest, part: 0 };
      const isThere =
        (await findRow(engine.db, 'history_contents', first)) &&
        (await engine.write((tx) => updateRows(tx, 'history_contents', first, { at_ms: engine.clockMs }))) >
          0;
      if (isThere) return;
      // In one transaction: a content is stored whole or not at all. It is not retried after a conflict, as its parts
      // can be read only once; concurrent writers of the same content do not conflict.
      const pieces = inPieces(parts);
      let isRead = false;
      await engine.write(async (tx) => {
        if (isRead) throw new Error('A content is sent once.');
        isRead = true;
        let part = 0;
        for await (const bytes of pieces) {
          await insertNew(tx, 'history_contents', { digest, part, bytes, at_ms: engine.clockMs });
          part += 1;
        }
      });
    },
    async read(digest) {
      const { db } = await openEngine();
      const rows = await listRows(db, 'history_contents', { digest }, { by: 'part' });
      return rows.length === 0 ? undefined : Buffer.concat(rows.map(({ bytes }) => bytes));
    },
    async all() {
      const { db } = await openEngine();
      const { rows } = await sql<{ digest: string; bytes: number; modifiedMs: number }>`
        select digest, sum(length(bytes))::bigint as bytes, max(at_ms) as "modifiedMs"
        from history_contents group by digest`.execute(db);
      return rows;
    },
    async remove(digests, beforeMs) {
      const engine = await openEngine();
      for (let at = 0; at < digests.length; at += together)
        await engine.write((tx) =>
          tx
            .deleteFrom('history_contents')
            .where('digest', 'in', (those) =>
              those
                .selectFrom('history_contents')
                .select('digest')
                .where('digest', 'in', digests.slice(at, at + together))
                .where('part', '=', 0)
                .where('at_ms', '<=', beforeMs),
            )
            .execute(),
        );
    },
  };
}

/** An empty content is one empty piece; no rows would mean that it does not exist. */
async function* inPieces(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += pieceBytes) {
      isEmpty = false;
      yield Buffer.from(part.subarray(at, at + pieceBytes));
    }
  }
  if (isEmpty) yield Buffer.alloc(0);
}

const pieceBytes = 1024 * 1024;
const together = 200;
