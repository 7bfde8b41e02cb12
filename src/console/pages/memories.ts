import { html, raw } from 'hono/html';
import type { Memory, RecalledMemory } from '../../contract/capabilities/memory.ts';
import { cleanText } from '../../contract/text/clean-text.ts';
import { block, line, time } from '../shown.ts';
import { back, older } from '../words.ts';
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
  const { say } = view;
  const choice =
    owners.length > 1
      ? html`<label>${say('Whose', '所有者')}<select name="owner">${owners.map((each) => html`<option value="${each.owner}"${each.owner === owner ? raw(' selected') : ''}>${line(each.owner, 60)} (${each.memories})</option>`)}</select></label>`
      : '';
  const further =
    next === undefined
      ? ''
      : html`<p><a rel="next" href="/memories?owner=${encodeURIComponent(owner)}&before=${next}">${say(older)}</a></p>`;
  return page(
    view,
    'memories',
    html`<form class="search" method="get" action="/memories" role="search">
<label>${say('Search', '検索')}<input type="search" name="query" value="${query ?? ''}" maxlength="200" data-search></label>${choice}<button>${say('Search', '検索')}</button></form>
${memories.length === 0 ? html`<p class="empty">${query === undefined ? say('Nothing is remembered yet. The tool “remember” stores what should outlast a conversation.', 'メモリはありません。ツール remember は、会話の後も残すことを保存します。') : say('No memory matches.', '該当するメモリはありません。')}</p>` : html`<ol class="cards" data-list>${memories.map((memory) => card(memory, owner, view))}</ol>`}${further}`,
  );
}

export function memoryPage(memory: Memory, owner: string, view: View): Html {
  const { say } = view;
  const action = addressOf(memory, owner);
  // A text box obeys characters that reorder or hide text, so the cleaned text is shown beside it.
  const clean = cleanText(memory.content);
  const hidden =
    clean === memory.content
      ? ''
      : html`<p class="bad">${say('It contains invisible or direction-changing characters. It says:', '見えない文字や、文字の向きを変える文字が含まれています。実際の内容:')}</p>${block(memory.content, view)}`;
  return page(
    view,
    'memories',
    html`${hidden}${form(
      view,
      action,
      html`<label>${say('Content', '内容')}<textarea name="content" rows="8" required maxlength="100000">\n${memory.content}</textarea></label>
<label>${say('Category', '分類')}<input name="category" value="${memory.category}" maxlength="100"></label>
<label>${say('Tags, separated by commas', 'タグ（コンマ区切り）')}<input name="tags" value="${memory.tags.join(', ')}" maxlength="1000"></label>
<div class="row"><button>${say('Save', '保存')}</button> <a href="/memories?owner=${encodeURIComponent(owner)}">${say(back)}</a></div>`,
      'stack',
    )}
<details class="danger"><summary>${say('Forget', '削除')}</summary>${form(view, `${action}/forget`, html`<button class="no">${say('Forget for good', '完全に削除')}</button>`)}</details>`,
    say('Edit', '編集'),
  );
}

function card(memory: Memory | RecalledMemory, owner: string, view: View): Html {
  const { say } = view;
  const tags = memory.tags.map((tag) => html` <span class="tag">${line(tag, 40)}</span>`);
  const weak = 'lowConfidence' in memory && memory.lowConfidence ? say('weak match', '弱い一致') : '';
  return html`<li class="card" tabindex="-1">${block(memory.content, view, 600)}
<p class="quiet row between"><span>${line(memory.category, 60)}${tags} · ${time(memory.updatedAtMs, view)} ${weak}</span><a href="${addressOf(memory, owner)}">${say('Edit', '編集')}</a></p></li>`;
}

/** Includes the owner: an id alone does not identify a memory. */
function addressOf({ id }: Memory, owner: string): string {
  return `/memories/${encodeURIComponent(owner)}/${encodeURIComponent(id)}`;
}
