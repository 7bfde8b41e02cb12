import { html, raw } from 'hono/html';
import type { HistoryEntry } from '../../contract/capabilities/history.ts';
import type { AuditEntry } from '../../contract/records.ts';
import { actorsOf } from '../../ground/actors.ts';
import { flowPathsIn } from '../../ground/flow-paths.ts';
import { requestsIn, told } from '../../ground/requests-in.ts';
import { titleOf } from '../recent-calls.ts';
import { clock, data, duration, line, named, size, time, who } from '../shown.ts';
import type { AuditPage, CallQuery } from './audit-pages.ts';
import { callRows, outcomeOf } from './call-row.ts';
import { flowPaths } from './flow-path.ts';
import { changeList, undoCall } from './history.ts';
import { form, page } from './page.ts';
import { type ChainState, chainLine } from './verification.ts';
import type { Html, View } from './view.ts';

/** The log, with search and paging. */
export function callsPage(query: CallQuery, found: AuditPage, chain: ChainState, view: View): Html {
  const { words, here, dependencies } = view;
  const say = words.calls;
  const verify = view.person.isOperator
    ? html`<div class="row between">${chainLine(chain, view)}${form(view, '/calls/verify', html`<button>${say.verify}</button>`)}</div>`
    : '';
  return page(
    view,
    'calls',
    say.title,
    html`${verify}
<form class="search" method="get" action="/calls" role="search">
<label>${say.text}<input type="search" name="text" value="${query.text ?? ''}" maxlength="200" data-search></label>
<label>${say.tool}<input name="tool" value="${query.tool ?? ''}" maxlength="200"></label>
${view.person.isOperator ? html`<label>${say.principal}<input name="principal" value="${query.principal ?? ''}" maxlength="200"></label>` : ''}
<label>${say.outcome}<select name="outcome">${options([['', say.any], ...Object.entries(say.outcomes)], query.outcome)}</select></label>
<label>${say.since}<select name="since">${options(
      [
        ['', say.sinceAny],
        ['hour', say.hour],
        ['day', say.day],
        ['week', say.week],
      ],
      query.since,
    )}</select></label>
${query.session === undefined ? '' : html`<label>${say.fields.session}<input name="session" value="${query.session}" maxlength="200"></label>`}
${query.from === undefined ? '' : html`<input type="hidden" name="from" value="${query.from}"><input type="hidden" name="to" value="${query.to ?? ''}">`}<button>${say.search}</button></form>
${query.from === undefined ? '' : html`<p class="quiet">${say.between} ${time(query.from, view, true)} – ${time(query.to ?? dependencies.now(), view, true)}</p>`}
${found.entries.length > 0 ? html`<ol class="calls" data-list>${callRows(found.entries, view)}</ol>` : html`<p class="empty">${say.empty} <a href="/calls">${say.all}</a></p>`}
${further(found, here, view)}`,
  );
}

/** The whole record of one call. */
export function callPage(entry: AuditEntry, changes: readonly HistoryEntry[], view: View): Html {
  const { words } = view;
  const say = words.calls;
  const has = (name: string, value: unknown) =>
    value === undefined || value === '' ? '' : html`<dt>${name}</dt><dd>${value}</dd>`;
  const { fields } = say;
  const { refusal, chain: _, person: __, question, ...facts } = entry.facts ?? {};
  const requests = requestsIn(facts);
  const actors = actorsOf(entry);
  // The last decision says most: about the call's effects, else about its words.
  const decided = Object([facts.tried, facts.held, facts.policy].find((each) => each !== undefined));
  const why: unknown = Object(decided.because)[view.locale];
  const rule: unknown = decided.rule ?? (entry.rule === 'default' ? undefined : entry.rule);
  const decision = [rule, refusal].filter((part) => typeof part === 'string').join(': ');
  const session = view.person.isOperator
    ? html`<a href="/sessions/${encodeURIComponent(entry.sessionId)}" title="${line(entry.sessionId)}">${say.story}</a> · <a href="/calls?session=${encodeURIComponent(entry.sessionId)}">${words.story.calls}</a>`
    : line(entry.sessionId);
  const asked =
    typeof question === 'string'
      ? html`<a href="/approvals/${encodeURIComponent(question)}">${say.question}</a>`
      : '';
  return page(
    view,
    'calls',
    line(titleOf(entry), 120),
    html`<dl class="facts">
${has(fields.time, time(entry.atMs, view, true))}${has(say.tool, html`<a href="/calls?tool=${encodeURIComponent(entry.tool)}" title="${say.same}">${line(entry.tool, 60)}</a>`)}${has(fields.outcome, html`<strong>${outcomeOf(entry, view)}</strong>`)}
${has(fields.caller, actors === entry.principal ? who(actors, view) : line(actors, 1000))}${has(fields.session, entry.sessionId === '' ? '' : session)}
${has(fields.transport, named(entry.transport, words.transports))}${has(fields.client, entry.client && line(entry.client))}
${has(fields.stop, named(entry.stop, words.stops))}${has(words.approvals.question, asked)}${has(say.why, typeof why === 'string' ? line(why, 500) : undefined)}${has(fields.decision, line(decision, 1000))}
${has(fields.approver, entry.approver && who(entry.approver, view))}${has(fields.duration, duration(entry.durationMs))}
${has(fields.size, `${size(entry.inputBytes)}, ${size(entry.outputBytes)}`)}${has(fields.trace, entry.traceId && line(entry.traceId))}
${has(fields.id, html`<code>${entry.id}</code>`)}${has(fields.entry, html`${entry.seq} <code class="quiet">${entry.hash.slice(0, 16)}…</code>`)}</dl>
${flowPaths(flowPathsIn(facts), entry.tool, view)}
${requests.length === 0 ? '' : html`<h2>${say.requests}</h2><ul>${requests.map((each) => html`<li>${line(told(each)[view.locale], 500)}</li>`)}</ul>`}
${changes.length === 0 ? '' : html`<section><div class="row between"><h2>${words.history.changes}</h2>${changes.some(({ undoneBy }) => undoneBy === undefined) ? undoCall(entry.id, view) : ''}</div>${changeList(changes, view)}</section>`}
<h2>${say.arguments}</h2>${data(entry.arguments ?? {}, view)}
${Object.keys(facts).length > 0 ? html`<details><summary>${say.recorded}</summary>${data(facts, view)}</details>` : ''}
${entry.cause !== undefined && view.person.isOperator ? html`<h2>${say.cause}</h2>${data(entry.cause, view)}` : ''}
<p><a href="/calls">${words.back}</a></p>`,
  );
}

function further(found: AuditPage, here: URL, { words, locale, dependencies }: View): Html {
  if (found.next === undefined) return html``;
  const there = new URL(here);
  there.searchParams.delete('note');
  there.searchParams.set('before', String(found.next));
  const link = there.pathname + there.search;
  if (found.searchedToMs === undefined) return html`<p><a rel="next" href="${link}">${words.older}</a></p>`;
  const isToday = dependencies.now() - found.searchedToMs < 20 * 3_600_000;
  const at = clock(new Date(found.searchedToMs), locale, isToday);
  return html`<p class="quiet">${words.calls.partly(at)} <a rel="next" href="${link}">${words.calls.further}</a></p>`;
}

function options(choices: readonly (readonly [string, string])[], chosen: string | undefined): Html {
  return html`${choices.map(([value, name]) => html`<option value="${value}"${value === (chosen ?? '') ? raw(' selected') : ''}>${name}</option>`)}`;
}
