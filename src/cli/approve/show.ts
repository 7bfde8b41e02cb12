import type { GrantOffer, QuestionGroup } from '../../contract/people/operator.ts';
import type { ApprovalRecord, ApprovalStatus } from '../../contract/records.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { inLocale } from '../common/say.ts';
import { reachWords } from './reach.ts';

/** The record for programs, which read the other fields. */
export function inWords(record: ApprovalRecord): object {
  return { ...record, message: inLocale(record.message) };
}

/** A question with everything that a person needs to answer it. */
export function describe(record: ApprovalRecord, waitMs: number): string {
  const since = new Date(record.createdAtMs).toISOString();
  const leftMs = record.createdAtMs + waitMs - Date.now();
  const seconds = Math.ceil(leftMs / 1000);
  const waits =
    record.status === 'pending' && leftMs > 0
      ? `  ${inLocale(`its call waits for another ${seconds} s`, `呼び出しの待ち時間は残り ${seconds} 秒`)}`
      : '';
  const head = text(
    `${statuses[record.status].en}  since ${since}`,
    `${statuses[record.status].ja}  ${since} から`,
  );
  return `${record.id}  ${inLocale(head)}${waits}\n${inLocale(record.message).replace(/^/gm, '  ')}`;
}

/** Several similar questions, with the one command that answers them. */
export function describeGroup({ id, records }: QuestionGroup, waitMs: number): string {
  const [first] = records;
  const head = text(
    `${id}  ${records.length} similar questions: \`sekisho approve ${id}\` answers all of them`,
    `${id}  同様の質問が ${records.length} 件: \`sekisho approve ${id}\` ですべてに回答します`,
  );
  const rule = cleanLine(first?.rule ?? '');
  return `${inLocale(head)} (${rule})\n\n${records.map((record) => describe(record, waitMs)).join('\n\n')}`;
}

/** The possible wider approvals, each with its option. */
export function describeOffers(offers: readonly GrantOffer[]): string {
  return offers
    .map(({ scope, untilMs, rule, covered }) => describeOffer(scope, untilMs, rule, covered))
    .join('\n');
}

function describeOffer(
  scope: GrantOffer['scope'],
  untilMs: number | undefined,
  rule: string,
  { calls, of, among }: GrantOffer['covered'],
): string {
  const option = scope === 'until' ? '--for 1h' : `--for ${scope}`;
  const which = among.length > 0 ? `: ${among.map((call) => `\`${call}\``).join(', ')}` : '';
  const would = text(
    `would have allowed ${counted(calls, 'call')} of the last ${of}${which}`,
    `直近 ${of} 件のうち ${calls} 件を許可していたはずです${which}`,
  );
  return `  ${option}  (${reachWords({ scope, untilMs })})\n    ${cleanLine(rule)}\n    ${cleanLine(inLocale(would))}`;
}

export const statuses: Readonly<Record<ApprovalStatus, Text>> = {
  pending: text('pending', '回答待ち'),
  approved: text('approved', '許可済み'),
  declined: text('declined', '拒否済み'),
  used: text('used', '使用済み'),
  expired: text('expired', '期限切れ'),
};
