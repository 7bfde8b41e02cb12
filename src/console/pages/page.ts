import { html, raw } from 'hono/html';
import { type Locale, otherLocale, text } from '../../contract/text/text.ts';
import { line } from '../shown.ts';
import { language, lockedDevice, notes, product } from '../words.ts';
import type { Html, Outside, View } from './view.ts';

/** The pages of the menu: address, name, and whether only an operator may see it. */
const pages = {
  overview: ['/', text('Overview', '概要')],
  approvals: ['/approvals', text('Approvals', '承認')],
  calls: ['/calls', text('Calls', '呼び出し')],
  sessions: ['/sessions', text('Sessions', 'セッション'), true],
  history: ['/history', text('History', '履歴'), true],
  memories: ['/memories', text('Memories', 'メモリ')],
  servers: ['/servers', text('Servers', 'サーバー'), true],
  policy: ['/policy', text('Policy', 'ポリシー'), true],
  notices: ['/notices', text('Notices', '通知'), true],
} as const;

/** A whole page of a logged-in person. */
export function page(
  view: View,
  name: keyof typeof pages,
  content: Html,
  title = view.say(pages[name][1]),
): Html {
  const { say, person, here } = view;
  const items = Object.entries(pages).map(([each, [path, title, isForOperators = false]]) => {
    if (isForOperators && !person.isOperator) return '';
    const current = each === name ? raw(' aria-current="page"') : '';
    const mark = each === 'approvals' ? badge(view.waiting) : '';
    return html`<li><a href="${path}"${current}>${say(title)}${mark}</a></li>`;
  });
  const note = new Map(Object.entries(notes)).get(here.searchParams.get('note') ?? '');
  return shell(
    view,
    title,
    html`<header class="top">
  <a class="mark" href="/"><img class="seal" src="${view.assets.icon}" alt="">${say(product)}</a>
  <nav aria-label="${say('Pages', 'ページ')}"><ul>${items}</ul></nav>
  <div class="who"><span title="${line(person.name)}">${line(person.name.replace(/^console:/, ''), 24)}</span>
    <a href="${otherLanguage(here, view.locale)}" hreflang="${otherLocale[view.locale]}">${say(language)}</a>
    <button type="button" class="plain" data-keys>${say('Keyboard', 'キーボード')} <kbd>?</kbd></button>
    ${form(view, '/logout', html`<button class="plain">${say('Log out', 'ログアウト')}</button>`)}</div>
</header>
${haltBar(view)}<main id="main" tabindex="-1"><h1>${title}</h1>${note ? html`<p class="note" role="status">${say(note)}</p>` : ''}${content}</main>
<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${say('Keyboard', 'キーボード')}</h2><dl class="keys">${keys.map(([keys, meaning]) => html`<dt><kbd>${keys}</kbd></dt><dd>${say(meaning)}</dd>`)}</dl>
<form method="dialog"><button>${say('Close', '閉じる')}</button></form></dialog>`,
  );
}

/** Stops all work, or tells that it is stopped and lets it go on: on every page. */
function haltBar(view: View): Html | string {
  const { say, halt, person, needsUnlock } = view;
  if (!halt)
    return person.isOperator
      ? form(
          view,
          '/halt',
          html`<button class="no">${say('Stop all work', 'すべての作業を停止')}</button>`,
          'halt',
        )
      : '';
  const since = new Date(halt.sinceMs).toISOString();
  const words = say(
    `All work is stopped since ${since} by ${line(halt.by)}. Calls are refused.`,
    `${since} に ${line(halt.by)} がすべての作業を停止しました。呼び出しは拒否されます。`,
  );
  const unlock = needsUnlock ? html` data-unlock="/resume/unlock" data-failed="${say(lockedDevice)}"` : '';
  const button = html`<button class="yes" name="answer" value="resume">${say('Let work go on', '作業を再開')}</button>`;
  return html`<div class="note halt" role="alert"><p>${words}</p>${person.isOperator ? form(view, '/resume', button, 'row', unlock) : ''}</div>`;
}

const keys = [
  ['g o', text('overview', '概要')],
  ['g a', text('approvals', '承認')],
  ['g c', text('calls', '呼び出し')],
  ['g h', text('history', '履歴')],
  ['j / k', text('next, previous entry', '次・前の項目')],
  ['/', text('search', '検索')],
  ['a', text('go to “Allow once” of the first question', '最初の質問の「今回だけ許可」へ移動')],
  ['?', text('this list', 'この一覧')],
] as const;

/** The number of open questions; also sent alone when it changes. */
export function badge(waiting: number): Html {
  const hidden = waiting === 0 ? raw(' hidden') : '';
  return html` <span class="badge" id="waiting-count"${hidden}>${waiting > 99 ? '99+' : waiting}</span>`;
}

/** The frame of every page, also before the login. */
export function shell(
  { locale, say, assets, needsUnlock = false }: Outside & Partial<Pick<View, 'needsUnlock'>>,
  title: string,
  body: Html,
): Html {
  // htmx must run no code from attributes and add no style; the page's policy forbids both.
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="htmx-config" content='{"includeIndicatorCSS":false,"history":false,"mode":"same-origin","extensions":"sse","morphIgnore":["data-htmx-powered","open","data-sent"]}'>
<title>${title} · ${say(product)}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/console-assets/0/icon-192.png">
${needsUnlock ? html`<meta name="sekisho-unlock" content="${say(lockedDevice)}">` : ''}<link rel="stylesheet" href="${assets.css}">
${assets.scripts.map((path) => html`<script src="${path}" defer></script>`)}
</head>
<body><a class="skip" href="#main">${say('Skip to content', '本文へ移動')}</a>
${body}
</body>
</html>`;
}

/** A form that posts, with the proof that it comes from our page, and the page to return to. */
export function form(
  view: Pick<View, 'csrf' | 'here'>,
  action: string,
  fields: Html,
  kind = '',
  more: Html | string = '',
): Html {
  const from = view.here.pathname + view.here.search;
  return html`<form method="post" action="${action}" class="${kind}"${more}><input type="hidden" name="csrf" value="${view.csrf}"><input type="hidden" name="from" value="${from}">${fields}</form>`;
}

function otherLanguage(here: URL, locale: Locale): string {
  const there = new URL(here);
  there.searchParams.set('lang', otherLocale[locale]);
  return there.pathname + there.search;
}
