import { html } from 'hono/html';
import { otherLocale } from '../contract/text/text.ts';
import { shell } from './pages/page.ts';
import type { Html, Outside } from './pages/view.ts';
import type { Words } from './words/words.ts';

/** The page before the login. */
export function loginPage(outside: Outside, problem?: 'bad' | 'often' | 'out'): Html {
  const { words, locale } = outside;
  const say = words.login;
  return shell(
    outside,
    say.title,
    html`<main id="main" class="login"><p class="mark"><img class="seal" src="${outside.assets.icon}" alt="">${words.name}</p><h1>${say.title}</h1>
${problem === undefined ? '' : html`<p class="note" role="alert">${say[problem]}</p>`}
<form method="post" action="/login/passkey" class="row" data-passkey-login data-failed="${say.passkeyFailed}"><button class="yes">${say.passkey}</button></form>
<p>${say.link}</p><pre>sekisho console</pre><p class="quiet">${say.linkNote}</p>
<form method="post" action="/login" class="stack"><label>${say.token}<input type="password" name="token" autocomplete="off" required maxlength="200" spellcheck="false"></label>
<p class="quiet">${say.tokenNote}</p><div class="row"><button>${say.submit}</button> <a href="?lang=${otherLocale[locale]}">${words.language}</a></div></form></main>`,
  );
}

/** An error page of one or two sentences. */
export function problemPage(outside: Outside, kind: Exclude<keyof Words['errors'], `${string}Note`>): Html {
  const { [kind]: title, [`${kind}Note` as const]: note } = {
    missingNote: undefined,
    ...outside.words.errors,
  };
  return shell(
    outside,
    title,
    html`<main id="main" class="login"><p class="mark"><img class="seal" src="${outside.assets.icon}" alt="">${outside.words.name}</p><h1>${title}</h1>${note === undefined ? '' : html`<p>${note}</p>`}<p><a href="/">${outside.words.nav.overview}</a></p></main>`,
  );
}

/**
 * After a link from another site, the browser held back the session's cookie. A step that this page begins sends it, so
 * a logged-in person does not see a login.
 */
export function onwardsPage(outside: Outside, here: string): Html {
  return html`<!doctype html><html lang="${outside.locale}"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${here}"><title>${outside.words.name}</title><p><a href="${here}">${outside.words.name}</a></p></html>`;
}
