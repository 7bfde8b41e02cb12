import { html, raw } from 'hono/html';
import type { HistoryEntry } from '../../contract/capabilities/history.ts';
import type { AuditEntry, CallStop } from '../../contract/records.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { actorsOf } from '../../ground/records/actors.ts';
import { flowPathsIn } from '../../ground/records/flow-paths.ts';
import { requestsIn, told } from '../../ground/records/requests-in.ts';
import { titleOf } from '../recent-calls.ts';
import { clock, data, duration, line, named, size, time, who } from '../shown.ts';
import { back, older, transports } from '../words.ts';
import type { AuditPage, CallQuery } from './audit-pages.ts';
import { callRows, outcomeOf, outcomes } from './call-row.ts';
import { flowPaths } from './flow-path.ts';
import { changeList, undoCall } from './history.ts';
import { form, page } from './page.ts';
import { type ChainState, chainLine } from './verification.ts';
import type { Html, View } from './view.ts';

/** The log, with search and paging. */
export function callsPage(query: CallQuery, found: AuditPage, chain: ChainState, view: View): Html {
  const { say, here, dependencies } = view;
  const verify = view.person.isOperator
    ? html`<div class="row between">${chainLine(chain, view)}${form(view, '/calls/verify', html`<button>${say('Verify the chain', 'チェーンを検証')}</button>`)}</div>`
    : '';
  return page(
    view,
    'calls',
    html`${verify}
<form class="search" method="get" action="/calls" role="search">
<label>${say('Text or id', '文字列または ID')}<input type="search" name="text" value="${query.text ?? ''}" maxlength="200" data-search></label>
<label>${say('Tool', 'ツール')}<input name="tool" value="${query.tool ?? ''}" maxlength="200"></label>
${view.person.isOperator ? html`<label>${say('Caller', '呼び出し元')}<input name="principal" value="${query.principal ?? ''}" maxlength="200"></label>` : ''}
<label>${say('Outcome', '結果')}<select name="outcome">${options([['', say('any', 'すべて')], ...Object.entries(outcomes).map(([value, word]) => [value, say(word)] as const)], query.outcome)}</select></label>
<label>${say('Since', '期間')}<select name="since">${options(
      [
        ['', say('any time', 'すべて')],
        ['hour', say('last hour', '直近 1 時間')],
        ['day', say('last day', '直近 1 日')],
        ['week', say('last week', '直近 1 週間')],
      ],
      query.since,
    )}</select></label>
${query.session === undefined ? '' : html`<label>${say('Session', 'セッション')}<input name="session" value="${query.session}" maxlength="200"></label>`}
${query.from === undefined ? '' : html`<input type="hidden" name="from" value="${query.from}"><input type="hidden" name="to" value="${query.to ?? ''}">`}<button>${say('Search', '検索')}</button></form>
${query.from === undefined ? '' : html`<p class="quiet">${say('Only calls in this time:', 'この時間の呼び出しのみ:')} ${time(query.from, view, true)} – ${time(query.to ?? dependencies.now(), view, true)}</p>`}
${found.entries.length > 0 ? html`<ol class="calls" data-list>${callRows(found.entries, view)}</ol>` : html`<p class="empty">${say('No call matches.', '該当する呼び出しはありません。')} <a href="/calls">${say('Show all calls', 'すべての呼び出しを表示')}</a></p>`}
${further(found, here, view)}`,
  );
}

/** The whole record of one call. */
export function callPage(entry: AuditEntry, changes: readonly HistoryEntry[], view: View): Html {
  const { say } = view;
  const has = (name: string, value: unknown) =>
    value === undefined || value === '' ? '' : html`<dt>${name}</dt><dd>${value}</dd>`;
  const { refusal, chain: _, person: __, question, ...facts } = entry.facts ?? {};
  const requests = requestsIn(facts);
  const actors = actorsOf(entry);
  // The last decision says most: about the call's effects, else about its words.
  const decided = Object([facts.tried, facts.held, facts.policy].find((each) => each !== undefined));
  const why: unknown = Object(decided.because)[view.locale];
  const rule: unknown = decided.rule ?? (entry.rule === 'default' ? undefined : entry.rule);
  const decision = [rule, refusal].filter((part) => typeof part === 'string').join(': ');
  const session = view.person.isOperator
    ? html`<a href="/sessions/${encodeURIComponent(entry.sessionId)}" title="${line(entry.sessionId)}">${say('The whole session', 'セッション全体')}</a> · <a href="/calls?session=${encodeURIComponent(entry.sessionId)}">${say('all its calls', 'すべての呼び出し')}</a>`
    : line(entry.sessionId);
  const asked =
    typeof question === 'string'
      ? html`<a href="/approvals/${encodeURIComponent(question)}">${say('See the question', '質問を見る')}</a>`
      : '';
  return page(
    view,
    'calls',
    html`<dl class="facts">
${has(say('Time', '時刻'), time(entry.atMs, view, true))}${has(say('Tool', 'ツール'), html`<a href="/calls?tool=${encodeURIComponent(entry.tool)}" title="${say('Calls of this tool', 'このツールの呼び出し')}">${line(entry.tool, 60)}</a>`)}${has(say('Outcome', '結果'), html`<strong>${outcomeOf(entry, view)}</strong>`)}
${has(say('Caller', '呼び出し元'), actors === entry.principal ? who(actors, view) : line(actors, 1000))}${has(say('Session', 'セッション'), entry.sessionId === '' ? '' : session)}
${has(say('Transport', '経路'), named(entry.transport, transports, view))}${has(say('Client', 'クライアント'), entry.client && line(entry.client))}
${has(say('Reached', '処理段階'), named(entry.stop, stops, view))}${has(say('Question', '質問'), asked)}${has(say('Why', '理由'), typeof why === 'string' ? line(why, 500) : undefined)}${has(say('Rule', 'ルール'), line(decision, 1000))}
${has(say('Approved by', '承認者'), entry.approver && who(entry.approver, view))}${has(say('Duration', '所要時間'), duration(entry.durationMs))}
${has(say('In, out', '入力・出力'), `${size(entry.inputBytes)}, ${size(entry.outputBytes)}`)}${has(say('Trace', 'トレース'), entry.traceId && line(entry.traceId))}
${has(say('Id', 'ID'), html`<code>${entry.id}</code>`)}${has(say('Entry', '記録番号'), html`${entry.seq} <code class="quiet">${entry.hash.slice(0, 16)}…</code>`)}</dl>
${flowPaths(flowPathsIn(facts), entry.tool, view)}
${requests.length === 0 ? '' : html`<h2>${say('Requests that did more than read', '読み取り以外のリクエスト')}</h2><ul>${requests.map((each) => html`<li>${line(told(each)[view.locale], 500)}</li>`)}</ul>`}
${changes.length === 0 ? '' : html`<section><div class="row between"><h2>${say('Changes', '変更')}</h2>${changes.some(({ undoneBy }) => undoneBy === undefined) ? undoCall(entry.id, view) : ''}</div>${changeList(changes, view)}</section>`}
<h2>${say('Arguments', '引数')}</h2>${data(entry.arguments ?? {}, view)}
${Object.keys(facts).length > 0 ? html`<details><summary>${say('As it was recorded', '記録の全文')}</summary>${data(facts, view)}</details>` : ''}
${entry.cause !== undefined && view.person.isOperator ? html`<h2>${say('Cause (for the operator)', '原因（運用者向け）')}</h2>${data(entry.cause, view)}` : ''}
<p><a href="/calls">${say(back)}</a></p>`,
    line(titleOf(entry), 120),
  );
}

function further(found: AuditPage, here: URL, { say, locale, dependencies }: View): Html {
  if (found.next === undefined) return html``;
  const there = new URL(here);
  there.searchParams.delete('note');
  there.searchParams.set('before', String(found.next));
  const link = there.pathname + there.search;
  if (found.searchedToMs === undefined) return html`<p><a rel="next" href="${link}">${say(older)}</a></p>`;
  const isToday = dependencies.now() - found.searchedToMs < 20 * 3_600_000;
  const at = clock(new Date(found.searchedToMs), locale, isToday);
  return html`<p class="quiet">${say(`Searched back to ${at}; more may be found further back.`, `${at} まで検索しました。それより前にも該当するものがある可能性があります。`)} <a rel="next" href="${link}">${say('Search further back', 'さらに前を検索')}</a></p>`;
}

function options(choices: readonly (readonly [string, string])[], chosen: string | undefined): Html {
  return html`${choices.map(([value, name]) => html`<option value="${value}"${value === (chosen ?? '') ? raw(' selected') : ''}>${name}</option>`)}`;
}

const stops: Readonly<Record<CallStop, Text>> = {
  identify: text('who calls', '識別'),
  authorize: text('may they', '権限'),
  limit: text('how often', '回数制限'),
  validate: text('arguments', '引数の検証'),
  approve: text('approval', '承認'),
  run: text('ran', '実行'),
};
