import type { SelectQueryBuilder } from 'kysely';
import { findRow, matching } from '../../rows.ts';
import type { Tables } from '../../tables/tables.ts';
import type { AgentRow, TaskRow } from '../../tables/team.ts';
import type { Reader } from '../base.ts';
import { hasSlotFor } from './transition.ts';

type TaskQuery = SelectQueryBuilder<Tables, 'tasks', Record<never, never>>;

/** Tasks that any agent of the project may take, oldest first: unassigned, and not waiting for others. */
export function freeTasks(db: Reader, projectId: string): TaskQuery {
  const free = { project_id: projectId, status: 'todo', assignee_id: null };
  return ready(matching(db.selectFrom('tasks'), free));
}

/** Claimed tasks whose owner did not call until the lease expired. */
export function abandonedTasks(db: Reader, projectId: string, nowMs: number): TaskQuery {
  const expired = { status: 'in_progress', is_claimed: 1, 'lease_expires_at_ms <=': nowMs };
  return matching(db.selectFrom('tasks'), { project_id: projectId, ...expired }).orderBy('seq');
}

export async function hasFreeTask(db: Reader, projectId: string, nowMs: number): Promise<boolean> {
  const free = await freeTasks(db, projectId).select('id').limit(1).executeTakeFirst();
  return (
    (free ?? (await abandonedTasks(db, projectId, nowMs).select('id').limit(1).executeTakeFirst())) !==
    undefined
  );
}

/** Sessions at work on a task. Without a call for a lease's length one is dead: its agent's next gets the task back. */
export function liveSessionAt(db: Reader, taskId: string, nowMs: number) {
  return atWork(db, nowMs, { 'tasks.id': taskId })
    .select('agent_sessions.id')
    .whereRef('agent_sessions.agent_id', '=', 'tasks.assignee_id')
    .limit(1);
}

/** Live sessions that match, with their tasks, unless others have these now. */
function atWork(db: Reader, nowMs: number, match: object) {
  const live = { 'agent_sessions.expires_at_ms >': nowMs, 'agent_sessions.used_at_ms >': nowMs - leaseMs };
  const sessions = db
    .selectFrom('agent_sessions')
    .innerJoin('tasks', 'tasks.id', 'agent_sessions.task_id')
    .whereRef('agent_sessions.fence', '=', 'tasks.fence');
  return matching(sessions, { ...live, ...match });
}

/**
 * The oldest task assigned to the agent that is in progress or could be, and that none of its sessions works on. One
 * not yet begun needs a free slot, or the agent would be started in vain.
 */
export async function ownWaitingTask(
  db: Reader,
  agent: AgentRow,
  projectId: string,
  nowMs: number,
): Promise<TaskRow | undefined> {
  const inWork = await tasksInWork(db, agent.id, nowMs);
  for (const status of ['in_progress', 'todo']) {
    const assigned = { assignee_id: agent.id, project_id: projectId, status };
    const query = matching(db.selectFrom('tasks'), assigned);
    const rows = await (status === 'todo' ? ready(query) : query.orderBy('seq'))
      .selectAll('tasks')
      .limit(looked)
      .execute();
    for (const row of rows) {
      if (inWork.has(row.id)) continue;
      if (status === 'in_progress' || (await hasSlotFor(db, agent, row))) return row;
    }
  }
  return undefined;
}

/** The tasks of the agent's sessions, and the tasks that contain them: one session covers them all. */
async function tasksInWork(db: Reader, agentId: string, nowMs: number): Promise<ReadonlySet<string>> {
  const rows = await atWork(db, nowMs, {
    'agent_sessions.agent_id': agentId,
    'agent_sessions.purpose': 'task',
    'tasks.status': ['todo', 'in_progress'],
  })
    .select(['tasks.id', 'tasks.parent_id'])
    .execute();
  const found = new Set<string>();
  for (const { id, parent_id } of rows) {
    found.add(id);
    for (let at = parent_id; at !== null && !found.has(at); ) {
      found.add(at);
      const parent = await findRow(db, 'tasks', { id: at });
      at = parent?.parent_id ?? null;
    }
  }
  return found;
}

/** Those whose dependencies are done, in creation order. */
function ready(query: TaskQuery): TaskQuery {
  return query
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('task_dependencies')
            .innerJoin('tasks as needed', 'needed.id', 'task_dependencies.depends_on_id')
            .select('needed.id')
            .where('task_dependencies.task_id', '=', ref('tasks.id'))
            .where('needed.status', '<>', 'done'),
        ),
      ),
    )
    .orderBy('seq');
}

/** A claimed task may be taken after this long without a call of its session. */
export const leaseMs = 10 * 60_000;
/** If its slots are taken, an agent may begin only parts of its current tasks, which are among the first. */
const looked = 50;
