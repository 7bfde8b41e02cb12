import type { GrantOffer, GrantOffers } from '../contract/people/operator.ts';
import type { StandingGrant } from '../contract/people/story.ts';
import type { ApprovalRecord, AuditLog, AuditRecord } from '../contract/records.ts';
import { scopedGrant } from '../ground/questions/grant-rules.ts';
import { coveredAmong } from '../ground/questions/would-cover.ts';

/** The possible standing approvals of each question, narrowest first, with recent calls that each would answer. */
export async function offersFor(
  records: readonly ApprovalRecord[],
  audit: () => Promise<AuditLog>,
  nowMs: number,
): Promise<GrantOffers> {
  const open = records.filter(({ grant }) => grant !== undefined);
  if (open.length === 0) return new Map();
  const entries = await (await audit()).search({ limit: newestCalls, newestFirst: true });
  return new Map(open.map((record) => [record.id, offersTo(record, entries, nowMs)]));
}

function offersTo(
  record: ApprovalRecord,
  entries: readonly AuditRecord[],
  nowMs: number,
): readonly GrantOffer[] {
  const { grant = '', folder, principal, sessionId, tool } = record;
  const inFolder = folder === undefined ? [] : (['folder'] as const);
  return (['session', 'until', ...inFolder, 'always'] as const).map((scope) => {
    const untilMs = scope === 'until' ? nowMs + hourMs : undefined;
    const yes = { grant, folder, principal, sessionId, tool, scope };
    return { scope, untilMs, rule: scopedGrant(record, scope, untilMs), covered: coveredAmong(entries, yes) };
  });
}

/** Active standing approvals, with their end and whether they are in use. */
export function standingGrants(records: readonly ApprovalRecord[], nowMs: number): readonly StandingGrant[] {
  return records.map((record) => {
    const { scope, untilMs, expiresAtMs, lastUsedAtMs, createdAtMs } = record;
    const endsAtMs = scope === 'until' ? untilMs : scope === 'session' ? expiresAtMs : undefined;
    const rule = scope === undefined || scope === 'once' ? '' : scopedGrant(record, scope, untilMs);
    return { record, rule, endsAtMs, isUnused: (lastUsedAtMs ?? createdAtMs) < nowMs - unusedMs };
  });
}

const newestCalls = 1000;
const hourMs = 3_600_000;
/** Approvals unused for two weeks are suggested for removal. */
const unusedMs = 14 * 24 * hourMs;
