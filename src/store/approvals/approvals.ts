import { ToolError } from '../../contract/error.ts';
import type { ApprovalRecord, ApprovalStatus, ApprovalStore, PlannedCall } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import { readUntil } from '../changes.ts';
import type { Clock, Engine, OpenEngine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { countRows, findRow, insertNew, insertRow, matching, selectRows, updateRows } from '../rows.ts';
import type { ApprovalRow } from '../tables/tables.ts';
import { writeText } from '../text-column.ts';
import { given, isOpen, listed, open, recordOf, type Tx, topic } from './record.ts';
import { createStanding } from './standing.ts';

/**
 * Questions to a person. A unique index keeps at most one open per caller, tool and digest, and a single statement
 * takes an approval, so only one of several claimants gets it.
 */
export function createApprovalStore(openEngine: OpenEngine, clock: Clock): ApprovalStore {
  let untilSweep = 0;

  async function get(id: string, nowMs: number): Promise<ApprovalRecord | undefined> {
    const { db } = await openEngine();
    const row = await findRow(db, 'approvals', { id });
    return row && recordOf(row, nowMs);
  }

  return {
    async request(input, nowMs) {
      const engine = await openEngine();
      const row = rowOf(input);
      const sweep = --untilSweep < 0;
      if (sweep) untilSweep = requestsBetweenSweeps;
      const { found, isNew } = await engine.write(async (tx) => {
        if (sweep) await forgetBefore(tx, nowMs - keepMs);
        return ask(tx, row, nowMs);
      });
      if (isNew) engine.changes.tell(topic);
      return recordOf(found, nowMs);
    },

    async decide(id, decision, by, scope, nowMs, { untilMs, instead } = {}) {
      const engine = await openEngine();
      const isYes = decision === 'approved';
      const row = await engine.write((tx) =>
        matching(tx.updateTable('approvals'), { id, status: 'pending', 'expires_at_ms >': nowMs })
          .set((set) => ({
            status: decision,
            decided_by: by,
            // Without a rule for the person to read, an approval must not cover more than this call.
            scope: isYes ? set.case().when('grant_text', 'is', null).then('once').else(scope).end() : null,
            until_ms: isYes && scope === 'until' ? (untilMs ?? nowMs) : null,
            instead: isYes ? null : (instead ?? null),
          }))
          .returningAll()
          .executeTakeFirst(),
      );
      if (row) engine.changes.tell(topic);
      return row && recordOf(row, nowMs);
    },

    async shorten(id, untilMs) {
      const engine = await openEngine();
      const longer = { id, status: 'pending', 'expires_at_ms >': untilMs };
      await engine.write((tx) => updateRows(tx, 'approvals', longer, { expires_at_ms: untilMs }));
      engine.changes.tell(topic);
    },

    async take(call, nowMs) {
      const engine = await openEngine();
      const row = await engine.write((tx) => use(tx, call, nowMs));
      if (row) engine.changes.tell(topic);
      return row && recordOf(row, nowMs);
    },

    ...createStanding(openEngine),

    async keepPlan(calls, nowMs) {
      const engine = await openEngine();
      await engine.write(async (tx) => {
        for (const call of calls) await keepPlanned(tx, call);
        await assertNotTooMany(tx, calls[0]?.principal ?? '', nowMs);
      });
      engine.changes.tell(topic);
    },

    get: (id) => get(id, clock()),

    async list(status, nowMs) {
      const { db } = await openEngine();
      const query = withStatus(db, status, nowMs).orderBy('created_at_ms', 'desc').limit(listed);
      return (await query.execute()).map((row) => recordOf(row, nowMs));
    },

    async wait(id, timeoutMs, signal) {
      const { changes } = await openEngine();
      return readUntil(
        () => get(id, clock()),
        (found) => found?.status !== 'pending',
        { changes, topic, timeoutMs, signal, lookEveryMs },
      );
    },
  };
}

/** Keeps the approval of a planned call, which answers any open question about the same call. */
async function keepPlanned(tx: Tx, call: PlannedCall): Promise<void> {
  const row = { ...rowOf({ ...call, grant: undefined }), status: 'approved', scope: 'once' };
  const same = { principal: row.principal, tool: row.tool, digest: row.digest };
  await updateRows(tx, 'approvals', { ...same, status: open }, { status: 'expired' });
  await insertRow(tx, 'approvals', { ...row, decided_by: call.decidedBy, plan_id: call.planId });
}

/** The caller's open question about exactly this call, or this new one. */
async function ask(tx: Tx, row: ApprovalRow, nowMs: number) {
  const same = { principal: row.principal, tool: row.tool, digest: row.digest, status: open };
  await updateRows(tx, 'approvals', { ...same, 'expires_at_ms <=': nowMs }, { status: 'expired' });
  await insertNew(tx, 'approvals', row);
  const found = await selectRows(tx, 'approvals', same).executeTakeFirstOrThrow();
  const isNew = found.id === row.id;
  if (isNew) await assertNotTooMany(tx, row.principal, nowMs);
  return { found, isNew };
}

/** A single statement, so that only one of several claimants gets it. A plan's approval is for its session. */
function use(
  tx: Tx,
  { principal, tool, digest, sessionId }: Parameters<ApprovalStore['take']>[0],
  nowMs: number,
): Promise<ApprovalRow | undefined> {
  const same = { principal, tool, digest, status: 'approved', 'expires_at_ms >': nowMs };
  return matching(tx.updateTable('approvals').set({ status: 'used' }), same)
    .where((where) => where.or([where('plan_id', 'is', null), where('session_id', '=', sessionId ?? null)]))
    .returningAll()
    .executeTakeFirst();
}

/** A question may have expired before the table says so. */
function withStatus(db: Engine['db'], status: ApprovalStatus | undefined, nowMs: number) {
  if (status === undefined) return selectRows(db, 'approvals');
  if (status !== 'expired')
    return selectRows(db, 'approvals', isOpen(status) ? { status, 'expires_at_ms >': nowMs } : { status });
  return selectRows(db, 'approvals').where((where) =>
    where.or([
      where('status', '=', 'expired'),
      where.and([where('status', 'in', open), where('expires_at_ms', '<=', nowMs)]),
    ]),
  );
}

/** Limits a principal's open questions, which would hide others' in the list. Throwing removes the new row. */
async function assertNotTooMany(tx: Tx, principal: string, nowMs: number): Promise<void> {
  const waiting = await countRows(tx, 'approvals', { principal, status: open, 'expires_at_ms >': nowMs });
  if (waiting <= maxOpen) return;
  throw new ToolError(
    'rate_limited',
    `${maxOpen} calls of this caller are already waiting for a person.`,
    `この呼び出し元では、すでに ${maxOpen} 件の呼び出しが人の回答を待っています。`,
    text(
      'Ask a person to run `sekisho approve` and answer some of them first.',
      '先に `sekisho approve` でいくつかに回答するよう、人に頼んでください。',
    ),
    { retry_after_ms: 60_000 },
  );
}

/** Deletes approvals that expired before this time, except granted standing ones. The log keeps who approved what. */
async function forgetBefore(tx: Tx, beforeMs: number): Promise<void> {
  await tx
    .deleteFrom('approvals')
    .where('expires_at_ms', '<', beforeMs)
    .where((where) =>
      where.or([
        where('scope', 'is', null),
        where('scope', 'not in', ['until', 'folder', 'always']),
        where('status', 'not in', given),
        where.and([where('scope', '=', 'until'), where('until_ms', '<', beforeMs)]),
      ]),
    )
    .execute();
}

function rowOf(input: Parameters<ApprovalStore['request']>[0]): ApprovalRow {
  return {
    id: randomId('apr_', 16),
    principal: input.principal,
    session_id: input.sessionId,
    tool: input.tool,
    digest: input.digest,
    message: writeText(input.message),
    rule: input.rule,
    status: 'pending',
    created_at_ms: input.createdAtMs,
    expires_at_ms: input.expiresAtMs,
    decided_by: null,
    scope: null,
    grant_text: input.grant ?? null,
    folder: input.folder ?? null,
    answer: input.answer ?? null,
    written_at: input.writtenAt ?? null,
    until_ms: null,
    last_used_at_ms: null,
    instead: null,
    plan_id: null,
    about: input.about === undefined ? null : JSON.stringify(input.about),
  };
}

/** For one caller. */
const maxOpen = 200;
const requestsBetweenSweeps = 500;
const keepMs = 30 * 24 * 60 * 60 * 1000;
/** Waiters poll this often, so that a lost wake only delays. */
const lookEveryMs = 3000;
