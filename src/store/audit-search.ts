import type { AuditEntry, AuditQuery, AuditRecord } from '../contract/records.ts';
import type { Engine } from './engine.ts';
import type { AuditRow } from './tables.ts';

/** Entries that fit every given part of the query; `afterSeq` is the cursor of a reader that follows. */
export async function searchAudit(
  { db, positionFunction }: Engine,
  query: AuditQuery,
): Promise<readonly AuditEntry[]> {
  let rows = db
    .selectFrom('audit')
    .selectAll()
    .orderBy('seq', query.newestFirst ? 'desc' : 'asc')
    .limit(query.limit);
  if (query.tool !== undefined) rows = rows.where('tool', '=', query.tool);
  if (query.principal !== undefined) rows = rows.where('principal', '=', query.principal);
  if (query.outcome !== undefined) rows = rows.where('outcome', '=', query.outcome);
  if (query.sinceMs !== undefined) rows = rows.where('at_ms', '>=', query.sinceMs);
  if (query.untilMs !== undefined) rows = rows.where('at_ms', '<=', query.untilMs);
  if (query.afterSeq !== undefined) rows = rows.where('seq', '>', query.afterSeq);
  if (query.text !== undefined) {
    // The body is JSON: look for the words as JSON writes them.
    const words = JSON.stringify(query.text).slice(1, -1).toLowerCase();
    rows = rows.where((where) =>
      where(where.fn<number>(positionFunction, [where.fn('lower', ['body']), where.val(words)]), '>', 0),
    );
  }
  return (await rows.execute()).map(entryOf);
}

function entryOf(row: AuditRow): AuditEntry {
  return { ...(JSON.parse(row.body) as AuditRecord), seq: row.seq, hash: row.hash };
}
