import { html } from 'hono/html';
import type { GrantOffer, QuestionGroup } from '../../contract/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { grantWords } from '../../ground/questions/grant-words.ts';
import { groupsOf } from '../../ground/questions/question-groups.ts';
import { block, count, line } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { badge, form } from './page.ts';
import { questionHead, questionRest } from './question.ts';
import type { Html, View } from './view.ts';

/** The open questions, each with its answers; similar ones are grouped and can be answered at once. */
export function approvalCards(waiting: Waiting, view: View): Html {
  const say = view.words.overview;
  if (waiting.records.length === 0)
    return html`<p class="empty">${say.nothingWaits}${view.person.isOperator ? html` <a href="/notices">${say.beTold}</a>` : ''}</p>`;
  return html`${groupsOf(waiting.records).map((group) => groupCard(group, waiting, view))}`;
}

/** The same after a change, with the badge in the menu. */
export function approvalUpdate(waiting: Waiting, view: View): Html {
  return html`${approvalCards(waiting, view)}<hx-partial hx-target="#waiting-count" hx-swap="outerHTML">${badge(waiting.records.length)}</hx-partial>`;
}

function groupCard({ id, records }: QuestionGroup, waiting: Waiting, view: View): Html {
  const cards = records.map((record) => questionCard(record, waiting, view));
  if (records.length < 2) return html`${cards}`;
  const say = view.words.approvals;
  const number = count(records.length, view.locale);
  const heads = records.map((record) => html`<li><code>${line(headOf(record, view), 160)}</code></li>`);
  const buttons = html`<input type="hidden" name="ids" value="${records.map((record) => record.id).join(' ')}"><button class="yes" name="answer" value="once">${say.onceAll(number)}</button><button class="no" name="answer" value="deny">${say.denyAll(number)}</button>`;
  return html`<section class="alike" id="${id}" aria-label="${say.alike(number)}"><article class="question" tabindex="0" aria-label="${say.alike(number)}">
<header><h3>${say.alike(number)}</h3><p class="quiet">${say.alikeNote}</p></header><ol>${heads}</ol>
${view.person.isOperator ? form(view, '/approvals/answer', buttons, 'row') : html`<p class="quiet">${say.onlyOperator}</p>`}</article>
<details><summary>${say.each}</summary>${cards}</details></section>`;
}

/** A question in one line. */
export function headOf({ message, about }: ApprovalRecord, { locale }: View): string {
  return about?.what ?? message[locale].split('\n', 1)[0] ?? '';
}

/** One question with its answers, which stay in view however long the rest is. */
export function questionCard(record: ApprovalRecord, waiting: Waiting, view: View): Html {
  const { words, person } = view;
  const buttons =
    record.status !== 'pending'
      ? ''
      : person.isOperator
        ? answers(record, waiting.offers.get(record.id) ?? [], view)
        : html`<p class="quiet">${words.approvals.onlyOperator}</p>`;
  return html`<article class="question" tabindex="0" aria-label="${line(headOf(record, view))}" id="${record.id}">
${questionHead(record, view, 3)}${buttons}${questionRest(record, view)}</article>`;
}

/** The answers to one question: yes or no; in a second step a no with instructions, and wider approvals. */
function answers(record: ApprovalRecord, offers: readonly GrantOffer[], view: View): Html {
  const say = view.words.approvals;
  const action = `/approvals/${record.id}`;
  const instead = `${record.id}-instead`;
  const more = offers.length === 0 ? html`<p class="quiet">${say.onlyThis}</p>` : wider(record, offers, view);
  return html`${form(view, action, html`<button class="yes" name="answer" value="once">${say.once}</button><button class="no" name="answer" value="deny">${say.deny}</button>`, 'row')}
<details><summary>${say.insteadMore}</summary>${form(view, action, html`<label for="${instead}">${say.instead}</label><input id="${instead}" name="instead" maxlength="500" required><button class="no" name="answer" value="deny">${say.denyInstead}</button>`, 'row')}</details>
${more}`;
}

function wider(record: ApprovalRecord, offers: readonly GrantOffer[], view: View): Html {
  const say = view.words.approvals;
  const action = `/approvals/${record.id}`;
  const allowed = line(grantWords(record.grant ?? '')[view.locale], 400);
  return html`<details><summary>${say.more}</summary><p>${say.allows} ${allowed}</p><ul class="offers">${offers.map((offer) => offerRow(offer, action, view))}</ul>${untilForm(record, action, view)}</details>`;
}

function offerRow({ scope, rule, covered }: GrantOffer, action: string, view: View): Html {
  const say = view.words.approvals;
  const { calls, of, among } = covered;
  const would = of === 0 ? '' : say.covered(count(calls, view.locale), count(of, view.locale));
  return html`<li>${form(view, action, html`<button name="answer" value="${scope === 'until' ? 'hour' : scope}">${say.allow[scope]}</button><span class="quiet">${would}</span>`, 'row')}
<details><summary>${say.theRule}</summary>${block(rule, view)}${among.length === 0 ? '' : html`<ul class="among">${among.map((call) => html`<li><code>${line(call, 100)}</code></li>`)}</ul>`}</details></li>`;
}

function untilForm(record: ApprovalRecord, action: string, view: View): Html {
  const say = view.words.approvals;
  const day = `${record.id}-until`;
  return form(
    view,
    action,
    html`<label for="${day}">${say.until}</label><input id="${day}" type="date" name="until" required><button name="answer" value="until">${say.allowUntil}</button>`,
    'row',
  );
}
