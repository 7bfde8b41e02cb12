import { html } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { otherLocale, type Text, text } from '../contract/text/text.ts';
import { shell } from './pages/page.ts';
import type { Html, Outside } from './pages/view.ts';
import { language, product } from './words.ts';

/** The page before the login. */
export function loginPage(outside: Outside, problem?: keyof typeof turnedAway): Html {
  const { say, locale } = outside;
  return shell(
    outside,
    say('Log in', 'ログイン'),
    html`<main id="main" class="login"><p class="mark"><img class="seal" src="${outside.assets.icon}" alt="">${say(product)}</p><h1>${say('Log in', 'ログイン')}</h1>
${problem === undefined ? '' : html`<p class="note" role="alert">${say(turnedAway[problem])}</p>`}
<form method="post" action="/login/passkey" class="row" data-passkey-login data-failed="${say('No passkey of this address was used. Log in another way, and register one on the page “Notices”.', 'このアドレスのパスキーは使われませんでした。別の方法でログインし、「通知」ページで登録してください。')}"><button class="yes">${say('Log in with a passkey', 'パスキーでログイン')}</button></form>
<p>${say('Open the link that the server printed when it started, or make a new one on its machine:', 'サーバーの起動時に表示されたリンクを開くか、サーバーのマシンで新しいリンクを作成してください。')}</p><pre>sekisho console</pre><p class="quiet">${say('A link works once, for ten minutes.', 'リンクは 1 回だけ使え、10 分間有効です。')}</p>
<form method="post" action="/login" class="stack"><label>${say('Or paste a token', 'またはトークンを貼り付け')}<input type="password" name="token" autocomplete="off" required maxlength="200" spellcheck="false"></label>
<p class="quiet">${say('A token of the role admin or operator sees everything; any other only what is its own.', 'ロールが admin か operator のトークンはすべてを、それ以外は自分のものだけを見られます。')}</p><div class="row"><button>${say('Log in', 'ログイン')}</button> <a href="?lang=${otherLocale[locale]}">${say(language)}</a></div></form></main>`,
  );
}

/** An error page of one or two sentences. */
export function problemPage(outside: Outside, kind: keyof typeof problems): Html {
  const { say } = outside;
  const [, title, note] = problems[kind];
  return shell(
    outside,
    say(title),
    html`<main id="main" class="login"><p class="mark"><img class="seal" src="${outside.assets.icon}" alt="">${say(product)}</p><h1>${say(title)}</h1>${note === undefined ? '' : html`<p>${say(note)}</p>`}<p><a href="/">${say('Overview', '概要')}</a></p></main>`,
  );
}

/** A link from another site brings no session cookie. A step that this page begins does, so no login is shown. */
export function onwardsPage({ say, locale }: Outside, here: string): Html {
  return html`<!doctype html><html lang="${locale}"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${here}"><title>${say(product)}</title><p><a href="${here}">${say(product)}</a></p></html>`;
}

const turnedAway = {
  bad: text(
    'That link or token does not work. A link works once, for ten minutes: make a new one with sekisho console.',
    'このリンクまたはトークンは使えません。リンクは 1 回だけ使え、10 分間有効です。sekisho console で新しいリンクを作成してください。',
  ),
  often: text('Too many tries. Wait a minute.', '試行回数が多すぎます。1 分ほど待ってください。'),
  out: text('You are logged out.', 'ログアウトしました。'),
};

/** Why there is no page: the status, and a sentence or two. */
export const problems = {
  elsewhere: [
    421,
    text('The console has an address of its own.', 'コンソールには専用のアドレスがあります。'),
    text(
      'Open the link that “sekisho console” prints on the server’s machine.',
      'サーバーのマシンで「sekisho console」を実行し、表示されたリンクを開いてください。',
    ),
  ],
  stale: [
    403,
    text('That form is too old.', 'フォームが古くなっています。'),
    text(
      'Go back, load the page again and repeat what you did.',
      '前のページを再読み込みして、もう一度操作してください。',
    ),
  ],
  forbidden: [
    403,
    text('This page is for operators.', 'このページは運用者専用です。'),
    text(
      'Log in with a link from the server’s machine, or a token of the role admin or operator.',
      'サーバーのマシンで作成したリンク、またはロールが admin か operator のトークンでログインしてください。',
    ),
  ],
  locked: [
    403,
    text('Not answered.', '回答していません。'),
    text(
      'It takes your passkey, for exactly this question and this answer, each time anew.',
      '質問と回答ごとに、毎回パスキーが必要です。',
    ),
  ],
  linkGone: [
    410,
    text('This link has ended.', 'このリンクは無効になりました。'),
    text(
      'Its questions were answered long ago or have expired. Log in to see what waits.',
      '質問はすでに回答されたか、期限が切れました。待っている質問はログインして確認できます。',
    ),
  ],
  missing: [404, text('There is nothing at this address.', 'このアドレスには何もありません。')],
  failed: [
    500,
    text('That did not work.', '処理できませんでした。'),
    text('The reason is in the server’s log.', '理由はサーバーのログにあります。'),
  ],
} satisfies Record<string, readonly [status: ContentfulStatusCode, title: Text, note?: Text]>;
