import { html } from 'hono/html';
import type { GrantOffer, QuestionGroup } from '../../contract/people/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import { grantWords } from '../../ground/questions/grant-words.ts';
import { groupsOf } from '../../ground/questions/question-groups.ts';
import { block, count, line } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { badge, form } from './page.ts';
import { questionHead, questionRest } from './question.ts';
import type { Html, View } from './view.ts';

/** The open questions, each with its answers; similar ones are grouped and can be answered at once. */
export function approvalCards(waiting: Waiting, view: View): Html {
  const { say } = view;
  if (waiting.records.length === 0)
    return html`<p class="empty">${say('No call is waiting for an answer. Questions appear here.', '回答を待っている呼び出しはありません。質問はここに表示されます。')}${view.person.isOperator ? html` <a href="/notices">${say('Be told of questions on this device', 'この端末で質問の通知を受け取る')}</a>` : ''}</p>`;
  return html`${groupsOf(waiting.records).map((group) => groupCard(group, waiting, view))}`;
}

/** The same after a change, with the badge in the menu. */
export function approvalUpdate(waiting: Waiting, view: View): Html {
  return html`${approvalCards(waiting, view)}<hx-partial hx-target="#waiting-count" hx-swap="outerHTML">${badge(waiting.records.length)}</hx-partial>`;
}

function groupCard({ id, records }: QuestionGroup, waiting: Waiting, view: View): Html {
  const cards = records.map((record) => questionCard(record, waiting, view));
  if (records.length < 2) return html`${cards}`;
  const { say } = view;
  const number = count(records.length, view.locale);
  const title = say(`${number} similar questions`, `同様の質問 ${number} 件`);
  const heads = records.map((record) => html`<li><code>${line(headOf(record, view), 160)}</code></li>`);
  const buttons = html`<input type="hidden" name="ids" value="${records.map((record) => record.id).join(' ')}"><button class="yes" name="answer" value="once">${say(`Allow these ${number} once`, `この ${number} 件を今回だけ許可`)}</button><button class="no" name="answer" value="deny">${say(`Deny these ${number}`, `この ${number} 件を拒否`)}</button>`;
  return html`<section class="alike" id="${id}" aria-label="${title}"><article class="question" tabindex="0" aria-label="${title}">
<header><h3>${title}</h3><p class="quiet">${say('They have the same caller, tool and rule. Each answer applies to its own call.', '呼び出し元、ツール、ルールが同じです。回答は呼び出しごとに記録されます。')}</p></header><ol>${heads}</ol>
${view.person.isOperator ? form(view, '/approvals/answer', buttons, 'row') : html`<p class="quiet">${say('Only an operator can answer.', '回答できるのは運用者だけです。')}</p>`}</article>
<details><summary>${say('One by one…', '1 件ずつ回答…')}</summary>${cards}</details></section>`;
}

/** A question in one line. */
export function headOf({ message, about }: ApprovalRecord, { locale }: View): string {
  return about?.what ?? message[locale].split('\n', 1)[0] ?? '';
}

/** One question with its answers, which stay in view however long the rest is. */
export function questionCard(record: ApprovalRecord, waiting: Waiting, view: View): Html {
  const { say, person } = view;
  const buttons =
    record.status !== 'pending'
      ? ''
      : person.isOperator
        ? answers(record, waiting.offers.get(record.id) ?? [], view)
        : html`<p class="quiet">${say('Only an operator can answer.', '回答できるのは運用者だけです。')}</p>`;
  return html`<article class="question" tabindex="0" aria-label="${line(headOf(record, view))}" id="${record.id}">
${questionHead(record, view, 3)}${buttons}${questionRest(record, view)}</article>`;
}

/** The answers to one question: yes or no; in a second step a no with instructions, and wider approvals. */
function answers(record: ApprovalRecord, offers: readonly GrantOffer[], view: View): Html {
  const { say } = view;
  const action = `/approvals/${record.id}`;
  const instead = `${record.id}-instead`;
  const more =
    offers.length === 0
      ? html`<p class="quiet">${say('This can be allowed only for this call.', '許可できるのは今回の呼び出しだけです。')}</p>`
      : wider(record, offers, view);
  return html`${form(view, action, html`<button class="yes" name="answer" value="once">${say('Allow once', '今回だけ許可')}</button><button class="no" name="answer" value="deny">${say('Deny', '拒否')}</button>`, 'row')}
<details><summary>${say('Deny, and say what to do instead…', '拒否して、代わりにすることを伝える…')}</summary>${form(view, action, html`<label for="${instead}">${say('Instead', '代わりに')}</label><input id="${instead}" name="instead" maxlength="500" required><button class="no" name="answer" value="deny">${say('Deny and say so', '拒否して伝える')}</button>`, 'row')}</details>
${more}`;
}

function wider(record: ApprovalRecord, offers: readonly GrantOffer[], view: View): Html {
  const { say } = view;
  const action = `/approvals/${record.id}`;
  const allowed = line(grantWords(record.grant ?? '')[view.locale], 400);
  return html`<details><summary>${say('Allow more than this call…', 'ほかの呼び出しも許可…')}</summary><p>${say('Allows:', '許可されるもの:')} ${allowed}</p><ul class="offers">${offers.map((offer) => offerRow(offer, action, view))}</ul>${untilForm(record, action, view)}</details>`;
}

function offerRow({ scope, rule, covered }: GrantOffer, action: string, view: View): Html {
  const { say } = view;
  const { calls, of, among } = covered;
  const [needed, last] = [calls, of].map((each) => count(each, view.locale));
  const would =
    of === 0
      ? ''
      : say(
          `${needed} of the last ${last} ${of === 1 ? 'call' : 'calls'} needed this answer.`,
          `直近 ${last} 件の呼び出しのうち ${needed} 件に、この回答が必要でした。`,
        );
  return html`<li>${form(view, action, html`<button name="answer" value="${scope === 'until' ? 'hour' : scope}">${say(allowances[scope])}</button><span class="quiet">${would}</span>`, 'row')}
<details><summary>${say('The rule', 'ルール')}</summary>${block(rule, view)}${among.length === 0 ? '' : html`<ul class="among">${among.map((call) => html`<li><code>${line(call, 100)}</code></li>`)}</ul>`}</details></li>`;
}

function untilForm(record: ApprovalRecord, action: string, view: View): Html {
  const { say } = view;
  const day = `${record.id}-until`;
  return form(
    view,
    action,
    html`<label for="${day}">${say('Until the end of', '次の日の終わりまで')}</label><input id="${day}" type="date" name="until" required><button name="answer" value="until">${say('Allow until then', 'その日まで許可')}</button>`,
    'row',
  );
}

const allowances = {
  session: text('Allow for this session', 'このセッションで許可'),
  until: text('Allow for an hour', '1 時間だけ許可'),
  folder: text('Allow in this folder', 'このフォルダーで許可'),
  always: text('Always allow', '常に許可'),
};
