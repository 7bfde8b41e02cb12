import { html } from 'hono/html';
import type { ApprovalRecord } from '../../contract/records.ts';
import { block, diffBlock, line, time } from '../shown.ts';
import { badge, form } from './page.ts';
import type { Html, View } from './view.ts';

/** The questions that wait, each with its answers. A standing yes needs two steps and shows its exact rule first. */
export function approvalCards(waiting: readonly ApprovalRecord[], view: View): Html {
  if (waiting.length === 0) return html`<p class="empty">${view.words.overview.nothingWaits}</p>`;
  return html`${waiting.map((record) => card(record, view))}`;
}

/** The same when it changed, with the mark in the menu. */
export function approvalUpdate(waiting: readonly ApprovalRecord[], view: View): Html {
  return html`${approvalCards(waiting, view)}<hx-partial hx-target="#waiting-count" hx-swap="outerHTML">${badge(waiting.length)}</hx-partial>`;
}

function card(record: ApprovalRecord, view: View): Html {
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
${view.person.isOperator ? answers(record, view) : html`<p class="quiet">${say.onlyOperator}</p>`}
</article>`;
}

function answers(record: ApprovalRecord, view: View): Html {
  const say = view.words.approvals;
  const action = `/approvals/${record.id}`;
  const more =
    record.grant === undefined
      ? ''
      : html`<details><summary>${say.more}</summary><p>${say.rule}</p>${block(record.grant, view)}
${form(view, action, html`<button name="answer" value="session">${say.session}</button><button name="answer" value="always">${say.always}</button>`, 'row')}</details>`;
  return html`${form(view, action, html`<button class="yes" name="answer" value="once">${say.once}</button><button class="no" name="answer" value="deny">${say.deny}</button>`, 'row')}${more}`;
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
