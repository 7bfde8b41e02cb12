import { html, raw } from 'hono/html';
import type { NodeView } from '../../contract/nodes.ts';
import type { AuditEntry } from '../../contract/records.ts';
import type { RecentCall } from '../recent-calls.ts';
import { count, line, named } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { approvalCards } from './approval-cards.ts';
import { callRows } from './call-row.ts';
import { charts, type Span } from './charts.ts';
import { page } from './page.ts';
import { type ChainState, chainLine } from './verification.ts';
import type { Html, View } from './view.ts';

export interface OverviewParts {
  readonly waiting: Waiting;
  readonly newest: readonly AuditEntry[];
  readonly calls: readonly RecentCall[];
  readonly span: Span;
  readonly chain: ChainState;
  readonly nodes: readonly NodeView[];
}

/** The present state: questions first, then the last hour's charts, then calls as they come. */
export function overviewPage(parts: OverviewParts, view: View): Html {
  const { words } = view;
  const say = words.overview;
  return page(
    view,
    'overview',
    say.title,
    html`<section aria-labelledby="waiting-title"><h2 id="waiting-title">${say.waiting}</h2>
<div id="waiting" data-hx-get="/approvals/waiting" data-hx-trigger="approvals from:#live" data-hx-swap="innerMorph">${approvalCards(parts.waiting, view)}</div></section>
<section id="charts" data-hx-get="/charts?span=${parts.span}" data-hx-trigger="every 20s">${chartsSection(parts, view)}</section>
<section aria-labelledby="live-title"><h2 id="live-title">${say.live}</h2>
${liveList(parts.newest, view)}</section>
${view.person.isOperator ? html`${serving(parts.chain, view)}${nodeList(parts.nodes, view)}` : ''}`,
  );
}

export function chartsSection({ calls, span }: Pick<OverviewParts, 'calls' | 'span'>, view: View): Html {
  const say = view.words.overview;
  const tab = (each: Span, name: string) =>
    html`<a id="span-${each}" href="/?span=${each}"${each === span ? raw(' aria-current="true"') : ''}>${name}</a>`;
  return html`<div class="tabs">${tab('hour', say.lastHour)}${tab('day', say.lastDay)}<span class="quiet">${say.window(count(calls.length, view.locale))}</span></div>
${charts(calls, span, view)}`;
}

/** The list continues after the newest call that is drawn, so that none is lost or shown twice. */
function liveList(newest: readonly AuditEntry[], view: View): Html {
  const after = newest[0]?.seq ?? 0;
  return html`<ol class="calls" id="live" data-list aria-live="off" data-hx-sse:connect="/live?after=${after}" data-hx-swap="afterbegin">${callRows(newest, view)}</ol>
<p class="empty when-empty">${view.words.overview.noCalls}</p>`;
}

function serving(chain: ChainState, view: View): Html {
  const { words, dependencies } = view;
  const { served } = dependencies;
  const say = words.overview;
  return html`<section><dl class="facts">
<dt>${say.serving}</dt><dd>${served.roots.map((root) => html`<code>${line(root)}</code> `)}</dd>
<dt>${say.mode}</dt><dd>${named(served.mode, words.modes)}</dd>
<dt>${say.toolsets}</dt><dd>${served.toolsets.join(', ')}</dd>
<dt>${say.sandbox}</dt><dd>${named(served.sandbox, say.sandboxes)}</dd>
<dt>${say.chain}</dt><dd>${chainLine(chain, view)} <a href="/calls">${words.nav.calls}</a></dd>
<dt>${say.version}</dt><dd>${served.version}</dd></dl></section>`;
}

/** The servers on these records, their load and version; no list for a single server. */
function nodeList(nodes: readonly NodeView[], view: View): Html | '' {
  if (nodes.length < 2) return '';
  return html`<section aria-labelledby="nodes-title"><h2 id="nodes-title">${view.words.nodes.title}</h2>
<ul class="cards">${nodes.map((node) => card(node, view))}</ul></section>`;
}

function card({ state, seenAgoMs, ...node }: NodeView, view: View): Html {
  const say = view.words.nodes;
  const kind = state === 'serving' ? 'passed' : state === 'lost' ? 'refused' : 'asked';
  const how = state === 'lost' ? say.lost(Math.round(seenAgoMs / 1000)) : say.states[state];
  const memory = `${Math.round(node.residentBytes / 1024 / 1024)} MiB`;
  return html`<li class="card ${kind}"><h3>${line(`${node.host}:${node.pid}`)} <span class="outcome">${how}</span></h3>
<p>${line(node.address)} · ${line(node.version)} · ${say.calls(node.calls)} · CPU ${Math.round(node.load * 100)} % · ${memory}</p>
<p>${node.roots.map((root) => html`<code>${line(root)}</code> `)}</p></li>`;
}
