import { openCheckpoint } from '../checkpoint/open.ts';
import { type Flags, loadSettings } from '../config/load.ts';
import { cleanLine } from '../contract/clean-text.ts';
import type { ApprovalRecord, ApprovalStore, AuditLog } from '../contract/records.ts';
import { personHere, recordAct } from './record-act.ts';
import { say } from './say.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists what calls are waiting for, or answers one of them. */
export function approve(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withApprovals(flags, async ({ approvals, audit }) => {
    if (id === undefined) return list(approvals, options);
    const record = await approvals.get(id);
    if (!record) {
      say(`There is no question ${id}. \`sekisho approve\` lists them.`);
      return 1;
    }
    if (options.show) {
      say(options.json ? JSON.stringify(record) : describe(record));
      return 0;
    }
    return answer(record, { approvals, audit }, options);
  });
}

/** Lists what was allowed for a session or for always, and still stands. */
export function listGrants(flags: Flags, options: Options): Promise<number> {
  return withApprovals(flags, async ({ approvals }) => {
    const grants = await approvals.grants(Date.now());
    if (options.json) say(JSON.stringify(grants));
    else if (grants.length === 0) say('Nothing is allowed beyond single calls.');
    else for (const record of grants) say(describeGrant(record));
    return 0;
  });
}

/** Takes a standing yes back; the next call like it is asked about again. */
export function revokeGrant(id: string, flags: Flags): Promise<number> {
  return withApprovals(flags, async ({ approvals, audit }) => {
    const revoked = await approvals.revoke(id, Date.now());
    await recordAct(audit, { tool: 'sekisho approve revoke', arguments: { id }, done: revoked });
    say(
      revoked
        ? `${id} is taken back.`
        : `Nothing stands under ${id}. \`sekisho approve grants\` lists what does.`,
    );
    return revoked ? 0 : 1;
  });
}

interface Records {
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
}

async function withApprovals(flags: Flags, work: (records: Records) => Promise<number>): Promise<number> {
  const checkpoint = await openCheckpoint(loadSettings(flags));
  try {
    return await work(await checkpoint.store());
  } finally {
    await checkpoint.close();
  }
}

async function list(approvals: ApprovalStore, options: Options): Promise<number> {
  const pending = await approvals.list('pending', Date.now());
  if (options.json) say(JSON.stringify(pending));
  else if (pending.length === 0) say('Nothing is waiting.');
  else for (const record of pending) say(`${describe(record)}\n`);
  return 0;
}

async function answer(
  record: ApprovalRecord,
  { approvals, audit }: Records,
  options: Options,
): Promise<number> {
  const scope = options.always ? 'always' : options.session ? 'session' : 'once';
  const decision = options.deny ? 'declined' : 'approved';
  const decided = await approvals.decide(record.id, decision, personHere(), scope, Date.now());
  await recordAct(audit, {
    tool: 'sekisho approve',
    arguments: { id: record.id, decision, scope },
    done: decided !== undefined,
    ...(!decided && { code: 'conflict' }),
  });
  if (!decided) {
    say(
      `${record.id} cannot be answered any more: it is ${record.status === 'pending' ? 'expired' : record.status}.`,
    );
    return 1;
  }
  if (options.json) say(JSON.stringify(decided));
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
