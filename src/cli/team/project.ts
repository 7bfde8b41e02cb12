import type { Flags } from '../../config/settings.ts';
import { text } from '../../contract/text/text.ts';
import type { Options } from '../common/options.ts';
import { say, sayList, sayWhether } from '../common/say.ts';
import { withTeam } from './with-team.ts';

export function addProject(id: string, flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    await admin.addProject({
      id,
      name: String(options.name ?? id),
      workingDirectory: options.workingDirectory as string | undefined,
    });
    say(`${id} is added.`, `${id} を追加しました。`);
    return 0;
  });
}

export function listProjects(flags: Flags, options: Options): Promise<number> {
  return withTeam(flags, async (admin) => {
    const none = text(
      'No projects. `sekisho project add ID` adds one.',
      'プロジェクトはありません。`sekisho project add ID` で追加できます。',
    );
    sayList(await admin.projects(), options, ({ id, name, status }) => [id, name, status], none);
    return 0;
  });
}

export function assignAgent(
  projectId: string,
  agentId: string,
  flags: Flags,
  options: Options,
): Promise<number> {
  return withTeam(flags, async (admin) => {
    if (options.remove)
      return sayWhether(
        await admin.unassign(agentId, projectId),
        text(
          `${agentId} no longer works on ${projectId}; its open tasks there are available again.`,
          `${agentId} を ${projectId} から外しました。担当していた未完了のタスクは担当なしに戻りました。`,
        ),
        text(`${agentId} was not on ${projectId}.`, `${agentId} は ${projectId} に割り当てられていません。`),
      );
    await admin.assign(agentId, projectId);
    say(`${agentId} works on ${projectId}.`, `${agentId} を ${projectId} に割り当てました。`);
    return 0;
  });
}

/** A paused project starts no agents and admits none. */
export function setProjectStatus(id: string, status: 'active' | 'paused', flags: Flags): Promise<number> {
  return withTeam(flags, async (admin) => {
    await admin.changeProject(id, { status });
    say(`${id} is ${status}.`, `${id} を${status === 'paused' ? '一時停止しました' : '再開しました'}。`);
    return 0;
  });
}
