import { html } from 'hono/html';
import type { StandingGrant } from '../../contract/people/story.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import { grantWords } from '../../ground/questions/grant-words.ts';
import { block, line, time, who } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { back, questionStates } from '../words.ts';
import { approvalCards, headOf, questionCard } from './approval-cards.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

export interface ApprovalParts {
  readonly waiting: Waiting;
  readonly grants: readonly StandingGrant[];
  readonly past: readonly ApprovalRecord[];
}

/** Open questions, standing approvals, and past answers. */
export function approvalsPage({ waiting, grants, past }: ApprovalParts, view: View): Html {
  const { say } = view;
  return page(
    view,
    'approvals',
    html`<div id="live" data-hx-sse:connect="/live?only=approvals" data-hx-swap="none"></div>
<h2 title="${say('Calls that a rule stopped until a person answers. No answer means no.', 'ルールにより、人の回答を待っている呼び出しです。回答がなければ拒否になります。')}">${say('Waiting for you', '回答待ち')}</h2>
<div id="waiting" data-hx-get="/approvals/waiting" data-hx-trigger="approvals from:#live" data-hx-swap="innerMorph">${approvalCards(waiting, view)}</div>
<section><h2>${say('Standing approvals', '継続中の許可')}</h2>${grants.length === 0 ? html`<p class="empty">${say('None. “Allow more than this call…” below a question gives one.', 'ありません。質問の下の「ほかの呼び出しも許可…」で許可できます。')}</p>` : html`<ul class="cards">${grants.map((grant) => grantCard(grant, view))}</ul>`}</section>
<section><h2>${say('Answered', '回答済み')}</h2>${past.length === 0 ? html`<p class="empty">${say('Nothing has been asked yet. The page “Policy” says what would be.', 'まだありません。どの呼び出しで確認するかは「ポリシー」ページで試せます。')}</p>` : html`<ol class="rows past" data-list>${past.map((record) => pastRow(record, view))}</ol>`}</section>`,
  );
}

function grantCard({ record, rule, endsAtMs, isUnused }: StandingGrant, view: View): Html {
  const { say } = view;
  const { lastUsedAtMs } = record;
  const ends = endsAtMs === undefined ? '' : html` · ${say('ends', '終了')} ${time(endsAtMs, view)}`;
  const used =
    lastUsedAtMs === undefined
      ? say('not used yet', '未使用')
      : html`${say('last used', '最終使用')} ${time(lastUsedAtMs, view)}`;
  return html`<li class="card"><p><strong>${line(grantWords(record.grant ?? '')[view.locale], 400)}</strong></p>
<p class="quiet">${who(record.principal, view)} · ${say(scopes[record.scope ?? 'once'])}${ends} · ${say('allowed by', '許可した人:')} ${who(record.decidedBy ?? '', view)} ${time(record.createdAtMs, view)} · ${used}</p>
<details><summary>${say('The rule', 'ルール')}</summary>${block(rule, view)}</details>${isUnused ? html`<p class="note">${say('No call has needed it for two weeks. Revoke it?', '2 週間、どの呼び出しにも使われていません。取り消しますか。')}</p>` : ''}
${view.person.isOperator ? form(view, `/approvals/${record.id}/revoke`, html`<button class="no">${say('Revoke', '取り消す')}</button>`, 'row') : ''}</li>`;
}

function pastRow(record: ApprovalRecord, view: View): Html {
  const { say } = view;
  const kind = record.status === 'declined' ? 'refused' : record.status === 'expired' ? 'asked' : 'passed';
  return html`<li class="${kind}"><a href="/approvals/${record.id}"><span class="when">${time(record.createdAtMs, view)}</span> <span class="given">${line(headOf(record, view), 160)}</span> <span class="outcome">${say(questionStates[record.status])}</span> <span class="quiet">${who(record.decidedBy ?? '', view)}</span></a></li>`;
}

/** One question by its address, answered or not, and the calls that it was asked for. */
export function questionPage(record: ApprovalRecord, waiting: Waiting, view: View): Html {
  const { say } = view;
  const { instead, decidedBy } = record;
  const answered =
    decidedBy === undefined ? '' : html`<p>${say('Answered by', '回答した人:')} ${who(decidedBy, view)}</p>`;
  return page(
    view,
    'approvals',
    html`${questionCard(record, waiting, view)}${answered}${instead === undefined ? '' : html`<p>${say('Instead:', '代わりの指示:')} <q>${line(instead, 500)}</q></p>`}
<p><a href="/calls?text=${record.id}">${say('Its calls', 'この質問の呼び出し')}</a> · <a href="/approvals">${say(back)}</a></p>`,
    say('Question', '質問'),
  );
}

const scopes = {
  once: text('once', '今回だけ'),
  session: text('this session', 'このセッション'),
  until: text('for a time', '期限付き'),
  folder: text('this folder', 'このフォルダー'),
  always: text('always', '常に'),
};
