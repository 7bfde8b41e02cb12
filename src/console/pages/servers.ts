import { html } from 'hono/html';
import type { ServerReview } from '../../contract/people/operator.ts';
import { text } from '../../contract/text/text.ts';
import type { ServerStatus } from '../../contract/upstream.ts';
import { counted } from '../../ground/counted.ts';
import { diffBlock, line } from '../shown.ts';
import { back } from '../words.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

/** Proxied servers: their state, their tools, and which of those need a review. */
export function serversPage(statuses: readonly ServerStatus[], view: View): Html {
  const { say } = view;
  return page(
    view,
    'servers',
    statuses.length === 0
      ? html`<p class="empty">${say('No servers are configured. sekisho import copies those of a client.', 'サーバーは設定されていません。sekisho import でクライアントの設定を取り込めます。')}</p>`
      : html`<ul class="cards" data-list>${statuses.map((status) => card(status, view))}</ul>`,
  );
}

/** The changes of a server's tools, definition by definition, and the approval of exactly these. */
export function reviewPage(name: string, review: ServerReview | undefined, view: View): Html {
  const { say } = view;
  const wayBack = html`<p><a href="/servers">${say(back)}</a></p>`;
  if (!review)
    return page(
      view,
      'servers',
      html`<p class="empty">${say('There is nothing to review for this server.', 'このサーバーに確認待ちのツールはありません。')}</p>${wayBack}`,
      line(name),
    );
  const changes = review.changes.map(
    (change) =>
      html`<section><h2>${line(change.name)} <span class="badge">${say(reasons[change.why])}</span></h2>
${change.findings.length > 0 ? html`<ul class="bad">${change.findings.map((finding) => html`<li>${line(finding, 400)}</li>`)}</ul>` : ''}${diffBlock(change.diff, view)}</section>`,
  );
  const removed = review.removed.map((tool) => html`<p>${line(tool)} (${say('removed', '削除')})</p>`);
  const approval = form(
    view,
    `/servers/${encodeURIComponent(name)}/approve`,
    html`<input type="hidden" name="digest" value="${review.digest}"><button class="yes">${say('Approve exactly this', 'この内容で承認')}</button> <code class="quiet">${review.digest}</code>`,
    'row',
  );
  return page(view, 'servers', html`${changes}${removed}${approval}${wayBack}`, line(name));
}

function card({ name, state, problem, tools, held }: ServerStatus, view: View): Html {
  const { say } = view;
  const kind = state === 'ready' ? 'passed' : state === 'failed' || state === 'closed' ? 'refused' : 'asked';
  const waits =
    held.length === 0
      ? ''
      : html`<p><strong>${say('Held back until you review them', '確認待ちのツール')}:</strong> ${held.map((tool) => html`${line(tool.name, 60)} (${say(reasons[tool.why])}) `)} <a href="/servers/${encodeURIComponent(name)}">${say('Review the change', '変更を確認')}</a></p>`;
  const list =
    tools.length === 0
      ? ''
      : html`<details><summary>${say(counted(tools.length, 'tool'), `ツール ${tools.length} 個`)}</summary><ul class="names">${tools.map((tool) => html`<li><code>${line(tool)}</code></li>`)}</ul></details>`;
  return html`<li class="card ${kind}" tabindex="-1"><h2>${line(name)} <span class="outcome">${say(states[state])}</span></h2>
${problem ? html`<p class="bad">${line(problem[view.locale], 600)}</p>` : ''}${waits}${list}
<details class="danger"><summary>${say('Forget what was approved', '承認の記録を削除')}…</summary>${form(view, `/servers/${encodeURIComponent(name)}/forget`, html`<button class="no">${say('Forget what was approved', '承認の記録を削除')}</button>`)}</details></li>`;
}

const states = {
  disabled: text('disabled', '無効'),
  idle: text('idle', '待機'),
  starting: text('starting', '起動中'),
  ready: text('ready', '稼働中'),
  failed: text('failed', '障害'),
  closed: text('closed', '停止'),
};

const reasons = {
  changed: text('changed', '変更'),
  added: text('new', '新規'),
  flagged: text('suspicious', '要注意'),
};
