import { html } from 'hono/html';
import type { SessionStory, StoryChange, StoryStep } from '../../contract/story.ts';
import { changeKinds, countsWords, kindWords } from '../../ground/text/digest-words.ts';
import { callerName, count, diffBlock, line, named, time, who } from '../shown.ts';
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
  const { words, locale } = view;
  const say = words.story;
  const { principal, client, transport, sessionId, beganAtMs, endedAtMs, said, counts } = story;
  const ofSession = `?session=${encodeURIComponent(sessionId)}`;
  const steps = story.steps.map((step) => stepRow(step, view));
  return page(
    view,
    'sessions',
    say.title(client === undefined ? callerName(principal, view) : line(client, 60)),
    html`<p class="quiet"><span title="${line(sessionId)}">${line(client ?? '', 60)} ${who(principal, view)}</span> · ${named(transport, words.transports)} · ${time(beganAtMs, view)} – ${time(endedAtMs, view)}</p>
<p>${countsWords(counts)[locale]} · <a href="/calls${ofSession}">${say.calls}</a></p>
${said.length === 0 ? '' : html`<section><h2>${say.said}</h2>${said.map((each) => html`<blockquote>${line(each, 500)}</blockquote>`)}</section>`}
<section><h2>${say.steps}</h2>${story.unshownSteps > 0 ? html`<p class="quiet">${say.earlier(count(story.unshownSteps, locale))}</p>` : ''}<ol class="rows wide" data-list>${steps}</ol></section>
<section><h2>${say.changes}</h2>${changes.length === 0 ? html`<p class="empty">${say.noChanges}</p>` : html`${changes.map((change) => changeRow(change, view))}${unshown > 0 ? html`<p class="quiet">${say.moreChanges(count(unshown, locale))}</p>` : ''}<p><a href="/history${ofSession}">${words.sessions.history}</a></p>`}</section>
<p><a href="/sessions">${words.back}</a></p>`,
  );
}

function stepRow(step: StoryStep, view: View): Html {
  const { seq, atMs, kind, tool, line: what, times, approver, rule, paths = [] } = step;
  const say = view.words.story;
  const looks = kind === 'refused' ? 'refused' : kind === 'asked' || kind === 'failed' ? 'asked' : 'passed';
  const more = [
    tool,
    times > 1 ? `×${times}` : '',
    rule ?? '',
    approver === undefined ? '' : `${say.answered} ${approver}`,
  ];
  return html`<li class="${looks}"><span class="when">${time(atMs, view)}</span><span class="outcome">${kindWords[kind][view.locale]}</span>
<span class="given"><a href="/calls/${seq}">${line(what, 160) || line(tool, 60)}</a></span><span class="quiet">${line(more.filter(Boolean).join(' · '), 160)}</span>${flowPaths(paths, tool, view)}</li>`;
}

function changeRow({ entry, change, times, diff }: ShownChange, view: View): Html {
  return html`<details><summary><span class="outcome">${changeKinds[change][view.locale]}</span> <code>${line(entry.path, 160)}</code>${times > 1 ? html` <span class="quiet">×${times}</span>` : ''}</summary>${diffBlock(diff, view)}</details>`;
}
