import { html } from 'hono/html';
import type { ApprovalRecord } from '../../contract/records.ts';
import { otherLocale } from '../../contract/text/text.ts';
import { line } from '../shown.ts';
import type { Words } from '../words/words.ts';
import { shell } from './page.ts';
import { questionHead, questionRest } from './question.ts';
import type { Html, Outside, View } from './view.ts';

export interface LinkParts {
  readonly action: string;
  readonly records: readonly ApprovalRecord[];
  /** Whether a passkey exists for this address. */
  readonly canAnswer: boolean;
  readonly note: keyof Words['notes'] | undefined;
}

type Seen = Outside & Pick<View, 'dependencies'>;

/** The questions of one notice, for the holder of its address; two buttons each, which require the device's unlock. */
export function linkPage({ action, records, canAnswer, note }: LinkParts, view: Seen): Html {
  const { words, locale, assets } = view;
  const say = words.link;
  const said = note === undefined ? '' : html`<p class="note" role="status">${words.notes[note]}</p>`;
  return shell(
    view,
    say.title,
    html`<header class="top"><span class="mark"><img class="seal" src="${assets.icon}" alt="">${words.name}</span>
<div class="who"><a href="?lang=${otherLocale[locale]}" hreflang="${otherLocale[locale]}">${words.language}</a></div></header>
<main id="main" tabindex="-1"><h1>${say.title}</h1>${said}
${records.map((record) => card(record, action, canAnswer, view))}
<p class="quiet"><a href="/approvals">${say.all}</a></p></main>`,
  );
}

function card(record: ApprovalRecord, action: string, canAnswer: boolean, view: Seen): Html {
  const { words } = view;
  const say = words.approvals;
  const buttons =
    record.status !== 'pending'
      ? ''
      : canAnswer
        ? html`<form method="post" action="${action}" class="row" data-unlock="${action}/unlock" data-failed="${words.link.locked}"><input type="hidden" name="id" value="${record.id}">
<button class="yes" name="answer" value="once">${say.once}</button><button class="no" name="answer" value="deny">${say.deny}</button></form>`
        : html`<p class="quiet">${words.link.noPasskey}</p>`;
  return html`<article class="question" aria-label="${line(record.about?.what ?? record.tool)}">
${questionHead(record, view, 2)}${buttons}${questionRest(record, view)}</article>`;
}
