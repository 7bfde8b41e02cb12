import { ConfigError } from '../../../contract/error.ts';
import type { AgentInput, Hierarchy, TeamAdmin } from '../../../contract/team/admin.ts';
import { nulInText } from '../../errors.ts';
import {
  deleteRows,
  findRow,
  given,
  insertRow,
  listRows,
  selectRows,
  updateRows,
  writeTo,
} from '../../rows.ts';
import { type TeamBase, type Tx, topicOf } from '../base.ts';
import { leaveProjects } from '../leaving.ts';
import { hashPasskey, isPasskeyOf } from '../passkeys.ts';
import { assertFree, assertId, noSuch } from './checks.ts';

/** Management of agents by a person. */
export function createAgentAdmin({
  openEngine,
  clock,
}: TeamBase): Pick<TeamAdmin, 'agents' | 'addAgent' | 'changeAgent' | 'removeAgent' | 'isPasskey'> {
  return {
    async agents() {
      const { db } = await openEngine();
      const rows = await listRows(db, 'agents', {}, { by: 'id' });
      const assignments = await listRows(db, 'assignments', {}, { by: 'project_id' });
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        hierarchy: row.hierarchy as Hierarchy,
        parentId: row.parent_id ?? undefined,
        status: row.status,
        maxParallelTasks: row.max_parallel_tasks,
        projects: assignments.filter((one) => one.agent_id === row.id).map((one) => one.project_id),
      }));
    },

    async addAgent(agent) {
      assertAgent(agent);
      const passkeyHash = await hashPasskey(agent.passkey);
      await writeTo(openEngine, async (tx) => {
        await assertFree(tx, 'agents', agent.id);
        if (agent.parentId !== undefined) await assertParent(tx, agent.id, agent.parentId);
        await insertRow(tx, 'agents', {
          id: agent.id,
          name: agent.name,
          hierarchy: agent.hierarchy,
          parent_id: agent.parentId ?? null,
          status: 'active',
          max_parallel_tasks: agent.maxParallelTasks ?? 1,
          passkey_hash: passkeyHash,
          model: null,
          created_at_ms: clock(),
        });
      });
    },

    async changeAgent(id, change) {
      assertAgent(change);
      const passkeyHash = change.passkey === undefined ? undefined : await hashPasskey(change.passkey);
      const set = given({
        id,
        name: change.name,
        hierarchy: change.hierarchy,
        parent_id: 'parentId' in change ? (change.parentId ?? null) : undefined,
        max_parallel_tasks: change.maxParallelTasks,
        passkey_hash: passkeyHash,
      });
      await writeTo(openEngine, async (tx) => {
        if (change.parentId !== undefined) await assertParent(tx, id, change.parentId);
        if (change.hierarchy === 'worker') await assertNobodyBelow(tx, id);
        if ((await updateRows(tx, 'agents', { id }, set)) === 0) throw noSuch('agent', id);
        // A new passkey ends all sessions of the agent.
        if (passkeyHash !== undefined) await deleteRows(tx, 'agent_sessions', { agent_id: id });
      });
    },

    async removeAgent(id) {
      const engine = await openEngine();
      const { isGone, projects } = await engine.write(async (tx) => {
        await assertNobodyBelow(tx, id);
        const projects = await projectsOf(tx, id);
        await leaveProjects(tx, engine, id, projects, clock());
        return { isGone: (await deleteRows(tx, 'agents', { id })) > 0, projects };
      });
      for (const projectId of projects) engine.changes.tell(topicOf(projectId));
      return isGone;
    },

    async isPasskey(agentId, passkey) {
      const { db } = await openEngine();
      const row = await findRow(db, 'agents', { id: agentId });
      return isPasskeyOf(row?.passkey_hash, passkey);
    },
  };
}

function assertAgent(agent: Partial<AgentInput>): void {
  if (agent.id !== undefined) assertId('agent', agent.id);
  if (agent.passkey !== undefined) {
    if (agent.passkey.includes('\0')) throw nulInText();
    if (agent.passkey.length < 8 || agent.passkey.length > 1000)
      throw new ConfigError(
        'A passkey must be 8 to 1000 characters long.',
        'パスキーは 8～1000 文字で指定してください。',
      );
  }
  const most = agent.maxParallelTasks;
  if (most !== undefined && (!Number.isInteger(most) || most < 1 || most > 1000))
    throw new ConfigError(
      `max_parallel_tasks must be a whole number from 1 to 1000, got ${most}.`,
      `max_parallel_tasks は 1～1000 の整数で指定してください（指定値: ${most}）。`,
    );
}

async function assertNobodyBelow(tx: Tx, id: string): Promise<void> {
  const below = await listRows(tx, 'agents', { parent_id: id }, { by: 'id' });
  if (below.length === 0) return;
  throw new ConfigError(
    `Agent ${id} has subordinates: ${below.map((row) => row.id).join(', ')}. Give them another parent first.`,
    `エージェント ${id} には配下のエージェントがあります:  ${below.map((row) => row.id).join('、')}。先に別の上司を割り当ててください。`,
  );
}

/** The projects of its assignments, and of tasks from earlier ones. */
async function projectsOf(tx: Tx, agentId: string): Promise<readonly string[]> {
  const assigned = await selectRows(tx, 'assignments', { agent_id: agentId }).execute();
  const working = await tx
    .selectFrom('tasks')
    .select('project_id')
    .distinct()
    .where('assignee_id', '=', agentId)
    .execute();
  return [...new Set([...assigned, ...working].map((row) => row.project_id))];
}

/** A parent must be a manager, and not below the agent itself. */
async function assertParent(tx: Tx, id: string, parentId: string): Promise<void> {
  const parent = await findRow(tx, 'agents', { id: parentId });
  if (parent?.hierarchy !== 'manager')
    throw new ConfigError(
      `The parent ${JSON.stringify(parentId)} is not a manager. Make it one, or choose another.`,
      `上司 ${JSON.stringify(parentId)} はマネージャーではありません。マネージャーにするか、別のエージェントを指定してください。`,
    );
  for (let at: string | null = parentId; at !== null; ) {
    if (at === id)
      throw new ConfigError(
        `Agent ${id} would be its own manager.`,
        `エージェント ${id} が自分自身の上司になってしまいます。`,
      );
    const row: { parent_id: string | null } | undefined = await findRow(tx, 'agents', { id: at });
    at = row?.parent_id ?? null;
  }
}
