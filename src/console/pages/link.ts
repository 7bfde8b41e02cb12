import { html } from 'hono/html';
import type { ApprovalRecord } from '../../contract/records.ts';
import { otherLocale } from '../../contract/text/text.ts';
import { line } from '../shown.ts';
import { language, lockedDevice, notes, product } from '../words.ts';
import { shell } from './page.ts';
import { questionHead, questionRest } from './question.ts';
import type { Html, Outside, View } from './view.ts';

export interface LinkParts {
  readonly action: string;
  readonly records: readonly ApprovalRecord[];
  /** Whether a passkey exists for this address. */
  readonly canAnswer: boolean;
  readonly note: keyof typeof notes | undefined;
}

type Seen = Outside & Pick<View, 'dependencies'>;

/** The questions of one notice, for the holder of its address; two buttons each, which require the device's unlock. */
export function linkPage({ action, records, canAnswer, note }: LinkParts, view: Seen): Html {
  const { say, locale, assets } = view;
  const said = note === undefined ? '' : html`<p class="note" role="status">${say(notes[note])}</p>`;
  return shell(
    view,
    say('A call waits for you', '呼び出しが回答を待っています'),
    html`<header class="top"><span class="mark"><img class="seal" src="${assets.icon}" alt="">${say(product)}</span>
<div class="who"><a href="?lang=${otherLocale[locale]}" hreflang="${otherLocale[locale]}">${say(language)}</a></div></header>
<main id="main" tabindex="-1"><h1>${say('A call waits for you', '呼び出しが回答を待っています')}</h1>${said}
${records.map((record) => card(record, action, canAnswer, view))}${canAnswer ? haltForm(action, view) : ''}
<p class="quiet"><a href="/approvals">${say('Log in and see all questions', 'ログインしてすべての質問を見る')}</a></p></main>`,
  );
}

function haltForm(action: string, { say }: Seen): Html {
  return html`<form method="post" action="${action}/halt" class="row" data-unlock="${action}/halt/unlock" data-failed="${say(lockedDevice)}"><button class="no" name="answer" value="halt">${say('Stop all work', 'すべての作業を停止')}</button></form>`;
}

function card(record: ApprovalRecord, action: string, canAnswer: boolean, view: Seen): Html {
  const { say } = view;
  const buttons =
    record.status !== 'pending'
      ? ''
      : canAnswer
        ? html`<form method="post" action="${action}" class="row" data-unlock="${action}/unlock" data-failed="${say(lockedDevice)}"><input type="hidden" name="id" value="${record.id}">
<button class="yes" name="answer" value="once">${say('Allow once', '今回だけ許可')}</button><button class="no" name="answer" value="deny">${say('Deny', '拒否')}</button></form>`
        : html`<p class="quiet">${say('This address has no passkey that could answer. Log in to answer, and register one on the page “Notices”.', 'このアドレスで回答に使えるパスキーがありません。ログインして回答し、「通知」ページで登録してください。')}</p>`;
  return html`<article class="question" aria-label="${line(record.about?.what ?? record.tool)}">
${questionHead(record, view, 2)}${buttons}${questionRest(record, view)}</article>`;
}
