import { ConfigError } from '../../../contract/error.ts';
import type { ProjectInput } from '../../../contract/team/admin.ts';
import type { Tx } from '../base.ts';

/** What a person named and is not there, with the command that lists what is. */
export function noSuch(kind: 'agent' | 'project' | 'task', id: string): ConfigError {
  return new ConfigError(
    `There is no ${kind} ${JSON.stringify(id)}. \`sekisho ${kind} list\` shows what there is.`,
  );
}

/** Ids stand in topics, headers and command lines. */
export function assertId(kind: 'agent' | 'project', id: ProjectInput['id']): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(id)) return;
  throw new ConfigError(
    `The id of ${kind} must be 1 to 64 letters, digits or . _ -, got ${JSON.stringify(id)}.`,
  );
}

export async function assertFree(tx: Tx, table: 'agents' | 'projects', id: string): Promise<void> {
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (row) throw new ConfigError(`${id} is there already in ${table}. Take another id.`);
}

export async function assertThere(tx: Tx, table: 'agents' | 'projects', id: string): Promise<void> {
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (!row) throw noSuch(table === 'agents' ? 'agent' : 'project', id);
}

export async function assertAssigned(tx: Tx, agentId: string, projectId: string): Promise<void> {
  const row = await tx
    .selectFrom('assignments')
    .select('agent_id')
    .where('agent_id', '=', agentId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (!row)
    throw new ConfigError(
      `Agent ${JSON.stringify(agentId)} is not assigned to project ${projectId}. \`sekisho project assign\` does that.`,
    );
}
