import { html } from 'hono/html';
import type { SessionStory, StoryChange, StoryStep } from '../../contract/people/story.ts';
import { changeKinds, countsWords, kindWords } from '../../ground/text/digest-words.ts';
import { callerName, count, diffBlock, line, named, time, who } from '../shown.ts';
import { back, transports } from '../words.ts';
import { flowPaths } from './flow-path.ts';
import { page } from './page.ts';
import type { Html, View } from './view.ts';

/** A change of the session with its diff. */
export interface ShownChange extends StoryChange {
  readonly diff: string;
}

/** A session as a story: the caller, the request, its calls in order, and the resulting changes. */
export function storyPage(
  {
    story,
    changes,
    unshown,
  }: {
    readonly story: SessionStory;
    readonly changes: readonly ShownChange[];
    /** The number of changes without a diff here. */
    readonly unshown: number;
  },
  view: View,
): Html {
  const { say, locale } = view;
  const { principal, client, transport, sessionId, beganAtMs, endedAtMs, said, counts } = story;
  const ofSession = `?session=${encodeURIComponent(sessionId)}`;
  const steps = story.steps.map((step) => stepRow(step, view));
  return page(
    view,
    'sessions',
    html`<p class="quiet"><span title="${line(sessionId)}">${line(client ?? '', 60)} ${who(principal, view)}</span> · ${named(transport, transports, view)} · ${time(beganAtMs, view)} – ${time(endedAtMs, view)}</p>
<p>${countsWords(counts)[locale]} · <a href="/calls${ofSession}">${say('all its calls', 'すべての呼び出し')}</a></p>
${said.length === 0 ? '' : html`<section><h2>${say('Asked for', '依頼')}</h2>${said.map((each) => html`<blockquote>${line(each, 500)}</blockquote>`)}</section>`}
<section><h2>${say('What it did', '行ったこと')}</h2>${story.unshownSteps > 0 ? html`<p class="quiet">${say(`${count(story.unshownSteps, locale)} earlier steps are in the log.`, `これより前の ${count(story.unshownSteps, locale)} 件は監査ログにあります。`)}</p>` : ''}<ol class="rows wide" data-list>${steps}</ol></section>
<section><h2>${say('Changes since it began', '開始前との違い')}</h2>${changes.length === 0 ? html`<p class="empty">${say('It left no file changed.', '開始前と異なるファイルはありません。')}</p>` : html`${changes.map((change) => changeRow(change, view))}${unshown > 0 ? html`<p class="quiet">${say(`… and ${count(unshown, locale)} more`, `… ほか ${count(unshown, locale)} 件`)}</p>` : ''}<p><a href="/history${ofSession}">${say('changes', '変更')}</a></p>`}</section>
<p><a href="/sessions">${say(back)}</a></p>`,
    say(
      `Session of ${client === undefined ? callerName(principal, view) : line(client, 60)}`,
      `${client === undefined ? callerName(principal, view) : line(client, 60)} のセッション`,
    ),
  );
}

function stepRow(step: StoryStep, view: View): Html {
  const { seq, atMs, kind, tool, line: what, times, approver, rule, paths = [] } = step;
  const { say } = view;
  const looks = kind === 'refused' ? 'refused' : kind === 'asked' || kind === 'failed' ? 'asked' : 'passed';
  const more = [
    tool,
    times > 1 ? `×${times}` : '',
    rule ?? '',
    approver === undefined ? '' : `${say('answered by', '回答者')} ${approver}`,
  ];
  return html`<li class="${looks}"><span class="when">${time(atMs, view)}</span><span class="outcome">${kindWords[kind][view.locale]}</span>
<span class="given"><a href="/calls/${seq}">${line(what, 160) || line(tool, 60)}</a></span><span class="quiet">${line(more.filter(Boolean).join(' · '), 160)}</span>${flowPaths(paths, tool, view)}</li>`;
}

function changeRow({ entry, change, times, diff }: ShownChange, view: View): Html {
  return html`<details><summary><span class="outcome">${changeKinds[change][view.locale]}</span> <code>${line(entry.path, 160)}</code>${times > 1 ? html` <span class="quiet">×${times}</span>` : ''}</summary>${diffBlock(diff, view)}</details>`;
}
