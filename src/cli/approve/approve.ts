import { join } from 'node:path';
import { loadSettings } from '../../config/load.ts';
import { homeOf, stateFoldersOf } from '../../config/places/state.ts';
import type { Flags } from '../../config/settings.ts';
import type { Answer, Answered } from '../../contract/people/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { groupsOf } from '../../ground/questions/question-groups.ts';
import { outsideRule } from '../../ground/questions/rule-name.ts';
import { agrees } from '../common/agrees.ts';
import type { Options } from '../common/options.ts';
import { inLocale, note, say, sayJson } from '../common/say.ts';
import { isWholeApprovalId, wholeApprovalId } from '../common/whole-id.ts';
import { type AtWork, withOperator } from '../common/with-operator.ts';
import { answerFrom, reachWords } from './reach.ts';
import { describe, describeGroup, describeOffers, inWords, statuses } from './show.ts';

/** Lists the open questions, or answers some of them. */
export async function approve(ids: readonly string[], flags: Flags, options: Options): Promise<number> {
  if (ids.length === 0) return withOperator(flags, (at) => list(at, options));
  let worst = 0;
  for (const id of ids) worst = Math.max(worst, await approveOne(id, flags, options));
  return worst;
}

async function approveOne(id: string, flags: Flags, options: Options): Promise<number> {
  const answer = answerFrom(options, Date.now());
  for (const place of placesOf(id, flags)) {
    const code = await withOperator(place, async (at) => {
      const found = await questionsOf(id, at);
      if (found.length === 0) return undefined;
      return options.show ? show(found, at, options) : answerThese(found, answer, at, options);
    });
    if (code !== undefined) return code;
  }
  say(id.startsWith('grp_') ? noGroup(id) : noQuestion(id));
  return 1;
}

/** The question of this id, or those of a group that is unchanged since its id was shown. */
async function questionsOf(id: string, { checkpoint }: AtWork): Promise<readonly ApprovalRecord[]> {
  const { approvals } = await checkpoint.store();
  if (id.startsWith('grp_')) {
    const groups = groupsOf(await approvals.list('pending', Date.now()));
    return groups.find((group) => group.id === id)?.records ?? [];
  }
  const record = await approvals.get(await wholeApprovalId(id, approvals));
  return record ? [record] : [];
}

/**
 * A question can be answered from any folder: if it is not among this folder's, the others are searched. Only for a
 * whole id, since a prefix could match an unintended question.
 */
function placesOf(id: string, flags: Flags): readonly Flags[] {
  if (!isWholeApprovalId(id) || flags.state !== undefined) return [flags];
  const { stateFolder, storeUrl } = loadSettings(flags);
  if (storeUrl !== `sqlite:${join(stateFolder, 'sekisho.db')}`) return [flags];
  const folders = stateFoldersOf(process.env, homeOf(process.env));
  const others = folders.filter((state) => state !== stateFolder);
  return [flags, ...others.map((state) => ({ ...flags, state }))];
}

async function list({ checkpoint }: AtWork, options: Options): Promise<number> {
  const { waitMs } = checkpoint.settings.approval;
  const pending = await (await checkpoint.store()).approvals.list('pending', Date.now());
  if (options.json) sayJson(pending.map(inWords));
  else if (pending.length === 0) say('Nothing is waiting.', '待っている質問はありません。');
  else
    for (const group of groupsOf(pending)) {
      const [first] = group.records;
      const alone = group.records.length === 1 && first ? describe(first, waitMs) : undefined;
      say(`${alone ?? describeGroup(group, waitMs)}\n`);
    }
  return 0;
}

async function show(
  records: readonly ApprovalRecord[],
  { checkpoint, operator }: AtWork,
  options: Options,
): Promise<number> {
  const offered = await operator.offers(records.filter(({ status }) => status === 'pending'));
  for (const record of records) {
    const offers = offered.get(record.id) ?? [];
    if (options.json) sayJson({ ...inWords(record), offers });
    else say(describe(record, checkpoint.settings.approval.waitMs));
    if (!options.json && offers.length > 0) say(`\n${describeOffers(offers)}`);
  }
  return 0;
}

async function answerThese(
  records: readonly ApprovalRecord[],
  answer: Answer,
  { acts, checkpoint }: AtWork,
  options: Options,
): Promise<number> {
  for (const record of answer.decision === 'declined' ? [] : records)
    if (!(await isRead(record, checkpoint.settings.approval.waitMs))) return 1;
  const answered = await acts.answerAll(
    records.map(({ id }) => id),
    answer,
  );
  for (const [at, each] of answered.entries()) {
    const record = each.record ?? records[at];
    if (record) tell(each, record, answer, options);
  }
  return answered.every(({ outcome }) => outcome === 'answered') ? 0 : 1;
}

/** Has the person read a command that is to run outside the sandbox, and agreed? No program answers for them here. */
async function isRead(record: ApprovalRecord, waitMs: number): Promise<boolean> {
  if (!record.rule.includes(outsideRule) || record.status !== 'pending') return true;
  if (!process.stdin.isTTY) {
    note(
      `${record.id} is about a command outside the sandbox: answer it in a terminal, or at the console.`,
      `${record.id} はサンドボックスの外で実行するコマンドについての質問です。ターミナルまたはコンソールで回答してください。`,
    );
    return false;
  }
  note(describe(record, waitMs));
  return agrees(text('Run it outside the sandbox? [y/N] ', 'サンドボックスの外で実行しますか? [y/N] '));
}

function tell(answered: Answered, record: ApprovalRecord, answer: Answer, options: Options): void {
  const { id } = record;
  if (answered.outcome === 'wide') {
    say(
      `${id} can be allowed only for this call, or not that widely. \`sekisho approve ${id} --show\` says how far.`,
      `${id} は今回の呼び出しに限って許可できるか、そこまで広くは許可できません。許可できる範囲は \`sekisho approve ${id} --show\` で確認できます。`,
    );
  } else if (answered.outcome !== 'answered') {
    const { en, ja } = statuses[record.status === 'pending' ? 'expired' : record.status];
    say(`${id} cannot be answered any more: it is ${en}.`, `${id} にはもう回答できません（${ja}）。`);
  } else if (options.json) sayJson(inWords(answered.record));
  else if (answer.decision === 'declined') say(`${id}: declined.`, `${id}: 拒否しました。`);
  else {
    const how = reachWords(answer);
    const follows = whatFollows(answered);
    say(`${id}: approved (${how}). ${follows.en}`, `${id}: 許可しました（${how}）。${follows.ja}`);
  }
}

function whatFollows({ isTaken, record }: Extract<Answered, { readonly outcome: 'answered' }>): Text {
  if (isTaken) return text('The waiting call continues.', '待っていた呼び出しを続けます。');
  const until = new Date(record.expiresAtMs).toISOString();
  return text(
    `No call is waiting any more. The same call is allowed if it is sent again, until ${until}.`,
    `もう待っている呼び出しはありません。${until} までに同じ呼び出しが送り直されれば許可します。`,
  );
}

function noQuestion(id: string): string {
  return inLocale(
    `There is no question ${id}. \`sekisho approve\` lists them.`,
    `質問 ${id} はありません。\`sekisho approve\` で一覧を確認できます。`,
  );
}

function noGroup(id: string): string {
  return inLocale(
    `The questions have changed since ${id} was shown. \`sekisho approve\` lists the current ones.`,
    `待っている質問は、${id} を表示したときとは変わっています。\`sekisho approve\` で確認し直してください。`,
  );
}
