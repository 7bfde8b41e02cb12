import { type Locale, type Text, text } from '../../contract/text/text.ts';
import type { GuideEntry, Permission } from '../../contract/tool/tool-card.ts';

/** The tools that can be called, and one sentence for each group that cannot (document 002, help). */
export function listTools(entries: readonly GuideEntry[], locale: Locale) {
  const available_tools = entries
    .filter((entry) => entry.allowed)
    .map(({ tool }) => ({
      name: tool.name,
      description: tool.description[locale],
      category: tool.category,
    }));
  const absent = entries.flatMap(({ allowed, tool: { server, unavailable } }) =>
    allowed || server === undefined || !unavailable ? [] : [[`server ${server}`, unavailable[locale]]],
  );
  const refused = entries.filter(({ allowed, tool }) => !allowed && !tool.unavailable);
  const unavailable_info = { ...describeUnavailable(refused, locale), ...Object.fromEntries(absent) };
  return {
    available_tools,
    ...(Object.keys(unavailable_info).length > 0 ? { unavailable_info } : {}),
    total_available: available_tools.length,
  };
}

function describeUnavailable(entries: readonly GuideEntry[], locale: Locale): Record<string, string> {
  const groups = new Map<Permission, GuideEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.tool.permission) ?? [];
    group.push(entry);
    groups.set(entry.tool.permission, group);
  }
  const info: Record<string, string> = {};
  for (const [permission, group] of groups) {
    const names = group.slice(0, 3).map((entry) => entry.tool.name);
    const more = group.length > names.length;
    const isAgents = group.every((entry) => entry.tool.agentsOnly);
    info[groupNames[permission]] = sentence(permission, names.join(', '), { more, isAgents })[locale];
  }
  return info;
}

const groupNames: Readonly<Record<Permission, string>> = {
  unauthenticated: 'tools',
  authenticated: 'authenticated_tools',
  coordinator_only: 'coordinator_tools',
  manager_only: 'manager_tools',
  worker_only: 'worker_tools',
  chat_only: 'chat_tools',
  task_only: 'task_tools',
};

function sentence(
  permission: Permission,
  names: string,
  { more, isAgents }: { readonly more: boolean; readonly isAgents: boolean },
): Text {
  const en = more ? `${names}, …` : names;
  const ja = more ? `${names}等` : names;
  switch (permission) {
    case 'chat_only':
      return text(
        `Chat tools (${en}) are available only in sessions with purpose=chat.`,
        `チャットツール（${ja}）はpurpose=chatのセッションでのみ利用可能です`,
      );
    case 'task_only':
      return text(
        `Task tools (${en}) are available only in sessions with purpose=task.`,
        `タスクツール（${ja}）はpurpose=taskのセッションでのみ利用可能です`,
      );
    case 'manager_only':
      return text(
        `Manager tools (${en}) need a manager.`,
        `Manager専用ツール（${ja}）はManager権限が必要です`,
      );
    case 'worker_only':
      return text(`Worker tools (${en}) need a worker.`, `Worker専用ツール（${ja}）はWorker権限が必要です`);
    case 'coordinator_only':
      return text(
        `Coordinator tools (${en}) need the coordinator's token.`,
        `Coordinator専用ツール（${ja}）はCoordinatorトークンが必要です`,
      );
    case 'authenticated':
      if (!isAgents) break;
      return text(
        `Tools for agents (${en}) need a session: call authenticate.`,
        `認証済み共通ツール（${ja}）はauthenticateによる認証が必要です`,
      );
    default:
      break;
  }
  return text(`Not available to you now: ${en}.`, `現在は利用できません: ${ja}`);
}
