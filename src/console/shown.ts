import { html, raw } from 'hono/html';
import { cleanLine, cleanText } from '../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../contract/text/text.ts';
import type { Html, View } from './pages/view.ts';

/** A stranger's words on one line: hidden characters made visible, shortened if they are long. */
export function line(words: string, maxChars = 120): string {
  return cut(cleanLine(cut(words, maxChars * 4)), maxChars);
}

/** A stranger's words with their line breaks. Long text can be expanded. */
export function block(words: string, { say }: Pick<View, 'say'>, maxChars = 2000): Html {
  const clean = cleanText(cut(words, mostChars));
  // Focusable, so that a box with overflowing text can be scrolled by keyboard.
  const reachable = clean.length > 500 || clean.split('\n').length > 15 ? raw(' tabindex="0"') : '';
  if (clean.length <= maxChars) return html`<pre${reachable}>${clean}</pre>`;
  return html`<pre${reachable}>${cut(clean, maxChars)}</pre>
<details class="more"><summary>${say(`Show all ${clean.length} characters`, `全 ${clean.length} 文字を表示`)}</summary><pre tabindex="0">${clean}</pre></details>`;
}

/** Any value as indented JSON. */
export function data(value: unknown, view: Pick<View, 'say'>): Html {
  return block(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''), view);
}

/** A time. The browser shows it in its own zone, with its age unless `isExact`; without scripts, in ours. */
export function time(
  ms: number,
  { locale, dependencies }: Pick<View, 'locale' | 'dependencies'>,
  isExact = false,
): Html {
  const at = new Date(ms);
  const isToday = Math.abs(dependencies.now() - ms) < 20 * 3_600_000;
  return html`<time datetime="${at.toISOString()}" title="${at.toISOString()}"${isExact ? raw(' data-exact') : ''}>${clock(at, locale, isToday)}</time>`;
}

/** The word for one of our codes; the code itself as a tooltip. */
export function named(code: string, words: Readonly<Record<string, Text>>, { say }: Pick<View, 'say'>): Html {
  const word = Object.hasOwn(words, code) ? words[code] : undefined;
  return html`<span title="${line(code, 60)}">${line(word ? say(word) : code, 60)}</span>`;
}

/** A principal by a readable name: `user:ada` is Ada with a token, `local` the person at this machine. */
export function who(principal: string, view: Pick<View, 'say'>): Html {
  return html`<span title="${line(principal, 80)}">${callerName(principal, view)}</span>`;
}

/** A caller's name in words, e.g. "this machine". */
export function callerName(principal: string, { say }: Pick<View, 'say'>): string {
  const [kind = '', ...name] = principal.split(':');
  const word = new Map(Object.entries(people)).get(kind);
  const shown =
    name.length === 0
      ? word
        ? say(word)
        : principal
      : word === undefined
        ? principal
        : `${name.join(':')} (${say(word)})`;
  return line(shown, 60);
}

export function clock(at: Date, locale: Locale, isToday: boolean): string {
  const day = { month: 'short', day: 'numeric' } as const;
  const hours = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat(regions[locale], {
    ...(isToday ? {} : day),
    ...hours,
  }).format(at);
}

export function count(value: number, locale: Locale): string {
  return new Intl.NumberFormat(regions[locale]).format(value);
}

/** The region whose date and number formats a language uses. */
const regions = text('en-GB', 'ja-JP');

/** The kinds of principals. */
const people = {
  local: text('this machine', 'このマシン'),
  console: text('console', 'コンソール'),
  cli: text('terminal', 'ターミナル'),
  user: text('token', 'トークン'),
  notice: text('notice', '通知'),
  slack: text('Slack', 'Slack'),
  client: text('client', 'クライアント'),
};

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** A unified diff, one row per line. */
export function diffBlock(diff: string, view: Pick<View, 'say'>, isLonger = false): Html {
  // The line of equals signs separates files; here there is only one.
  const lines = cleanText(cut(diff, mostChars))
    .split('\n')
    .filter((row) => !/^={60,}$/.test(row));
  const rows = lines.slice(0, mostLines).map((row) => html`<span class="${kindOf(row)}">${row}\n</span>`);
  const isCut = isLonger || diff.length > mostChars || lines.length > mostLines;
  return html`<pre class="diff" tabindex="0">${rows}</pre>${isCut ? html`<p class="quiet">… ${view.say(`Show all ${diff.length} characters`, `全 ${diff.length} 文字を表示`)}: <code>sekisho diff</code></p>` : ''}`;
}

function kindOf(row: string): string {
  if (row.startsWith('@@')) return 'at';
  if (row.startsWith('+++') || row.startsWith('---')) return 'file';
  if (row.startsWith('+')) return 'plus';
  return row.startsWith('-') ? 'minus' : 'same';
}

function cut(words: string, maxChars: number): string {
  if (words.length <= maxChars) return words;
  const last = words.charCodeAt(maxChars - 1);
  return `${words.slice(0, last >= 0xd800 && last < 0xdc00 ? maxChars - 1 : maxChars)}…`;
}

/** Bounds a page, whatever the size of a value. */
const mostChars = 200_000;
const mostLines = 5000;
