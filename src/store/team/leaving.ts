import type { Engine } from '../engine.ts';
import { deleteRows, selectRows, updateRows } from '../rows.ts';
import type { Tx } from './base.ts';
import { openConversation, otherThan } from './chat/conversations.ts';
import { openStatuses } from './tasks/task-rows.ts';
import { moveTask, notify, recordEvent } from './tasks/transition.ts';

/** Removes an agent from projects: ends sessions and conversations, frees tasks. The caller deletes assignments. */
export async function leaveProjects(
  tx: Tx,
  engine: Engine,
  agentId: string,
  projectIds: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const projectId of projectIds) {
    const here = { agentId, projectId, nowMs };
    await freeTasksOf(tx, engine, here);
    await endConversationsOf(tx, here);
    await deleteRows(tx, 'agent_sessions', { agent_id: agentId, project_id: projectId });
  }
}

interface Leaving {
  readonly agentId: string;
  readonly projectId: string;
  readonly nowMs: number;
}

async function freeTasksOf(tx: Tx, engine: Engine, { agentId, projectId, nowMs }: Leaving): Promise<void> {
  const held = await engine
    .lock(selectRows(tx, 'tasks', { assignee_id: agentId, project_id: projectId, status: openStatuses }))
    .execute();
  for (const task of held) {
    const set = { assignee_id: null, is_claimed: 0, fence: task.fence + 1 };
    const by = { by: 'person', nowMs, reason: `Agent ${agentId} has left the project.` };
    if (task.status === 'in_progress' || task.status === 'blocked') {
      await moveTask(tx, engine, task, { ...by, to: 'todo', set });
      continue;
    }
    const free = { ...set, lease_session_id: null, lease_expires_at_ms: null };
    await updateRows(tx, 'tasks', { id: task.id }, free);
    await recordEvent(tx, { ...task, ...free }, { ...by, what: 'released', from: task.status });
  }
}

async function endConversationsOf(tx: Tx, { agentId, projectId, nowMs }: Leaving): Promise<void> {
  const ended = await tx
    .updateTable('conversations')
    .set({ status: 'ended', ended_by: 'person', changed_at_ms: nowMs })
    .where('project_id', '=', projectId)
    .where('status', 'in', openConversation)
    .where(({ or, eb }) => or([eb('initiator_id', '=', agentId), eb('participant_id', '=', agentId)]))
    .returningAll()
    .execute();
  for (const row of ended) {
    const left = `Agent ${agentId} has left the project.`;
    await notify(tx, { projectId, nowMs }, otherThan(row, agentId), 'conversation_ended', left);
  }
}
