import { html } from 'hono/html';
import type { ServerReview } from '../../contract/operator.ts';
import type { ServerStatus } from '../../contract/upstream.ts';
import { diffBlock, line } from '../shown.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

/** Proxied servers: their state, their tools, and which of those need a review. */
export function serversPage(statuses: readonly ServerStatus[], view: View): Html {
  const say = view.words.servers;
  return page(
    view,
    'servers',
    say.title,
    statuses.length === 0
      ? html`<p class="empty">${say.empty}</p>`
      : html`<ul class="cards" data-list>${statuses.map((status) => card(status, view))}</ul>`,
  );
}

/** The changes of a server's tools, definition by definition, and the approval of exactly these. */
export function reviewPage(name: string, review: ServerReview | undefined, view: View): Html {
  const say = view.words.servers;
  const back = html`<p><a href="/servers">${view.words.back}</a></p>`;
  if (!review) return page(view, 'servers', line(name), html`<p class="empty">${say.nothing}</p>${back}`);
  const changes = review.changes.map(
    (change) =>
      html`<section><h2>${line(change.name)} <span class="badge">${say.why[change.why]}</span></h2>
${change.findings.length > 0 ? html`<ul class="bad">${change.findings.map((finding) => html`<li>${line(finding, 400)}</li>`)}</ul>` : ''}${diffBlock(change.diff, view)}</section>`,
  );
  const removed = review.removed.map((tool) => html`<p>${line(tool)} (${say.removed})</p>`);
  const approval = form(
    view,
    `/servers/${encodeURIComponent(name)}/approve`,
    html`<input type="hidden" name="digest" value="${review.digest}"><button class="yes">${say.approve}</button> <code class="quiet">${review.digest}</code>`,
    'row',
  );
  return page(view, 'servers', line(name), html`${changes}${removed}${approval}${back}`);
}

function card({ name, state, problem, tools, held }: ServerStatus, view: View): Html {
  const say = view.words.servers;
  const kind = state === 'ready' ? 'passed' : state === 'failed' || state === 'closed' ? 'refused' : 'asked';
  const waits =
    held.length === 0
      ? ''
      : html`<p><strong>${say.held}:</strong> ${held.map((tool) => html`${line(tool.name, 60)} (${say.why[tool.why]}) `)} <a href="/servers/${encodeURIComponent(name)}">${say.look}</a></p>`;
  const list =
    tools.length === 0
      ? ''
      : html`<details><summary>${say.tools(String(tools.length))}</summary><ul class="names">${tools.map((tool) => html`<li><code>${line(tool)}</code></li>`)}</ul></details>`;
  return html`<li class="card ${kind}" tabindex="-1"><h2>${line(name)} <span class="outcome">${say.states[state]}</span></h2>
${problem ? html`<p class="bad">${line(problem[view.locale], 600)}</p>` : ''}${waits}${list}
<details class="danger"><summary>${say.forget}…</summary>${form(view, `/servers/${encodeURIComponent(name)}/forget`, html`<button class="no">${say.forget}</button>`)}</details></li>`;
}
