import { html } from 'hono/html';
import type { QuestionGroup } from '../../contract/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { groupsOf } from '../../ground/questions/question-groups.ts';
import { block, count, diffBlock, line, time } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { answers } from './answers.ts';
import { badge, form } from './page.ts';
import type { Html, View } from './view.ts';

/** The questions that wait, each with its answers; those that are alike stand together and can be answered by one. */
export function approvalCards(waiting: Waiting, view: View): Html {
  if (waiting.records.length === 0) return html`<p class="empty">${view.words.overview.nothingWaits}</p>`;
  return html`${groupsOf(waiting.records).map((group) => groupCard(group, waiting, view))}`;
}

/** The same when it changed, with the mark in the menu. */
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

/** The first line, for a short dialog. */
function headOf({ message }: ApprovalRecord, { locale }: View): string {
  return message[locale].split('\n', 1)[0] ?? '';
}

function questionCard(record: ApprovalRecord, waiting: Waiting, view: View): Html {
  const { words } = view;
  const say = words.approvals;
  const { question, diff } = partsOf(record.message[view.locale]);
  const waitsUntilMs = record.createdAtMs + view.dependencies.waitMs;
  const leftSeconds = Math.ceil((waitsUntilMs - view.dependencies.now()) / 1000);
  const waits = leftSeconds > 0 ? ` · ${say.waits(leftSeconds)}` : '';
  return html`<article class="question" tabindex="0" aria-label="${line(record.tool)}" id="${record.id}">
<header><h3>${line(record.tool, 80)}</h3><p class="quiet">${line(record.principal, 60)} · ${say.asked} ${time(record.createdAtMs, view)} · ${say.expires} ${time(record.expiresAtMs, view)}${waits}</p></header>
${block(withoutRule(question, record.grant), view)}
${diff === '' ? '' : diffBlock(diff, view)}
${view.person.isOperator ? answers(record, waiting.offers.get(record.id) ?? [], view) : html`<p class="quiet">${say.onlyOperator}</p>`}
</article>`;
}

/** A diff ends the question; every other line of it begins with words of ours or is indented. */
export function partsOf(message: string): { readonly question: string; readonly diff: string } {
  const at = message.search(/^--- (a\/|\/dev\/null)/m);
  if (at <= 0) return { question: message, diff: '' };
  return { question: message.slice(0, at).trimEnd(), diff: message.slice(at) };
}

/** The question's last line repeats the rule, which has its own place here. */
function withoutRule(question: string, grant: string | undefined): string {
  const lines = question.split('\n');
  const last = lines.at(-1);
  return grant !== undefined && lines.length > 1 && last?.endsWith(grant)
    ? lines.slice(0, -1).join('\n')
    : question;
}
