import { setImmediate as immediate } from 'node:timers/promises';
import type { AuditEntry, AuditQuery, AuditRecord } from '../../contract/records.ts';
import type { Engine } from '../engine.ts';
import type { AuditRow } from '../tables/tables.ts';

/**
 * Entries that match every given part of the query; `afterSeq` is the cursor of a reader that follows. Searches the log
 * in sections, so that a long search never blocks other calls.
 */
export async function searchAudit(engine: Engine, query: AuditQuery): Promise<readonly AuditEntry[]> {
  const head = await engine.db.selectFrom('audit_head').select('seq').where('id', '=', 1).executeTakeFirst();
  const first = Math.max(query.afterSeq ?? 0, 0) + 1;
  const last = Math.min(head?.seq ?? 0, (query.beforeSeq ?? Infinity) - 1);
  const found: AuditEntry[] = [];
  for (let done = 0; first + done <= last && found.length < query.limit; done += stretchRows) {
    if (done > 0) await immediate();
    const [from, to] = query.newestFirst
      ? [Math.max(first, last - done - stretchRows + 1), last - done]
      : [first + done, Math.min(last, first + done + stretchRows - 1)];
    const rows = await searchStretch(engine, query, from, to, query.limit - found.length);
    found.push(...rows.map(entryOf).filter((entry) => isOf(entry, query)));
  }
  return found.slice(0, query.limit);
}

async function searchStretch(
  { db, positionFunction }: Engine,
  query: AuditQuery,
  from: number,
  to: number,
  limit: number,
): Promise<readonly AuditRow[]> {
  let rows = db
    .selectFrom('audit')
    .selectAll()
    .where('seq', '>=', from)
    .where('seq', '<=', to)
    .orderBy('seq', query.newestFirst ? 'desc' : 'asc')
    // Rows of other sessions may be among these, so a limit could cut off the ones that count.
    .limit(query.sessionId === undefined ? limit : stretchRows);
  if (query.tool !== undefined) rows = rows.where('tool', '=', query.tool);
  if (query.principal !== undefined) rows = rows.where('principal', '=', query.principal);
  if (query.outcome !== undefined) rows = rows.where('outcome', '=', query.outcome);
  if (query.sinceMs !== undefined) rows = rows.where('at_ms', '>=', query.sinceMs);
  if (query.untilMs !== undefined) rows = rows.where('at_ms', '<=', query.untilMs);
  if (query.sessionId !== undefined) {
    const words = `"sessionId":${JSON.stringify(query.sessionId)}`;
    rows = rows.where((where) =>
      where(where.fn<number>(positionFunction, ['body', where.val(words)]), '>', 0),
    );
  }
  if (query.text !== undefined) {
    // The body is JSON, so search for the JSON encoding of the text.
    const words = JSON.stringify(query.text).slice(1, -1).toLowerCase();
    rows = rows.where((where) =>
      where(where.fn<number>(positionFunction, [where.fn('lower', ['body']), where.val(words)]), '>', 0),
    );
  }
  return rows.execute();
}

/** A caller's arguments may have a key of that name, too. */
function isOf(entry: AuditEntry, { sessionId }: AuditQuery): boolean {
  return sessionId === undefined || entry.sessionId === sessionId;
}

function entryOf(row: AuditRow): AuditEntry {
  return { ...(JSON.parse(row.body) as AuditRecord), seq: row.seq, hash: row.hash };
}

const stretchRows = 5000;
