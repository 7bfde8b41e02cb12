import { html, raw } from 'hono/html';
import type { NodeView } from '../../contract/nodes.ts';
import type { AuditEntry } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import type { RecentCall } from '../recent-calls.ts';
import { count, duration, line, named } from '../shown.ts';
import type { Waiting } from '../waiting.ts';
import { approvalCards } from './approval-cards.ts';
import { callRows } from './call-row.ts';
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
  const { say } = view;
  return page(
    view,
    'overview',
    html`<section aria-labelledby="waiting-title"><h2 id="waiting-title">${say('Waiting for you', '回答待ち')}</h2>
<div id="waiting" data-hx-get="/approvals/waiting" data-hx-trigger="approvals from:#live" data-hx-swap="innerMorph">${approvalCards(parts.waiting, view)}</div></section>
<section id="charts" data-hx-get="/charts?span=${parts.span}" data-hx-trigger="every 20s">${chartsSection(parts, view)}</section>
<section aria-labelledby="live-title"><h2 id="live-title">${say('Calls as they happen', '最新の呼び出し（自動更新）')}</h2>
${liveList(parts.newest, view)}</section>
${view.person.isOperator ? html`${serving(parts.chain, view)}${nodeList(parts.nodes, view)}` : ''}`,
  );
}

export function chartsSection({ calls, span }: Pick<OverviewParts, 'calls' | 'span'>, view: View): Html {
  const { say } = view;
  const tab = (each: Span, name: string) =>
    html`<a id="span-${each}" href="/?span=${each}"${each === span ? raw(' aria-current="true"') : ''}>${name}</a>`;
  return html`<div class="tabs">${tab('hour', say('Last hour', '直近 1 時間'))}${tab('day', say('Last day', '直近 1 日'))}<span class="quiet">${say(`of the newest ${count(calls.length, view.locale)} calls`, `最新の ${count(calls.length, view.locale)} 件の呼び出しに基づく`)}</span></div>
${charts(calls, span, view)}`;
}

/** The list continues after the newest call that is drawn, so that none is lost or shown twice. */
function liveList(newest: readonly AuditEntry[], view: View): Html {
  const after = newest[0]?.seq ?? 0;
  return html`<ol class="calls" id="live" data-list aria-live="off" data-hx-sse:connect="/live?after=${after}" data-hx-swap="afterbegin">${callRows(newest, view)}</ol>
<p class="empty when-empty">${view.say('No calls yet. Connect a client with `sekisho init`, and its calls appear here.', '呼び出しはまだありません。`sekisho init` でクライアントを接続すると、ここに表示されます。')}</p>`;
}

function serving(chain: ChainState, view: View): Html {
  const { say, dependencies } = view;
  const { served } = dependencies;
  return html`<section><dl class="facts">
<dt>${say('Serving', '対象フォルダー')}</dt><dd>${served.roots.map((root) => html`<code>${line(root)}</code> `)}</dd>
<dt>${say('Mode', 'モード')}</dt><dd>${named(served.mode, modes, view)}</dd>
<dt>${say('Toolsets', 'ツールセット')}</dt><dd>${served.toolsets.join(', ')}</dd>
<dt>${say('Sandbox', 'サンドボックス')}</dt><dd>${named(served.sandbox, sandboxes, view)}</dd>
<dt>${say('Audit chain', '監査ログのチェーン')}</dt><dd>${chainLine(chain, view)} <a href="/calls">${say('Calls', '呼び出し')}</a></dd>
<dt>${say('Version', 'バージョン')}</dt><dd>${served.version}</dd></dl></section>`;
}

/** The servers on these records, their load and version; no list for a single server. */
function nodeList(nodes: readonly NodeView[], view: View): Html | '' {
  if (nodes.length < 2) return '';
  return html`<section aria-labelledby="nodes-title"><h2 id="nodes-title">${view.say('Servers on these records', 'この記録を共有するサーバー')}</h2>
<ul class="cards">${nodes.map((node) => card(node, view))}</ul></section>`;
}

function card({ state, seenAgoMs, ...node }: NodeView, view: View): Html {
  const { say } = view;
  const kind = state === 'serving' ? 'passed' : state === 'lost' ? 'refused' : 'asked';
  const how =
    state === 'lost'
      ? say(
          `lost, last seen ${Math.round(seenAgoMs / 1000)} s ago`,
          `応答なし（${Math.round(seenAgoMs / 1000)} 秒前が最後）`,
        )
      : say(nodeStates[state]);
  const memory = `${Math.round(node.residentBytes / 1024 / 1024)} MiB`;
  return html`<li class="card ${kind}"><h3>${line(`${node.host}:${node.pid}`)} <span class="outcome">${how}</span></h3>
<p>${line(node.address)} · ${line(node.version)} · ${say(node.calls === 1 ? '1 call' : `${node.calls} calls`, `呼び出し ${node.calls} 件`)} · CPU ${Math.round(node.load * 100)} % · ${memory}</p>
<p>${node.roots.map((root) => html`<code>${line(root)}</code> `)}</p></li>`;
}

type Span = 'hour' | 'day';

const spans: Readonly<Record<Span, { readonly bars: number; readonly minutes: number }>> = {
  hour: { bars: 60, minutes: 1 },
  day: { bars: 48, minutes: 30 },
};

interface Bar {
  passed: number;
  refused: number;
  failed: number;
  asked: number;
  readonly durations: number[];
}

/** Three small charts of one period: calls, refusals, latency. Drawn on the server, without code in the page. */
function charts(calls: readonly RecentCall[], span: Span, view: View): Html {
  const { say, locale, dependencies } = view;
  const { bars, minutes } = spans[span];
  const now = dependencies.now();
  const barMs = minutes * 60_000;
  const series = barsOf(calls, now, bars, barMs);
  const since = `from=${now - bars * barMs}&to=${now}`;
  const total = series.reduce((sum, bar) => sum + all(bar), 0);
  const refused = series.reduce((sum, bar) => sum + bar.refused, 0);
  const failed = series.reduce((sum, bar) => sum + bar.failed, 0);
  const durations = series.flatMap((bar) => bar.durations);
  const latency =
    durations.length === 0
      ? html`<b class="figure">–</b><span class="quiet">${say('no calls to measure', '計測できる呼び出しがありません')}</span>`
      : html`<b class="figure">${duration(quantile(durations, 0.5))}</b><span class="quiet">${say('median', '中央値')} · ${say('p95', '95 %')} ${duration(quantile(durations, 0.95))}</span>`;
  return html`<div class="charts">
<figure><figcaption>${say('Calls', '呼び出し')}<a class="figure" href="/calls?${since}">${count(total, locale)}</a><span class="quiet">${say(minutes === 1 ? 'each bar one minute' : `each bar ${minutes} minutes`, `棒 1 本が ${minutes} 分`)}</span></figcaption>
${stacked(
  series,
  `${say('Calls', '呼び出し')}: ${total}`,
  [
    ['passed', (bar) => bar.passed + bar.asked],
    ['failed', (bar) => bar.failed],
    ['refused', (bar) => bar.refused],
  ],
  linksTo(now, barMs, ''),
)}</figure>
<figure><figcaption>${say('Refused', '拒否')}<a class="figure" href="/calls?outcome=error&${since}">${count(refused, locale)}</a><span class="quiet"><i class="dot failed"></i>${say('Failed', '失敗')} ${count(failed, locale)}</span></figcaption>
${stacked(
  series,
  `${say('Refused', '拒否')}: ${refused}, ${say('Failed', '失敗')}: ${failed}`,
  [
    ['failed', (bar) => bar.failed],
    ['refused', (bar) => bar.refused],
  ],
  linksTo(now, barMs, 'outcome=error&'),
)}</figure>
<figure><figcaption>${say('Latency', '所要時間')}${latency}</figcaption>${lines(series, say('Latency', '所要時間'))}</figure>
</div>`;
}

type Stack = readonly (readonly [kind: string, of: (bar: Bar) => number])[];

/** Links to the calls of a bar, `left` bars from the right. The keyboard gets to them by the figure above. */
function linksTo(now: number, barMs: number, more: string) {
  return (left: number) => `/calls?${more}from=${now - (left + 1) * barMs}&to=${now - left * barMs}`;
}

function stacked(
  series: readonly Bar[],
  label: string,
  stack: Stack,
  hrefOf: (left: number) => string,
): Html {
  const highest = Math.max(1, ...series.map((bar) => stack.reduce((sum, [, of]) => sum + of(bar), 0)));
  const step = width / series.length;
  const rects = series.map((bar, place) => {
    let top = height;
    const total = stack.reduce((sum, [, of]) => sum + of(bar), 0);
    if (total === 0) return '';
    const drawn = stack.map(([kind, of]) => {
      const value = of(bar);
      if (value === 0) return '';
      const tall = Math.max(1.5, (value / highest) * (height - 4));
      top -= tall;
      return html`<rect class="${kind}" x="${(place * step + step * 0.12).toFixed(1)}" y="${top.toFixed(1)}" width="${(step * 0.76).toFixed(1)}" height="${tall.toFixed(1)}"/>`;
    });
    const whole = html`<rect class="whole" x="${(place * step).toFixed(1)}" y="0" width="${step.toFixed(1)}" height="${height}"/>`;
    return html`<a href="${hrefOf(series.length - 1 - place)}" tabindex="-1" aria-label="${total}">${whole}${drawn}</a>`;
  });
  return drawing(label, html`${rects}`);
}

/** Median and 95th percentile of each bar; the time axis is linear, durations are logarithmic. */
function lines(series: readonly Bar[], label: string): Html {
  const highest = Math.max(10, ...series.map((bar) => quantile(bar.durations, 0.95)));
  const step = width / series.length;
  const y = (ms: number) => height - (Math.log1p(ms) / Math.log1p(highest)) * (height - 12);
  const pathOf = (share: number) => {
    let isDrawn = false;
    return series
      .map((bar, place) => {
        if (bar.durations.length === 0) {
          isDrawn = false;
          return '';
        }
        const command = isDrawn ? 'L' : 'M';
        isDrawn = true;
        return `${command}${((place + 0.5) * step).toFixed(1)} ${y(quantile(bar.durations, share)).toFixed(1)}h.01`;
      })
      .join('');
  };
  return drawing(
    label,
    html`<path class="p95" d="${pathOf(0.95)}"/><path class="median" d="${pathOf(0.5)}"/>`,
  );
}

function drawing(label: string, content: Html): Html {
  return html`<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="group" aria-label="${label}"><line class="ground" x1="0" x2="${width}" y1="${height}" y2="${height}"/>${content}</svg>`;
}

function barsOf(calls: readonly RecentCall[], now: number, bars: number, barMs: number): readonly Bar[] {
  const series: Bar[] = Array.from({ length: bars }, () => ({
    passed: 0,
    refused: 0,
    failed: 0,
    asked: 0,
    durations: [],
  }));
  // Newest first: everything before the chart's start is older still, apart from differing clocks.
  for (let place = calls.length - 1; place >= 0; place--) {
    const call = calls[place];
    if (!call || call.atMs < now - bars * barMs - 3_600_000) break;
    const bar = series[bars - 1 - Math.floor((now - call.atMs) / barMs)];
    if (!bar) continue;
    bar[call.kind] += 1;
    if (!call.waited) bar.durations.push(call.durationMs);
  }
  return series;
}

function all(bar: Bar): number {
  return bar.passed + bar.refused + bar.failed + bar.asked;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const width = 300;
const height = 64;

const modes = {
  'read-only': text('read only', '読み取り専用'),
  'workspace-write': text('write in the folders', 'フォルダー内の書き込み'),
  'full-access': text('full access', '制限なし'),
};

const sandboxes = {
  required: text('each command runs in one', 'コマンドは必ずその中で実行'),
  off: text('off', 'なし'),
};

const nodeStates = {
  serving: text('serving', '提供中'),
  draining: text('draining', '停止準備中'),
};
