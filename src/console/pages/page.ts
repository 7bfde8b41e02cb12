import { html, raw } from 'hono/html';
import { type Locale, otherLocale } from '../../contract/text/text.ts';
import { line } from '../shown.ts';
import type { Words } from '../words/words.ts';
import type { Html, Outside, View } from './view.ts';

type PageName = keyof Words['nav'];

const paths: Readonly<Record<PageName, string>> = {
  overview: '/',
  approvals: '/approvals',
  calls: '/calls',
  sessions: '/sessions',
  history: '/history',
  memories: '/memories',
  servers: '/servers',
  policy: '/policy',
  notices: '/notices',
};

/** Pages that only an operator may see. */
const operatorPages: ReadonlySet<PageName> = new Set(['sessions', 'history', 'servers', 'policy', 'notices']);

/** A whole page of a logged-in person. */
export function page(view: View, name: PageName, title: string, content: Html): Html {
  const { words, person, here } = view;
  const names = (Object.keys(paths) as PageName[]).filter(
    (each) => person.isOperator || !operatorPages.has(each),
  );
  const items = names.map((each) => {
    const current = each === name ? raw(' aria-current="page"') : '';
    const mark = each === 'approvals' ? badge(view.waiting) : '';
    return html`<li><a href="${paths[each]}"${current}>${words.nav[each]}${mark}</a></li>`;
  });
  const note = words.notes[here.searchParams.get('note') as keyof Words['notes']];
  return shell(
    view,
    title,
    html`<header class="top">
  <a class="mark" href="/"><img class="seal" src="${view.assets.icon}" alt="">${words.name}</a>
  <nav aria-label="${words.menu}"><ul>${items}</ul></nav>
  <div class="who"><span title="${line(person.name)}">${line(person.name.replace(/^console:/, ''), 24)}</span>
    <a href="${otherLanguage(here, view.locale)}" hreflang="${otherLocale[view.locale]}">${words.language}</a>
    <button type="button" class="plain" data-keys>${words.keys} <kbd>?</kbd></button>
    ${form(view, '/logout', html`<button class="plain">${words.logout}</button>`)}</div>
</header>
<main id="main" tabindex="-1"><h1>${title}</h1>${note ? html`<p class="note" role="status">${note}</p>` : ''}${content}</main>
<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${words.keys}</h2><dl class="keys">${words.keysList.map(([keys, meaning]) => html`<dt><kbd>${keys}</kbd></dt><dd>${meaning}</dd>`)}</dl>
<form method="dialog"><button>${words.close}</button></form></dialog>`,
  );
}

/** The number of open questions; also sent alone when it changes. */
export function badge(waiting: number): Html {
  const hidden = waiting === 0 ? raw(' hidden') : '';
  return html` <span class="badge" id="waiting-count"${hidden}>${waiting > 99 ? '99+' : waiting}</span>`;
}

/** The frame of every page, also before the login. */
export function shell(
  { locale, words, assets, needsUnlock = false }: Outside & Partial<Pick<View, 'needsUnlock'>>,
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
<title>${title} · ${words.name}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="apple-touch-icon" href="/console-assets/0/icon-192.png">
${needsUnlock ? html`<meta name="sekisho-unlock" content="${words.link.locked}">` : ''}<link rel="stylesheet" href="${assets.css}">
${assets.scripts.map((path) => html`<script src="${path}" defer></script>`)}
</head>
<body><a class="skip" href="#main">${words.skip}</a>
${body}
</body>
</html>`;
}

/** A form that posts, with the proof that it comes from our page, and the page to return to. */
export function form(view: Pick<View, 'csrf' | 'here'>, action: string, fields: Html, kind = ''): Html {
  const from = view.here.pathname + view.here.search;
  return html`<form method="post" action="${action}" class="${kind}"><input type="hidden" name="csrf" value="${view.csrf}"><input type="hidden" name="from" value="${from}">${fields}</form>`;
}

function otherLanguage(here: URL, locale: Locale): string {
  const there = new URL(here);
  there.searchParams.set('lang', otherLocale[locale]);
  return there.pathname + there.search;
}
