import { html } from 'hono/html';
import type { FileState, HistoryEntry } from '../../contract/capabilities/history.ts';
import { changeKinds, changeOf } from '../../ground/text/digest-words.ts';
import type { RecentCall } from '../recent-calls.ts';
import { count, diffBlock, line, size, time, who } from '../shown.ts';
import { older } from '../words.ts';
import { form, page } from './page.ts';
import type { Html, View } from './view.ts';

/** The part of the history that is shown: all of it, a session's or a call's. */
export interface HistoryParts {
  /** Newest first; undefined if no history is kept. */
  readonly entries: readonly HistoryEntry[] | undefined;
  readonly next: number | undefined;
  readonly session?: string | undefined;
  readonly call?: string | undefined;
  /** The newest calls, by id. */
  readonly calls: ReadonlyMap<string, RecentCall>;
}

/** The changes of tools, grouped by call. */
export function historyPage(parts: HistoryParts, view: View): Html {
  const { entries, next, session, call, calls } = parts;
  const { say } = view;
  const there = new URL(view.here);
  there.searchParams.delete('note');
  there.searchParams.set('before', String(next));
  const groups = [...Map.groupBy(entries ?? [], ({ auditId }) => auditId)];
  const rows = groups.map(([id, changes]) => callRow(id, changes, calls.get(id), call !== undefined, view));
  const all = html` · <a href="/history">${say('All changes', 'すべての変更')}</a>`;
  const only =
    call !== undefined
      ? html`<p>${say('Changes of one call', '1 件の呼び出しによる変更')}${all}</p>`
      : session === undefined
        ? ''
        : html`<p>${say(`Changes of the session ${line(session, 60)}`, `セッション ${line(session, 60)} の変更`)}${all}</p>${rows.length === 0 ? '' : undoSession(session, view)}`;
  return page(
    view,
    'history',
    html`${only}
${rows.length === 0 ? html`<p class="empty">${entries ? say('No tool has changed a file yet. Each change will be here, and can be undone.', 'ツールによるファイルの変更はまだありません。変更はここに表示され、元に戻せます。') : say('Keeping what tools change is turned off (history.enabled).', 'ツールによる変更の保存は無効です（history.enabled）。')}</p>` : html`<ol class="rows timeline" data-list>${rows}</ol>`}
${next === undefined ? '' : html`<p><a rel="next" href="${there.pathname + there.search}">${say(older)}</a></p>`}`,
  );
}

/** One call with the paths that it changed. */
function callRow(
  id: string,
  changes: readonly HistoryEntry[],
  call: RecentCall | undefined,
  isOpen: boolean,
  view: View,
): Html {
  const { say, locale } = view;
  const [{ atMs = 0, tool = '', principal = '' } = {}] = changes;
  const kinds = [...Map.groupBy(changes, changeOf)].map(
    ([verb, { length }]) =>
      html`<span class="verb ${verb}">${say(changeKinds[verb])}</span> ${count(length, locale)} `,
  );
  const link = `/calls?text=${encodeURIComponent(id)}`;
  const undo = changes.some(({ undoneBy }) => undoneBy === undefined)
    ? undoCall(id, view)
    : html`<span class="quiet">${say('undone', '元に戻し済み')}</span>`;
  const list = changeList(changes, view);
  // A call that is still known begins with its tool or is a command.
  const client = line(call === undefined ? tool : (call.client ?? ''), 40);
  return html`<li><div class="row between"><span><span class="when">${time(atMs, view)}</span> <a class="given" href="${call ? `/calls/${call.seq}` : link}">${line(call?.what ?? tool, 120)}</a>
<span class="quiet">${client === '' ? '' : `${client} · `}${who(principal, view)}</span></span>${undo}</div>
${changes.length === 1 ? list : html`<details${isOpen || changes.length < 4 ? ' open' : ''}><summary>${kinds}</summary>${list}</details>`}</li>`;
}

/** The paths, each linked to its diff. */
export function changeList(changes: readonly HistoryEntry[], view: View): Html {
  const { say } = view;
  return html`<ul class="paths">${changes.map(
    (entry) =>
      html`<li class="${entry.undoneBy === undefined ? '' : 'over'}"><span class="verb ${changeOf(entry)}">${say(changeKinds[changeOf(entry)])}</span> <a href="/history/${encodeURIComponent(entry.id)}"><code>${line(entry.path, 160)}</code></a> <span class="quiet">${sizes(entry)}${entry.undoneBy === undefined ? '' : ` · ${say('undone', '元に戻し済み')}`}</span></li>`,
  )}</ul>`;
}

/** Undoes all changes of one call, or none. */
export function undoCall(id: string, view: View): Html {
  const { say } = view;
  const isConflict = view.here.searchParams.get('note') === 'conflict';
  const force = isConflict ? html`<input type="hidden" name="force" value="yes">` : '';
  return form(
    view,
    '/history/undo-call',
    html`<input type="hidden" name="call" value="${id}">${force}<button class="${isConflict ? 'no' : ''}">${isConflict ? say('Undo anyway', '強制的に元に戻す') : say('Undo this call', 'この呼び出しを元に戻す')}</button>`,
  );
}

/** Undoes all changes of a session, in two steps. */
function undoSession(session: string, view: View): Html {
  const { say } = view;
  const fields = html`<input type="hidden" name="session" value="${session}"><button class="no">${say('Undo everything in this session', 'このセッションの変更をすべて元に戻す')}</button> <span class="quiet">${say('Newest first; it stops if somebody has changed a path since.', '新しいものから順に戻し、その後に変更されたものがあれば止まります。')}</span>`;
  return html`<details class="spaced"><summary>${say('Undo everything in this session', 'このセッションの変更をすべて元に戻す')}…</summary>${form(view, '/history/undo-session', fields, 'row')}</details>`;
}

/** One change with its diff and its undo form. */
export function changePage(entry: HistoryEntry, diff: string, view: View): Html {
  const { say } = view;
  const action = `/history/${encodeURIComponent(entry.id)}/undo`;
  const isConflict = view.here.searchParams.get('note') === 'conflict';
  const links = [
    entry.undoes === undefined
      ? ''
      : html`<a href="/history/${encodeURIComponent(entry.undoes)}">${say('undoes', '取り消した変更')}</a>`,
    entry.undoneBy === undefined
      ? ''
      : html`<a href="/history/${encodeURIComponent(entry.undoneBy)}">${say('undone', '元に戻し済み')}</a>`,
  ];
  const undo =
    entry.undoneBy !== undefined
      ? ''
      : isConflict
        ? html`<div class="row">${form(view, action, html`<input type="hidden" name="force" value="yes"><button class="no">${say('Undo anyway', '強制的に元に戻す')}</button>`)}<span class="quiet">${say('The current content is kept first.', '現在の内容は先に保存されます。')}</span></div>`
        : form(view, action, html`<button>${say('Undo', '元に戻す')}</button>`, 'row');
  return page(
    view,
    'history',
    html`<p class="quiet">${say(changeKinds[changeOf(entry)])} · ${time(entry.atMs, view)} · ${line(entry.tool, 40)} · ${who(entry.principal, view)} · ${sizes(entry)} ${links}</p>
${undo}
${diffBlock(diff, view)}
<p><a href="/history?call=${encodeURIComponent(entry.auditId)}">${say('Changes of one call', '1 件の呼び出しによる変更')}</a> · <a href="/calls?text=${encodeURIComponent(entry.auditId)}">${say('the call', '呼び出し')}</a> · <a href="/history?session=${encodeURIComponent(entry.sessionId)}">${say(`Changes of the session ${line(entry.sessionId, 12)}`, `セッション ${line(entry.sessionId, 12)} の変更`)}</a> · <a href="/history">${say('All changes', 'すべての変更')}</a></p>`,
    line(entry.path, 80),
  );
}

function sizes({ before, after }: HistoryEntry): string {
  const words = [before, after].map(sizeOf).filter((each) => each !== '');
  return words.join(' → ');
}

function sizeOf(state: FileState): string {
  if (state.kind === 'absent') return '';
  return state.kind === 'file' ? size(state.bytes) : state.kind;
}
