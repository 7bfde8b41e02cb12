import { html } from 'hono/html';
import type { RecentCall } from '../recent-calls.ts';
import { count, duration } from '../shown.ts';
import type { Html, View } from './view.ts';

export type Span = 'hour' | 'day';

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
export function charts(calls: readonly RecentCall[], span: Span, view: View): Html {
  const { words, locale, dependencies } = view;
  const { bars, minutes } = spans[span];
  const now = dependencies.now();
  const barMs = minutes * 60_000;
  const series = barsOf(calls, now, bars, barMs);
  const since = `from=${now - bars * barMs}&to=${now}`;
  const total = series.reduce((sum, bar) => sum + all(bar), 0);
  const refused = series.reduce((sum, bar) => sum + bar.refused, 0);
  const failed = series.reduce((sum, bar) => sum + bar.failed, 0);
  const durations = series.flatMap((bar) => bar.durations);
  const say = words.overview;
  const latency =
    durations.length === 0
      ? html`<b class="figure">–</b><span class="quiet">${say.noLatency}</span>`
      : html`<b class="figure">${duration(quantile(durations, 0.5))}</b><span class="quiet">${say.median} · ${say.p95} ${duration(quantile(durations, 0.95))}</span>`;
  return html`<div class="charts">
<figure><figcaption>${say.calls}<a class="figure" href="/calls?${since}">${count(total, locale)}</a><span class="quiet">${say.perBucket(minutes)}</span></figcaption>
${stacked(
  series,
  `${say.calls}: ${total}`,
  [
    ['passed', (bar) => bar.passed + bar.asked],
    ['failed', (bar) => bar.failed],
    ['refused', (bar) => bar.refused],
  ],
  linksTo(now, barMs, ''),
)}</figure>
<figure><figcaption>${say.refused}<a class="figure" href="/calls?outcome=error&${since}">${count(refused, locale)}</a><span class="quiet"><i class="dot failed"></i>${say.failed} ${count(failed, locale)}</span></figcaption>
${stacked(
  series,
  `${say.refused}: ${refused}, ${say.failed}: ${failed}`,
  [
    ['failed', (bar) => bar.failed],
    ['refused', (bar) => bar.refused],
  ],
  linksTo(now, barMs, 'outcome=error&'),
)}</figure>
<figure><figcaption>${say.latency}${latency}</figcaption>${lines(series, say.latency)}</figure>
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
  return drawing(label, html`${rects}<text x="${width}" y="9" text-anchor="end">${highest}</text>`);
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
    html`<path class="p95" d="${pathOf(0.95)}"/><path class="median" d="${pathOf(0.5)}"/><text x="${width}" y="9" text-anchor="end">${duration(highest)}</text>`,
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
