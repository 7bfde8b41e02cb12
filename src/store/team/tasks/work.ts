import type { Purpose } from '../../../contract/caller.ts';
import { countRows, findRow } from '../../rows.ts';
import type { AgentRow, TaskRow } from '../../tables/team.ts';
import type { Reader } from '../base.ts';
import { hasFreeTask, ownWaitingTask } from './free-tasks.ts';

/** Work that an agent could be started for. */
export type Work =
  | { readonly purpose: 'task'; readonly task?: TaskRow | undefined }
  | { readonly purpose: 'chat' };

/** Assigned tasks first, then unassigned ones, then chats (document 002: work decides the purpose). */
export async function findWork(
  db: Reader,
  agent: AgentRow,
  projectId: string,
  nowMs: number,
  wanted?: Purpose,
): Promise<Work | undefined> {
  if (wanted !== 'chat') {
    const task = await ownWaitingTask(db, agent, projectId, nowMs);
    if (task) return { purpose: 'task', task };
    if (await hasFreeSlot(db, agent)) {
      if (await hasFreeTask(db, projectId, nowMs)) return { purpose: 'task' };
    }
  }
  if (wanted !== 'task' && (await hasChatWork(db, agent.id, projectId, nowMs))) return { purpose: 'chat' };
  return undefined;
}

export async function hasFreeSlot(db: Reader, agent: AgentRow): Promise<boolean> {
  const running = await countRows(db, 'tasks', { assignee_id: agent.id, status: 'in_progress' });
  return running < agent.max_parallel_tasks;
}

/** Whether there are unread messages, a conversation that waits to begin, or an errand. */
async function hasChatWork(db: Reader, agentId: string, projectId: string, nowMs: number): Promise<boolean> {
  if (await findRow(db, 'messages', { to_id: agentId, project_id: projectId, read_at_ms: null })) return true;
  const invited = { participant_id: agentId, project_id: projectId, status: 'pending' };
  const since = { 'created_at_ms >': nowMs - pendingForMs };
  if (await findRow(db, 'conversations', { ...invited, ...since })) return true;
  const errand = await db
    .selectFrom('delegations')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('project_id', '=', projectId)
    .where(({ or, and, eb, not, exists, selectFrom, ref }) =>
      or([
        eb('status', '=', 'pending'),
        // While its conversation continues, the errand only waits for an answer.
        and([
          eb('status', '=', 'processing'),
          not(
            exists(
              selectFrom('conversations')
                .select('conversations.id')
                .where('conversations.delegation_id', '=', ref('delegations.id'))
                .where((talk) =>
                  talk.or([
                    talk.and([
                      talk('conversations.status', '=', 'pending'),
                      talk('conversations.created_at_ms', '>', nowMs - pendingForMs),
                    ]),
                    talk.and([
                      talk('conversations.status', '=', 'active'),
                      talk('conversations.changed_at_ms', '>', nowMs - idleForMs),
                    ]),
                  ]),
                ),
            ),
          ),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return errand !== undefined;
}

/** A conversation without messages for this long is over. */
export const idleForMs = 600_000;

/** A conversation that the other does not join for this long is over. */
export const pendingForMs = 300_000;
