import type { GrantOffer, GrantOffers } from '../contract/operator.ts';
import type { ApprovalRecord, AuditLog, AuditRecord } from '../contract/records.ts';
import type { StandingGrant } from '../contract/story.ts';
import { scopedGrant } from '../ground/questions/grant-rules.ts';
import { coveredAmong } from '../ground/questions/would-cover.ts';

/** How far a yes to each may reach, the narrowest first, with what it would have let pass among the newest calls. */
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
    const yes = { ...{ grant, folder, principal, sessionId, tool }, scope };
    return { scope, untilMs, rule: scopedGrant(record, scope, untilMs), covered: coveredAmong(entries, yes) };
  });
}

/** What stands, with when it ends and whether anything has needed it. */
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
/** What nobody has needed in two weeks is offered for removal. */
const unusedMs = 14 * 24 * hourMs;
