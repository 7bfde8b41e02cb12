import { html } from 'hono/html';
import type { PublishedPort } from '../../contract/capabilities/process.ts';
import type { SharedServer } from '../../contract/shared-server.ts';
import type { AgentRecord, ProjectRecord } from '../../contract/team/admin.ts';
import type { TaskEventView, TaskView } from '../../contract/team/team.ts';
import type { RecentCall } from '../recent-calls.ts';
import { block, count, line, named, time, who } from '../shown.ts';
import { back, transports } from '../words.ts';
import { page } from './page.ts';
import type { Html, View } from './view.ts';

type ListedTask = TaskView & { readonly project_id: string };

export interface SessionParts {
  readonly shared: readonly SharedServer[] | undefined;
  readonly published: readonly PublishedPort[];
  readonly calls: readonly RecentCall[];
  readonly agents: readonly AgentRecord[];
  readonly projects: readonly ProjectRecord[];
  readonly tasks: readonly ListedTask[];
}

interface Seen {
  readonly sessionId: string;
  readonly principal: string;
  readonly transport: string;
  readonly client: string | undefined;
  calls: number;
  refused: number;
  lastMs: number;
}

/** The sessions of the shared server, recent callers, and the shared work of agents. */
export function sessionsPage(parts: SessionParts, view: View): Html {
  const { shared, published, calls, agents, projects, tasks } = parts;
  const { say, locale } = view;
  const sessions = sessionsOf(calls);
  const rows = sessions.slice(0, shown).map(
    (
      seen,
    ) => html`<li><span class="when">${time(seen.lastMs, view)}</span><span class="tool">${line(seen.client ?? '', 60) || who(seen.principal, view)}</span>
<span class="given">${seen.client === undefined ? '' : html`${who(seen.principal, view)} · `}${named(seen.transport, transports, view)}</span>
<span class="quiet">${say(`${count(seen.calls, locale)} ${seen.calls === 1 ? 'call' : 'calls'}`, `呼び出し ${count(seen.calls, locale)} 件`)}${seen.refused > 0 ? ` · ${say(`${count(seen.refused, locale)} refused`, `拒否 ${count(seen.refused, locale)} 件`)}` : ''}</span>
<span class="quiet"><a href="/sessions/${encodeURIComponent(seen.sessionId)}">${say('story', '経過')}</a> · <a href="/history?session=${encodeURIComponent(seen.sessionId)}">${say('changes', '変更')}</a></span></li>`,
  );
  return page(
    view,
    'sessions',
    html`${shared ? sharedSection(shared, sessions, view) : ''}${published.length > 0 ? publishedSection(published, view) : ''}
<section><h2>${say('Sessions that called', '呼び出しを行ったセッション')}</h2>${rows.length === 0 ? html`<p class="empty">${say('No session has called yet. Connect a client with `sekisho init`.', '呼び出しを行ったセッションはまだありません。`sekisho init` でクライアントを接続してください。')}</p>` : html`<ol class="rows wide" data-list>${rows}</ol><p class="quiet">${say(`of the newest ${count(calls.length, locale)} calls`, `最新の ${count(calls.length, locale)} 件の呼び出しに基づく`)}</p>`}</section>
${agents.length === 0 ? '' : html`<section><h2>${say('Agents', 'エージェント')}</h2><ul class="rows agents">${agents.map((agent) => agentRow(agent, view))}</ul></section>`}
<section><h2>${say('Tasks', 'タスク')}</h2>${tasks.length === 0 ? html`<p class="empty">${say('No tasks. Agents share work with the collaboration toolset: sekisho team apply.', 'タスクはありません。collaboration ツールセットを使うと、エージェントが作業を分担できます: sekisho team apply')}</p>` : projectLists(projects, tasks)}</section>`,
    say('Sessions and tasks', 'セッションとタスク'),
  );
}

/** What `sekisho ps` lists. A session of this console's records leads to its story. */
function sharedSection(servers: readonly SharedServer[], seen: readonly Seen[], view: View): Html {
  const { say } = view;
  const known = new Set(seen.map(({ sessionId }) => sessionId));
  const shortened = (id: string) => line(id.slice(0, 8));
  const open = (id: string) =>
    known.has(id)
      ? html`<a href="/sessions/${encodeURIComponent(id)}">${shortened(id)}</a>`
      : html`${shortened(id)}`;
  const lists = servers.map(
    ({ pid, bytes, conversations, sessions, servers: proxied }) =>
      html`<h3>${say(`Server ${pid}`, `サーバー ${pid}`)} <span class="quiet">${megabytes(bytes)}${conversations > 0 ? ` · ${say(`conversations with hooks: ${count(conversations, view.locale)}`, `フックを使う会話: ${count(conversations, view.locale)}`)}` : ''}</span></h3>
${sessions.length === 0 ? html`<p class="quiet">${say('No session at the moment.', '現在のセッションはありません。')}</p>` : ''}
<ol class="rows wide" data-list>${sessions.map(
        ({ id, client, folder, sinceMs }) =>
          html`<li><span class="when">${time(sinceMs, view)}</span><span class="tool">${line(client || '–', 60)}</span>
<span class="given">${line(folder)}</span><span class="quiet">${open(id)}</span></li>`,
      )}${proxied.map(
        ({ name, bytes: used, sessions: of }) =>
          html`<li><span class="when">${used === undefined ? '' : megabytes(used)}</span><span class="tool">${line(name, 60)}</span>
<span class="given">${say('proxied server, used by', '中継するサーバー（使用中のセッション）')}</span><span class="quiet">${of.length === 0 ? '–' : of.map((id) => html`${open(id)} `)}</span></li>`,
      )}</ol>`,
  );
  return html`<section><h2>${say('Shared by your clients', 'クライアントが共有するサーバー')}</h2>${servers.length === 0 ? html`<p class="empty">${say('No shared server runs. It starts with the next client over stdio.', '共有サーバーは動いていません。標準入出力を使う次のクライアントとともに起動します。')}</p>` : lists}</section>`;
}

/** The ports of commands that this machine's browsers reach. Each lies on another site than the console. */
function publishedSection(published: readonly PublishedPort[], view: View): Html {
  const rows = published.map(
    ({ sessionId, url, command, sinceMs }) =>
      html`<li><span class="when">${time(sinceMs, view)}</span><span class="tool"><a href="${url}" target="_blank" rel="noopener noreferrer">${url}</a></span>
<span class="given">${line(command)}</span><span class="quiet"><a href="/sessions/${encodeURIComponent(sessionId)}">${line(sessionId.slice(0, 8))}</a></span></li>`,
  );
  return html`<section><h2>${view.say('Published ports', '公開中のポート')}</h2><ol class="rows wide" data-list>${rows}</ol></section>`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

export function taskPage(task: ListedTask, events: readonly TaskEventView[], view: View): Html {
  const { say } = view;
  const facts = Object.entries(task).filter(([key]) => key !== 'title' && key !== 'description');
  return page(
    view,
    'sessions',
    html`${task.description ? block(task.description, view) : ''}
<dl class="facts">${facts.map(([key, value]) => html`<dt>${line(key, 40)}</dt><dd>${line(typeof value === 'object' ? JSON.stringify(value) : String(value), 300)}</dd>`)}</dl>
<h2>${say('What happened', '経過')}</h2><ol class="rows">${events.map((event) => html`<li><span class="when">${time(Date.parse(event.at), view)}</span> <span class="tool">${line(event.by, 60)}</span> ${line(event.what, 60)} ${event.to === undefined ? '' : html`<span class="outcome">${line(event.from ?? '', 30)} → ${line(event.to, 30)}</span>`} <span class="quiet">${line(event.reason ?? '', 300)}</span></li>`)}</ol>
<p><a href="/sessions">${say(back)}</a></p>`,
    `${say('Task', 'タスク')}: ${line(task.title, 80)}`,
  );
}

function projectLists(projects: readonly ProjectRecord[], tasks: readonly ListedTask[]): Html {
  return html`${projects.map((project) => {
    const own = tasks.filter(({ project_id }) => project_id === project.id);
    if (own.length === 0) return '';
    const rows = own
      .slice(0, shown)
      .map(
        (task) =>
          html`<li class="${kindOf(task.status)}"><a href="/tasks/${encodeURIComponent(task.task_id)}"><span class="outcome">${line(task.status, 30)}</span> <span>${line(task.title, 120)}</span> <span class="quiet">${line(task.assignee_id ?? '', 60)}</span></a></li>`,
      );
    return html`<h3>${line(project.name, 80)} <span class="quiet">${line(project.id, 60)}</span></h3><ol class="rows tasks" data-list>${rows}</ol>`;
  })}`;
}

function agentRow(agent: AgentRecord, view: View): Html {
  const parent =
    agent.parentId === undefined ? '' : `${view.say('reports to', '上司')} ${line(agent.parentId, 60)}`;
  return html`<li><span class="tool">${line(agent.name, 60)}</span> <span class="quiet">${line(agent.id, 60)} · ${agent.hierarchy} · ${line(agent.status, 30)} ${parent}</span> <span class="quiet">${line(agent.projects.join(', '))}</span></li>`;
}

function kindOf(status: string): string {
  if (status === 'done' || status === 'completed') return 'passed';
  return status === 'blocked' || status === 'cancelled' ? 'refused' : 'asked';
}

/** The newest session first. */
function sessionsOf(calls: readonly RecentCall[]): readonly Seen[] {
  const sessions = new Map<string, Seen>();
  for (const { principal, sessionId, transport, client, atMs, kind } of calls) {
    const key = JSON.stringify([principal, sessionId]);
    const seen = sessions.get(key) ?? {
      sessionId,
      principal,
      transport,
      client,
      calls: 0,
      refused: 0,
      lastMs: atMs,
    };
    seen.calls += 1;
    if (kind === 'refused') seen.refused += 1;
    seen.lastMs = Math.max(seen.lastMs, atMs);
    sessions.set(key, seen);
  }
  return [...sessions.values()].sort((one, other) => other.lastMs - one.lastMs);
}

const shown = 200;
