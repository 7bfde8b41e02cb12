import { html } from 'hono/html';
import type { GrantOffer } from '../../contract/operator.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { block, count, line } from '../shown.ts';
import { form } from './page.ts';
import type { Html, View } from './view.ts';

/** The answers to one question: yes or no to this call; in a second step a no that says more, and wider yeses. */
export function answers(record: ApprovalRecord, offers: readonly GrantOffer[], view: View): Html {
  const say = view.words.approvals;
  const action = `/approvals/${record.id}`;
  const instead = `${record.id}-instead`;
  const wider = offers.map((offer) => offerRow(offer, action, view));
  return html`${form(view, action, html`<button class="yes" name="answer" value="once">${say.once}</button><button class="no" name="answer" value="deny">${say.deny}</button>`, 'row')}
<details><summary>${say.insteadMore}</summary>${form(view, action, html`<label for="${instead}">${say.instead}</label><input id="${instead}" name="instead" maxlength="500" required><button class="no" name="answer" value="deny">${say.denyInstead}</button>`, 'row')}</details>
${offers.length === 0 ? html`<p class="quiet">${say.onlyThis}</p>` : html`<details><summary>${say.more}</summary><p>${say.rule}</p><ul class="offers">${wider}</ul>${untilForm(record, action, view)}</details>`}`;
}

function offerRow({ scope, rule, covered }: GrantOffer, action: string, view: View): Html {
  const say = view.words.approvals;
  const { calls, of, among } = covered;
  const would = say.covered(count(calls, view.locale), count(of, view.locale));
  return html`<li>${form(view, action, html`<button name="answer" value="${scope === 'until' ? 'hour' : scope}">${say.allow[scope]}</button>`, 'row')}
${block(rule, view)}<p class="quiet">${would}</p>${among.length === 0 ? '' : html`<ul class="among">${among.map((call) => html`<li><code>${line(call, 100)}</code></li>`)}</ul>`}</li>`;
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
