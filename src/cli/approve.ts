import { join } from 'node:path';
import { loadSettings } from '../config/load.ts';
import type { Flags } from '../config/settings.ts';
import { homeOf, stateFoldersOf } from '../config/state.ts';
import type { Acts, Answered } from '../contract/operator.ts';
import type { ApprovalRecord, ApprovalStatus, ApprovalStore } from '../contract/records.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text } from '../contract/text/text.ts';
import { say, told } from './common/say.ts';
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
      say(options.json ? JSON.stringify(inWords(record)) : describe(record, waitMs));
      return 0;
    });
    if (code !== undefined) return code;
  }
  say(
    text(
      `There is no question ${id}. \`sekisho approve\` lists them.`,
      `質問 ${id} はありません。\`sekisho approve\` で一覧を確認できます。`,
    ),
  );
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
    if (options.json) say(JSON.stringify(grants.map(inWords)));
    else if (grants.length === 0)
      say(
        text(
          'Nothing is allowed beyond single calls.',
          '1 回限りの許可のほかに、許可されているものはありません。',
        ),
      );
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
        ? text(`${whole} is taken back.`, `${whole} を取り消しました。`)
        : text(
            `Nothing stands under ${id}. \`sekisho approve grants\` lists what does.`,
            `${id} の許可はありません。\`sekisho approve grants\` で一覧を確認できます。`,
          ),
    );
    return revoked ? 0 : 1;
  });
}

async function list(approvals: ApprovalStore, waitMs: number, options: Options): Promise<number> {
  const pending = await approvals.list('pending', Date.now());
  if (options.json) say(JSON.stringify(pending.map(inWords)));
  else if (pending.length === 0) say(text('Nothing is waiting.', '待っている質問はありません。'));
  else for (const record of pending) say(`${describe(record, waitMs)}\n`);
  return 0;
}

async function answer(record: ApprovalRecord, acts: Acts, options: Options): Promise<number> {
  const scope = options.always ? 'always' : options.session ? 'session' : 'once';
  const decision = options.deny ? 'declined' : 'approved';
  const answered = await acts.answer(record.id, { decision, scope });
  if (answered.outcome !== 'answered') {
    const { en, ja } = statuses[record.status === 'pending' ? 'expired' : record.status];
    say(
      text(
        `${record.id} cannot be answered any more: it is ${en}.`,
        `${record.id} にはもう回答できません（${ja}）。`,
      ),
    );
    return 1;
  }
  if (options.json) say(JSON.stringify(inWords(answered.record)));
  else if (decision === 'declined') say(text(`${record.id}: declined.`, `${record.id}: 拒否しました。`));
  else
    say(
      text(
        `${record.id}: approved (${scope}). ${whatFollows(answered).en}`,
        `${record.id}: 許可しました（${scopes[scope]}）。${whatFollows(answered).ja}`,
      ),
    );
  return 0;
}

function whatFollows({ isTaken, record }: Extract<Answered, { readonly outcome: 'answered' }>): Text {
  if (isTaken) return text('The call that waited goes on.', '待っていた呼び出しを続けます。');
  const until = new Date(record.expiresAtMs).toISOString();
  return text(
    `Nobody waits for it any more: it is allowed for when the same call is sent again, until ${until}.`,
    `もう待っている呼び出しはありません。${until} までに同じ呼び出しが送り直されれば許可します。`,
  );
}

/** For a program, which reads the other fields. */
function inWords(record: ApprovalRecord): object {
  return { ...record, message: told(record.message) };
}

function describe(record: ApprovalRecord, waitMs: number): string {
  const since = new Date(record.createdAtMs).toISOString();
  const leftMs = record.createdAtMs + waitMs - Date.now();
  const seconds = Math.ceil(leftMs / 1000);
  const waits =
    record.status === 'pending' && leftMs > 0
      ? `  ${told(text(`its call waits ${seconds} s more`, `呼び出しの待ち時間は残り ${seconds} 秒`))}`
      : '';
  const head = text(
    `${statuses[record.status].en}  since ${since}`,
    `${statuses[record.status].ja}  ${since} から`,
  );
  return `${record.id}  ${told(head)}${waits}\n${told(record.message).replace(/^/gm, '  ')}`;
}

function describeGrant(record: ApprovalRecord): string {
  const since = new Date(record.createdAtMs).toISOString();
  const whose = `${record.principal} ${record.scope}${record.scope === 'session' ? ` ${record.sessionId}` : ''}`;
  const by = cleanLine(record.decidedBy ?? '');
  const about = text(
    `since ${since}  ${cleanLine(whose)}  by ${by}`,
    `${since} から  ${cleanLine(whose)}  許可した人 ${by}`,
  );
  return `${record.id}  ${told(about)}\n  ${cleanLine(record.grant ?? '')}`;
}

const statuses: Readonly<Record<ApprovalStatus, Text>> = {
  pending: text('pending', '回答待ち'),
  approved: text('approved', '許可済み'),
  declined: text('declined', '拒否済み'),
  used: text('used', '使用済み'),
  expired: text('expired', '期限切れ'),
};

/** In English the words of the options. */
const scopes = { once: '今回だけ', session: 'このセッション中', always: '今後ずっと' } as const;
