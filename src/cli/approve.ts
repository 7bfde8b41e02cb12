import type { Flags } from '../config/load.ts';
import { cleanLine } from '../contract/clean-text.ts';
import type { Acts } from '../contract/operator.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { say } from './say.ts';
import { idsOf, wholeApprovalId, wholeId } from './whole-id.ts';
import { withOperator } from './with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists what calls are waiting for, or answers one of them. */
export function approve(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const { approvals } = await checkpoint.store();
    if (id === undefined) return list(approvals, options);
    const record = await approvals.get(await wholeApprovalId(id, approvals));
    if (!record) {
      say(`There is no question ${id}. \`sekisho approve\` lists them.`);
      return 1;
    }
    if (options.show) {
      say(options.json ? JSON.stringify(record) : describe(record));
      return 0;
    }
    return answer(record, acts, options);
  });
}

/** Lists what was allowed for a session or for always, and still stands. */
export function listGrants(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const grants = await (await checkpoint.store()).approvals.grants(Date.now());
    if (options.json) say(JSON.stringify(grants));
    else if (grants.length === 0) say('Nothing is allowed beyond single calls.');
    else for (const record of grants) say(describeGrant(record));
    return 0;
  });
}

/** Takes a standing yes back; the next call like it is asked about again. */
export function revokeGrant(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const whole = wholeId(id, idsOf(await (await checkpoint.store()).approvals.grants(Date.now())));
    const revoked = await acts.revokeGrant(whole);
    say(
      revoked
        ? `${whole} is taken back.`
        : `Nothing stands under ${id}. \`sekisho approve grants\` lists what does.`,
    );
    return revoked ? 0 : 1;
  });
}

async function list(approvals: ApprovalStore, options: Options): Promise<number> {
  const pending = await approvals.list('pending', Date.now());
  if (options.json) say(JSON.stringify(pending));
  else if (pending.length === 0) say('Nothing is waiting.');
  else for (const record of pending) say(`${describe(record)}\n`);
  return 0;
}

async function answer(record: ApprovalRecord, acts: Acts, options: Options): Promise<number> {
  const scope = options.always ? 'always' : options.session ? 'session' : 'once';
  const decision = options.deny ? 'declined' : 'approved';
  const answered = await acts.answer(record.id, { decision, scope });
  if (answered.outcome !== 'answered') {
    say(
      `${record.id} cannot be answered any more: it is ${record.status === 'pending' ? 'expired' : record.status}.`,
    );
    return 1;
  }
  if (options.json) say(JSON.stringify(answered.record));
  else say(`${record.id}: ${decision}${decision === 'approved' ? ` (${scope})` : ''}.`);
  return 0;
}

function describe(record: ApprovalRecord): string {
  const since = new Date(record.createdAtMs).toISOString();
  return `${record.id}  ${record.status}  since ${since}\n${record.message.replace(/^/gm, '  ')}`;
}

function describeGrant(record: ApprovalRecord): string {
  const since = new Date(record.createdAtMs).toISOString();
  const whose = `${record.principal} ${record.scope}${record.scope === 'session' ? ` ${record.sessionId}` : ''}`;
  return `${record.id}  since ${since}  ${cleanLine(whose)}  by ${cleanLine(record.decidedBy ?? '')}\n  ${cleanLine(record.grant ?? '')}`;
}
