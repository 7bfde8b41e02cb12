import { html } from 'hono/html';
import type { GrantOffer } from '../../contract/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { grantWords } from '../../ground/questions/grant-words.ts';
import { block, count, line } from '../shown.ts';
import { form } from './page.ts';
import type { Html, View } from './view.ts';

/** The answers to one question: yes or no; in a second step a no with instructions, and wider approvals. */
export function answers(record: ApprovalRecord, offers: readonly GrantOffer[], view: View): Html {
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
