import type { ApprovalRecord, ApprovalStatus } from '../../contract/records.ts';
import type { OpenEngine } from '../engine.ts';
import type { ApprovalRow } from '../tables/tables.ts';
import { readText } from '../text-column.ts';

/** A question as others read it. It may have expired before the table says so. */
export function recordOf(row: ApprovalRow, nowMs: number): ApprovalRecord {
  const late = isOpen(row.status) && row.expires_at_ms <= nowMs;
  return {
    id: row.id,
    principal: row.principal,
    sessionId: row.session_id,
    tool: row.tool,
    digest: row.digest,
    message: readText(row.message),
    about: row.about === null ? undefined : (JSON.parse(row.about) as ApprovalRecord['about']),
    rule: row.rule,
    status: late ? 'expired' : (row.status as ApprovalStatus),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    decidedBy: row.decided_by ?? undefined,
    scope: (row.scope as ApprovalRecord['scope'] | null) ?? undefined,
    grant: row.grant_text ?? undefined,
    folder: row.folder ?? undefined,
    answer: (row.answer as 'person' | null) ?? undefined,
    writtenAt: row.written_at ?? undefined,
    untilMs: row.until_ms ?? undefined,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
    instead: row.instead ?? undefined,
    planId: row.plan_id ?? undefined,
  };
}

export function isOpen(status: string): boolean {
  return open.some((each) => each === status);
}

/** Waiting for an answer, or for the call that was approved. */
export const open = ['pending', 'approved'];
/** Approved; a standing approval outlives the question that it came from. */
export const given = ['approved', 'used', 'expired'];
export const standingScopes = ['session', 'until', 'folder', 'always'];
/** The topic of changes. */
export const topic = 'approvals';
/** Lists are for people; the newest are enough. */
export const listed = 1000;

export type Tx = Parameters<Parameters<Awaited<ReturnType<OpenEngine>>['write']>[0]>[0];
