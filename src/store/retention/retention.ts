import type { Transaction } from 'kysely';
import { ToolError } from '../../contract/error.ts';
import type { AuditLog } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import { chainHash } from '../audit/chain.ts';
import type { AuditKey } from '../audit/key.ts';
import { readStart, sealStart } from '../audit/start.ts';
import type { Engine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { deleteRows, insertNew, listRows, updateRows } from '../rows.ts';
import type { Tables } from '../tables/tables.ts';

/** How long to keep what grows with every call. Undefined: forever. */
export interface RetentionRule {
  readonly auditMs?: number | undefined;
  readonly eventsMs?: number | undefined;
}

export interface Forgotten {
  readonly records: number;
  readonly events: number;
}

/** Removes what is older than the rule allows, and records that if anything was removed. */
export async function forgetOld(
  engine: Engine,
  audit: AuditLog,
  key: AuditKey,
  { auditMs, eventsMs }: RetentionRule,
): Promise<Forgotten> {
  const nowMs = engine.now();
  const events = eventsMs === undefined ? 0 : await forgetEvents(engine, nowMs - eventsMs);
  // Waiting records are written first, so that the chain is complete before it is cut.
  await audit.flush();
  const records = auditMs === undefined ? 0 : await forgetRecords(engine, key, nowMs - auditMs);
  if (records + events > 0) {
    await audit.write({
      id: randomId('ret_', 16),
      atMs: nowMs,
      principal: 'server',
      sessionId: '',
      transport: 'cli',
      tool: 'retention',
      arguments: { auditMs, eventsMs },
      stop: 'run',
      outcome: 'ok',
      durationMs: 0,
      inputBytes: 0,
      outputBytes: 0,
      facts: { records, events },
    });
  }
  return { records, events };
}

/** Events of ended tasks. The newest of a project stays: sessions remember their reading position by it. */
async function forgetEvents(engine: Engine, beforeMs: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const gone = await engine.write(async (tx) => {
      const old = await tx
        .selectFrom('task_events as e')
        .innerJoin('tasks as t', 't.id', 'e.task_id')
        .select('e.seq')
        .where('e.at_ms', '<', beforeMs)
        .where('t.status', 'in', ['done', 'cancelled'])
        .where(({ eb, selectFrom }) =>
          eb(
            'e.seq',
            '<',
            selectFrom('task_events as n')
              .select((of) => of.fn.max('n.seq').as('seq'))
              .whereRef('n.project_id', '=', 'e.project_id'),
          ),
        )
        .orderBy('e.at_ms')
        .limit(pageRows)
        .execute();
      if (old.length > 0)
        await tx
          .deleteFrom('task_events')
          .where('seq', 'in', engine.anyOf(old.map(({ seq }) => seq)))
          .execute();
      return old.length;
    });
    forgotten += gone;
    if (gone < pageRows) return forgotten;
  }
}

const pageRows = 1000;

/**
 * Removes the records at the start of the chain that are older than this, and seals the new start. Each is checked
 * first: tampered ones stay, for `verify` to report. Returns how many were removed.
 */
async function forgetRecords(engine: Engine, key: AuditKey, beforeMs: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const { gone, isOver } = await engine.write((tx) => forgetPage(engine, tx, key, beforeMs));
    forgotten += gone;
    if (isOver) return forgotten;
  }
}

async function forgetPage(engine: Engine, tx: Transaction<Tables>, key: AuditKey, beforeMs: number) {
  const { secret } = key;
  // Servers take turns by this row; calls may wait for the lock of the head, so that is not used.
  await insertNew(tx, 'audit_start', sealStart(secret, await known(tx, key)));
  await engine.lock(tx.selectFrom('audit_start').select('id').where('id', '=', 1)).execute();
  let start = await known(tx, key);
  const first = start.seq;
  const rows = await listRows(tx, 'audit', { 'seq >': first }, { by: 'seq', limit: pageRows });
  // Clocks of servers differ: the first recent record ends it, whatever follows.
  const young = rows.findIndex(({ at_ms }) => at_ms >= beforeMs);
  const old = young === -1 ? rows : rows.slice(0, young);
  for (const row of old) {
    if (row.seq !== start.seq + 1 || chainHash(secret, start.hash, row.seq, row) !== row.hash)
      throw brokenAt(row.seq);
    start = { seq: row.seq, hash: row.hash };
  }
  if (old.length > 0) {
    await deleteRows(tx, 'audit', { 'seq <=': start.seq });
    await updateRows(tx, 'audit_start', { id: 1 }, sealStart(secret, start));
  }
  return { gone: start.seq - first, isOver: old.length < pageRows };
}

async function known(tx: Transaction<Tables>, key: AuditKey) {
  const start = await readStart(tx, key.secret);
  if (start === 'broken') throw brokenAt(0);
  return start;
}

function brokenAt(seq: number): ToolError {
  return new ToolError(
    'unavailable',
    `The audit log does not verify at entry ${seq}, so no records were removed.`,
    `監査ログの記録 ${seq} の検証に失敗したため、古い記録を削除しませんでした。`,
    text(
      'The operator should run `sekisho audit verify`.',
      '運用者は `sekisho audit verify` を実行してください。',
    ),
  );
}
