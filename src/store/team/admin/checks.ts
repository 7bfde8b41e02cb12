import { ConfigError } from '../../../contract/error.ts';
import type { ProjectInput } from '../../../contract/team/admin.ts';
import { text } from '../../../contract/text/text.ts';
import { findRow } from '../../rows.ts';
import type { Tx } from '../base.ts';

/** The names for people. */
const kindNames = {
  agent: text('agent', 'エージェント'),
  project: text('project', 'プロジェクト'),
  task: text('task', 'タスク'),
} as const;

/** The named thing does not exist; the error gives the command that lists them. */
export function noSuch(kind: 'agent' | 'project' | 'task', id: string): ConfigError {
  return new ConfigError(
    `There is no ${kind} ${JSON.stringify(id)}. \`sekisho ${kind} list\` lists them.`,
    `${kindNames[kind].ja} ${JSON.stringify(id)} はありません。\`sekisho ${kind} list\` で一覧を確認できます。`,
  );
}

/** Ids appear in topics, headers and command lines. */
export function assertId(kind: 'agent' | 'project', id: ProjectInput['id']): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(id)) return;
  throw new ConfigError(
    `The id of ${kind} must be 1 to 64 letters, digits or . _ -, got ${JSON.stringify(id)}.`,
    `${kindNames[kind].ja}の ID は、英数字と . _ - で 1～64 文字にしてください（指定値: ${JSON.stringify(id)}）。`,
  );
}

export async function assertFree(tx: Tx, table: 'agents' | 'projects', id: string): Promise<void> {
  if (await findRow(tx, table, { id }))
    throw new ConfigError(
      `${id} already exists in ${table}. Choose another id.`,
      `${id} は既に登録されています。別の ID を使ってください。`,
    );
}

export async function assertThere(tx: Tx, table: 'agents' | 'projects', id: string): Promise<void> {
  if (!(await findRow(tx, table, { id }))) throw noSuch(table === 'agents' ? 'agent' : 'project', id);
}

export async function assertAssigned(tx: Tx, agentId: string, projectId: string): Promise<void> {
  if (!(await findRow(tx, 'assignments', { agent_id: agentId, project_id: projectId })))
    throw new ConfigError(
      `Agent ${JSON.stringify(agentId)} is not assigned to project ${projectId}. \`sekisho project assign\` does that.`,
      `エージェント ${JSON.stringify(agentId)} はプロジェクト ${projectId} に割り当てられていません。\`sekisho project assign\` で割り当ててください。`,
    );
}
