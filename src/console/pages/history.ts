import { html } from 'hono/html';
import type { FileState, HistoryEntry } from '../../contract/capabilities/history.ts';
import { diffBlock, line, size, time } from '../shown.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

/** What tools changed, newest first; undefined where nothing is kept. */
export function historyPage(
  entries: readonly HistoryEntry[] | undefined,
  next: number | undefined,
  session: string | undefined,
  view: View,
): Html {
  const say = view.words.history;
  const there = new URL(view.here);
  there.searchParams.delete('note');
  there.searchParams.set('before', String(next));
  const rows = (entries ?? []).map(
    (
      entry,
    ) => html`<li class="${entry.undoneBy === undefined ? '' : 'over'}"><a href="/history/${encodeURIComponent(entry.id)}">
<span class="when">${time(entry.atMs, view)}</span><span class="verb ${verbOf(entry)}">${say[verbOf(entry)]}</span>
<span class="given">${line(entry.path, 160)}</span><span class="quiet">${sizes(entry)}</span>
<span class="caller">${line(entry.tool, 40)} · ${line(entry.principal, 40)}</span>${entry.undoneBy === undefined ? '' : html`<span class="quiet">${say.undone}</span>`}</a></li>`,
  );
  return page(
    view,
    'history',
    say.title,
    html`${session === undefined ? '' : html`<p>${say.session(line(session, 60))} · <a href="/history">${say.all}</a></p>${rows.length === 0 ? '' : undoSession(session, view)}`}
${rows.length === 0 ? html`<p class="empty">${entries ? say.empty : say.off}</p>` : html`<ol class="rows timeline" data-list>${rows}</ol>`}
${next === undefined ? '' : html`<p><a rel="next" href="${there.pathname + there.search}">${view.words.older}</a></p>`}`,
  );
}

/** All of a session's changes at once, in two steps. */
function undoSession(session: string, view: View): Html {
  const say = view.words.history;
  const fields = html`<input type="hidden" name="session" value="${session}"><button class="no">${say.undoSession}</button> <span class="quiet">${say.undoSessionNote}</span>`;
  return html`<details class="spaced"><summary>${say.undoSession}…</summary>${form(view, '/history/undo-session', fields, 'row')}</details>`;
}

/** One change with its difference, and the way back. */
export function changePage(entry: HistoryEntry, diff: string, view: View): Html {
  const say = view.words.history;
  const action = `/history/${encodeURIComponent(entry.id)}/undo`;
  const isConflict = view.here.searchParams.get('note') === 'conflict';
  const links = [
    entry.undoes === undefined
      ? ''
      : html`<a href="/history/${encodeURIComponent(entry.undoes)}">${say.undoes}</a>`,
    entry.undoneBy === undefined
      ? ''
      : html`<a href="/history/${encodeURIComponent(entry.undoneBy)}">${say.undone}</a>`,
  ];
  const undo =
    entry.undoneBy !== undefined
      ? ''
      : isConflict
        ? html`<div class="row">${form(view, action, html`<input type="hidden" name="force" value="yes"><button class="no">${say.force}</button>`)}<span class="quiet">${say.forceNote}</span></div>`
        : form(view, action, html`<button>${say.undo}</button>`, 'row');
  return page(
    view,
    'history',
    line(entry.path, 80),
    html`<p class="quiet">${say[verbOf(entry)]} · ${time(entry.atMs, view)} · ${line(entry.tool, 40)} · ${line(entry.principal, 60)} · ${sizes(entry)} ${links}</p>
${diffBlock(diff, view)}
${undo}
<p><a href="/calls?text=${encodeURIComponent(entry.auditId)}">${say.call}</a> · <a href="/history?session=${encodeURIComponent(entry.sessionId)}">${say.session(line(entry.sessionId, 40))}</a> · <a href="/history">${say.all}</a></p>`,
  );
}

function verbOf({ before, after }: HistoryEntry): 'created' | 'removed' | 'changed' {
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'removed' : 'changed';
}

function sizes({ before, after }: HistoryEntry): string {
  const words = [before, after].map(sizeOf).filter((each) => each !== '');
  return words.join(' → ');
}

function sizeOf(state: FileState): string {
  if (state.kind === 'absent') return '';
  return state.kind === 'file' ? size(state.bytes) : state.kind;
}
