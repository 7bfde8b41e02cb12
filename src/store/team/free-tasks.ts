import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../tables.ts';
import type { TaskRow } from '../tables-team.ts';
import type { Reader } from './base.ts';

type TaskQuery = SelectQueryBuilder<Tables, 'tasks', Record<never, never>>;

/** Tasks that anybody of the project may take, oldest first: not assigned, and not waiting for others. */
export function freeTasks(db: Reader, projectId: string): TaskQuery {
  return ready(
    db
      .selectFrom('tasks')
      .where('project_id', '=', projectId)
      .where('status', '=', 'todo')
      .where('assignee_id', 'is', null),
  );
}

/** Tasks whose owner took them and was not heard of until the lease ran out. */
export function abandonedTasks(db: Reader, projectId: string, nowMs: number): TaskQuery {
  return db
    .selectFrom('tasks')
    .where('project_id', '=', projectId)
    .where('status', '=', 'in_progress')
    .where('is_claimed', '=', 1)
    .where('lease_expires_at_ms', '<=', nowMs)
    .orderBy('seq');
}

/** Does anything wait to be taken? */
export async function hasFreeTask(db: Reader, projectId: string, nowMs: number): Promise<boolean> {
  const free = await freeTasks(db, projectId).select('id').limit(1).executeTakeFirst();
  return (
    (free ?? (await abandonedTasks(db, projectId, nowMs).select('id').limit(1).executeTakeFirst())) !==
    undefined
  );
}

/** The oldest task that was given to the agent and is in progress, or could be, and that no session of it is at. */
export async function ownWaitingTask(
  db: Reader,
  agentId: string,
  projectId: string,
  nowMs: number,
): Promise<TaskRow | undefined> {
  for (const status of ['in_progress', 'todo']) {
    const query = db
      .selectFrom('tasks')
      .where('assignee_id', '=', agentId)
      .where('project_id', '=', projectId)
      .where('status', '=', status)
      .where(({ not, exists, selectFrom, ref }) =>
        not(
          exists(
            selectFrom('agent_sessions')
              .select('agent_sessions.id')
              .where('agent_sessions.agent_id', '=', agentId)
              .where('agent_sessions.task_id', '=', ref('tasks.id'))
              .where('agent_sessions.fence', '=', ref('tasks.fence'))
              .where('agent_sessions.purpose', '=', 'task')
              .where('agent_sessions.expires_at_ms', '>', nowMs),
          ),
        ),
      );
    const row = await (status === 'todo' ? ready(query) : query.orderBy('seq'))
      .selectAll('tasks')
      .limit(1)
      .executeTakeFirst();
    if (row) return row;
  }
  return undefined;
}

/** Those whose dependencies are done, in the order of their making. */
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
