import { html } from 'hono/html';
import type { ApprovalRecord } from '../../contract/records.ts';
import type { StandingGrant } from '../../contract/story.ts';
import { block, line, time } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { approvalCards } from './approval-cards.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

export interface ApprovalParts {
  readonly waiting: Waiting;
  readonly grants: readonly StandingGrant[];
  readonly past: readonly ApprovalRecord[];
}

/** Questions, what was allowed beyond single calls, and what was answered. */
export function approvalsPage({ waiting, grants, past }: ApprovalParts, view: View): Html {
  const say = view.words.approvals;
  return page(
    view,
    'approvals',
    say.title,
    html`<p class="quiet">${say.intro}</p>
<div id="live" data-hx-sse:connect="/live?only=approvals" data-hx-swap="none"></div>
<h2>${view.words.overview.waiting}</h2>
<div id="waiting" data-hx-get="/approvals/waiting" data-hx-trigger="approvals from:#live" data-hx-swap="innerMorph">${approvalCards(waiting, view)}</div>
<section><h2>${say.grants}</h2>${grants.length === 0 ? html`<p class="empty">${say.noGrants}</p>` : html`<ul class="cards">${grants.map((grant) => grantCard(grant, view))}</ul>`}</section>
<section><h2>${say.past}</h2>${past.length === 0 ? html`<p class="empty">${say.noPast}</p>` : html`<ol class="rows" data-list>${past.map((record) => pastRow(record, view))}</ol>`}</section>`,
  );
}

function grantCard({ record, rule, endsAtMs, isUnused }: StandingGrant, view: View): Html {
  const say = view.words.approvals;
  const { lastUsedAtMs } = record;
  const ends = endsAtMs === undefined ? '' : html` · ${say.ends} ${time(endsAtMs, view)}`;
  const used = lastUsedAtMs === undefined ? say.notUsed : html`${say.lastUsed} ${time(lastUsedAtMs, view)}`;
  return html`<li class="card"><p><strong>${line(record.tool, 80)}</strong> <span class="quiet">${line(record.principal, 60)} · ${say.scope[record.scope ?? 'once']}${ends} · ${line(record.decidedBy ?? '', 60)} · ${time(record.createdAtMs, view)} · ${used}</span></p>
${block(rule, view)}${isUnused ? html`<p class="note">${say.unused}</p>` : ''}
${view.person.isOperator ? form(view, `/approvals/${record.id}/revoke`, html`<button class="no">${say.revoke}</button>`, 'row') : ''}</li>`;
}

function pastRow(record: ApprovalRecord, view: View): Html {
  const say = view.words.approvals;
  const kind = record.status === 'declined' ? 'refused' : record.status === 'expired' ? 'asked' : 'passed';
  const { instead } = record;
  return html`<li class="${kind}"><details><summary><span class="when">${time(record.createdAtMs, view)}</span> <span class="tool">${line(record.tool, 60)}</span> <span class="outcome">${say.status[record.status]}</span> <span class="quiet">${line(record.decidedBy ?? '', 60)}</span></summary>${block(record.message[view.locale], view)}${instead === undefined ? '' : html`<p>${say.saidInstead} <q>${line(instead, 500)}</q></p>`}</details></li>`;
}
