import { join } from 'node:path';
import { type Flags, loadSettings } from '../config/load.ts';
import { homeOf, stateFoldersOf } from '../config/state.ts';
import type { Acts, Answered } from '../contract/operator.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { say } from './common/say.ts';
import { idsOf, isWholeApprovalId, wholeApprovalId, wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists what calls are waiting for, or answers one of them. */
export async function approve(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  for (const place of placesOf(id, flags)) {
    const code = await withOperator(place, async ({ acts, checkpoint }) => {
      const { approvals } = await checkpoint.store();
      const { waitMs } = checkpoint.settings.approval;
      if (id === undefined) return list(approvals, waitMs, options);
      const record = await approvals.get(await wholeApprovalId(id, approvals));
      if (!record) return undefined;
      if (!options.show) return answer(record, acts, options);
      say(options.json ? JSON.stringify(record) : describe(record, waitMs));
      return 0;
    });
    if (code !== undefined) return code;
  }
  say(`There is no question ${id}. \`sekisho approve\` lists them.`);
  return 1;
}

/**
 * A question is answered from any folder: where it is not among this one's, the others are looked through. There only
 * for a whole id, since the beginning of one could be that of a question nobody thought of.
 */
function placesOf(id: string | undefined, flags: Flags): readonly Flags[] {
  if (!id || !isWholeApprovalId(id) || flags.state !== undefined) return [flags];
  const { stateFolder, storeUrl } = loadSettings(flags);
  if (storeUrl !== `sqlite:${join(stateFolder, 'sekisho.db')}`) return [flags];
  const folders = stateFoldersOf(process.env, homeOf(process.env));
  const others = folders.filter((state) => state !== stateFolder);
  return [flags, ...others.map((state) => ({ ...flags, state }))];
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

async function list(approvals: ApprovalStore, waitMs: number, options: Options): Promise<number> {
  const pending = await approvals.list('pending', Date.now());
  if (options.json) say(JSON.stringify(pending));
  else if (pending.length === 0) say('Nothing is waiting.');
  else for (const record of pending) say(`${describe(record, waitMs)}\n`);
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
  else if (decision === 'declined') say(`${record.id}: declined.`);
  else say(`${record.id}: approved (${scope}). ${whatFollows(answered)}`);
  return 0;
}

function whatFollows({ isTaken, record }: Extract<Answered, { readonly outcome: 'answered' }>): string {
  if (isTaken) return 'The call that waited goes on.';
  const until = new Date(record.expiresAtMs).toISOString();
  return `Nobody waits for it any more: it is allowed for when the same call is sent again, until ${until}.`;
}

function describe(record: ApprovalRecord, waitMs: number): string {
  const since = new Date(record.createdAtMs).toISOString();
  const leftMs = record.createdAtMs + waitMs - Date.now();
  const waits =
    record.status === 'pending' && leftMs > 0 ? `  its call waits ${Math.ceil(leftMs / 1000)} s more` : '';
  return `${record.id}  ${record.status}  since ${since}${waits}\n${record.message.replace(/^/gm, '  ')}`;
}

function describeGrant(record: ApprovalRecord): string {
  const since = new Date(record.createdAtMs).toISOString();
  const whose = `${record.principal} ${record.scope}${record.scope === 'session' ? ` ${record.sessionId}` : ''}`;
  return `${record.id}  since ${since}  ${cleanLine(whose)}  by ${cleanLine(record.decidedBy ?? '')}\n  ${cleanLine(record.grant ?? '')}`;
}
