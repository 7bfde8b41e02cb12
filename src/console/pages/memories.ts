import { html, raw } from 'hono/html';
import type { Memory, RecalledMemory } from '../../contract/capabilities/memory.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { block, line, time } from '../shown.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

export interface MemoryParts {
  readonly owner: string;
  /** The owners whose memories this person may see. */
  readonly owners: readonly { readonly owner: string; readonly memories: number }[];
  readonly query: string | undefined;
  readonly memories: readonly (Memory | RecalledMemory)[];
  readonly next?: number | undefined;
}

/** One user's memories: searched as `recall` does, or by page. */
export function memoriesPage(parts: MemoryParts, view: View): Html {
  const { owner, owners, query, memories, next } = parts;
  const { words } = view;
  const say = words.memories;
  const choice =
    owners.length > 1
      ? html`<label>${say.owner}<select name="owner">${owners.map((each) => html`<option value="${each.owner}"${each.owner === owner ? raw(' selected') : ''}>${line(each.owner, 60)} (${each.memories})</option>`)}</select></label>`
      : '';
  const older =
    next === undefined
      ? ''
      : html`<p><a rel="next" href="/memories?owner=${encodeURIComponent(owner)}&before=${next}">${words.older}</a></p>`;
  return page(
    view,
    'memories',
    say.title,
    html`<form class="search" method="get" action="/memories" role="search">
<label>${say.search}<input type="search" name="query" value="${query ?? ''}" maxlength="200" data-search></label>${choice}<button>${say.search}</button></form>
${memories.length === 0 ? html`<p class="empty">${query === undefined ? say.empty : say.noMatch}</p>` : html`<ol class="cards" data-list>${memories.map((memory) => card(memory, owner, view))}</ol>`}${older}`,
  );
}

export function memoryPage(memory: Memory, owner: string, view: View): Html {
  const say = view.words.memories;
  const action = addressOf(memory, owner);
  // A text box obeys characters that reorder or hide text, so the cleaned text is shown beside it.
  const clean = cleanText(memory.content);
  const hidden =
    clean === memory.content ? '' : html`<p class="bad">${say.hidden}</p>${block(memory.content, view)}`;
  return page(
    view,
    'memories',
    say.edit,
    html`${hidden}${form(
      view,
      action,
      html`<label>${say.content}<textarea name="content" rows="8" required maxlength="100000">\n${memory.content}</textarea></label>
<label>${say.category}<input name="category" value="${memory.category}" maxlength="100"></label>
<label>${say.tags}<input name="tags" value="${memory.tags.join(', ')}" maxlength="1000"></label>
<div class="row"><button>${say.save}</button> <a href="/memories?owner=${encodeURIComponent(owner)}">${view.words.back}</a></div>`,
      'stack',
    )}
<details class="danger"><summary>${say.forget}</summary>${form(view, `${action}/forget`, html`<button class="no">${say.forgetSure}</button>`)}</details>`,
  );
}

function card(memory: Memory | RecalledMemory, owner: string, view: View): Html {
  const say = view.words.memories;
  const tags = memory.tags.map((tag) => html` <span class="tag">${line(tag, 40)}</span>`);
  const weak = 'lowConfidence' in memory && memory.lowConfidence ? say.low : '';
  return html`<li class="card" tabindex="-1">${block(memory.content, view, 600)}
<p class="quiet row between"><span>${line(memory.category, 60)}${tags} · ${time(memory.updatedAtMs, view)} ${weak}</span><a href="${addressOf(memory, owner)}">${say.edit}</a></p></li>`;
}

/** Includes the owner: an id alone does not identify a memory. */
function addressOf({ id }: Memory, owner: string): string {
  return `/memories/${encodeURIComponent(owner)}/${encodeURIComponent(id)}`;
}
