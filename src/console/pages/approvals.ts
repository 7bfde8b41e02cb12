import { html } from 'hono/html';
import type { ApprovalRecord } from '../../contract/records.ts';
import type { StandingGrant } from '../../contract/story.ts';
import { grantWords } from '../../ground/questions/grant-words.ts';
import { block, line, time, who } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
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
  const say = view.words.approvals;
  return page(
    view,
    'approvals',
    say.title,
    html`<div id="live" data-hx-sse:connect="/live?only=approvals" data-hx-swap="none"></div>
<h2 title="${say.intro}">${view.words.overview.waiting}</h2>
<div id="waiting" data-hx-get="/approvals/waiting" data-hx-trigger="approvals from:#live" data-hx-swap="innerMorph">${approvalCards(waiting, view)}</div>
<section><h2>${say.grants}</h2>${grants.length === 0 ? html`<p class="empty">${say.noGrants}</p>` : html`<ul class="cards">${grants.map((grant) => grantCard(grant, view))}</ul>`}</section>
<section><h2>${say.past}</h2>${past.length === 0 ? html`<p class="empty">${say.noPast}</p>` : html`<ol class="rows past" data-list>${past.map((record) => pastRow(record, view))}</ol>`}</section>`,
  );
}

function grantCard({ record, rule, endsAtMs, isUnused }: StandingGrant, view: View): Html {
  const say = view.words.approvals;
  const { lastUsedAtMs } = record;
  const ends = endsAtMs === undefined ? '' : html` · ${say.ends} ${time(endsAtMs, view)}`;
  const used = lastUsedAtMs === undefined ? say.notUsed : html`${say.lastUsed} ${time(lastUsedAtMs, view)}`;
  return html`<li class="card"><p><strong>${line(grantWords(record.grant ?? '')[view.locale], 400)}</strong></p>
<p class="quiet">${who(record.principal, view)} · ${say.scope[record.scope ?? 'once']}${ends} · ${say.allowedBy} ${who(record.decidedBy ?? '', view)} ${time(record.createdAtMs, view)} · ${used}</p>
<details><summary>${say.theRule}</summary>${block(rule, view)}</details>${isUnused ? html`<p class="note">${say.unused}</p>` : ''}
${view.person.isOperator ? form(view, `/approvals/${record.id}/revoke`, html`<button class="no">${say.revoke}</button>`, 'row') : ''}</li>`;
}

function pastRow(record: ApprovalRecord, view: View): Html {
  const say = view.words.approvals;
  const kind = record.status === 'declined' ? 'refused' : record.status === 'expired' ? 'asked' : 'passed';
  return html`<li class="${kind}"><a href="/approvals/${record.id}"><span class="when">${time(record.createdAtMs, view)}</span> <span class="given">${line(headOf(record, view), 160)}</span> <span class="outcome">${say.status[record.status]}</span> <span class="quiet">${who(record.decidedBy ?? '', view)}</span></a></li>`;
}

/** One question by its address, answered or not, and the calls that it was asked for. */
export function questionPage(record: ApprovalRecord, waiting: Waiting, view: View): Html {
  const say = view.words.approvals;
  const { instead, decidedBy } = record;
  const answered = decidedBy === undefined ? '' : html`<p>${say.answeredBy} ${who(decidedBy, view)}</p>`;
  return page(
    view,
    'approvals',
    say.question,
    html`${questionCard(record, waiting, view)}${answered}${instead === undefined ? '' : html`<p>${say.saidInstead} <q>${line(instead, 500)}</q></p>`}
<p><a href="/calls?text=${record.id}">${say.itsCalls}</a> · <a href="/approvals">${view.words.back}</a></p>`,
  );
}
