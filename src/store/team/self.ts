import type { AgentProfile, Hierarchy } from '../../contract/team/agents.ts';
import type { ExecutionView, NotificationView, ProjectView } from '../../contract/team/team.ts';
import { text } from '../../contract/text/text.ts';
import { randomId } from '../random-id.ts';
import type { AgentRow } from '../tables/team.ts';
import { assertOwns } from './authority.ts';
import { isoTime, type Membership, type Reader, view } from './base.ts';
import { conflict, kinds, unknown } from './refusals.ts';
import { nothingInHand } from './tasks/claim.ts';
import { readTask } from './tasks/task-rows.ts';

/** Reading and reporting by an agent about itself. */
export function createSelf(membership: Membership) {
  return {
    profile: () => membership.read((db, me) => profileOf(db, me.agent)),

    project: () =>
      membership.read(async (db, me): Promise<ProjectView> => {
        const project = await db
          .selectFrom('projects')
          .selectAll()
          .where('id', '=', me.projectId)
          .executeTakeFirst();
        if (!project) throw unknown(kinds.project, me.projectId);
        const agents = await db
          .selectFrom('assignments')
          .select('agent_id')
          .where('project_id', '=', me.projectId)
          .orderBy('agent_id')
          .execute();
        const tasks = await db
          .selectFrom('tasks')
          .select(({ fn }) => ['status', fn.countAll<number>().as('tasks')])
          .where('project_id', '=', me.projectId)
          .groupBy('status')
          .orderBy('status')
          .execute();
        return view<ProjectView>({
          project_id: project.id,
          name: project.name,
          status: project.status,
          working_directory: project.working_directory,
          agents: agents.map((row) => row.agent_id),
          tasks: Object.fromEntries(tasks.map((row) => [row.status, Number(row.tasks)])),
        });
      }),

    reportModel: ({ model }: { readonly model: string }) =>
      membership.change(async (tx, me) => {
        await tx.updateTable('agents').set({ model }).where('id', '=', me.agent.id).execute();
        return { success: true };
      }),

    notifications: ({ ack }: { readonly ack?: readonly string[] | undefined }) =>
      membership.change(async (tx, me) => {
        if (ack && ack.length > 0) {
          await tx
            .updateTable('notifications')
            .set({ read_at_ms: me.nowMs })
            .where('agent_id', '=', me.agent.id)
            .where('project_id', '=', me.projectId)
            .where('id', 'in', ack)
            .where('read_at_ms', 'is', null)
            .execute();
        }
        const rows = await tx
          .selectFrom('notifications')
          .selectAll()
          .where('agent_id', '=', me.agent.id)
          .where('project_id', '=', me.projectId)
          .where('read_at_ms', 'is', null)
          .orderBy('seq')
          .limit(shownNotifications + 1)
          .execute();
        return {
          notifications: rows.slice(0, shownNotifications).map((row) =>
            view<NotificationView>({
              notification_id: row.id,
              kind: row.kind,
              message: row.message,
              task_id: row.task_id,
              sent_at: isoTime(row.sent_at_ms),
            }),
          ),
          more: rows.length > shownNotifications,
        };
      }),

    history: ({ limit }: { readonly limit: number }) =>
      membership.read(async (db, me) => {
        const rows = await db
          .selectFrom('executions')
          .selectAll()
          .where('agent_id', '=', me.agent.id)
          .where('project_id', '=', me.projectId)
          .orderBy('started_at_ms', 'desc')
          .orderBy('id')
          .limit(limit)
          .execute();
        return {
          executions: rows.map((row) =>
            view<ExecutionView>({
              execution_id: row.id,
              task_id: row.task_id,
              status: row.status,
              summary: row.summary,
              model: row.model,
              started_at: isoTime(row.started_at_ms),
              ended_at: row.ended_at_ms === null ? undefined : isoTime(row.ended_at_ms),
            }),
          ),
        };
      }),

    startExecution: ({ task_id }: { readonly task_id?: string | undefined }) =>
      membership.change(async (tx, me) => {
        const taskId = task_id ?? me.session.task_id;
        if (taskId === null) throw nothingInHand(me);
        const task = await readTask(tx, me.projectId, taskId);
        assertOwns(me, task);
        const id = randomId('exe_', 12);
        await tx
          .insertInto('executions')
          .values({
            id,
            agent_id: me.agent.id,
            project_id: me.projectId,
            task_id: taskId,
            status: 'running',
            summary: null,
            model: me.agent.model,
            started_at_ms: me.nowMs,
            ended_at_ms: null,
          })
          .execute();
        return { execution_id: id, task_id: taskId };
      }),

    completeExecution: (input: {
      readonly execution_id: string;
      readonly status: 'success' | 'failed';
      readonly summary?: string | undefined;
    }) =>
      membership.change(async (tx, me) => {
        const execution = await me.engine
          .lock(
            tx
              .selectFrom('executions')
              .selectAll()
              .where('id', '=', input.execution_id)
              .where('agent_id', '=', me.agent.id)
              .where('project_id', '=', me.projectId),
          )
          .executeTakeFirst();
        if (!execution) throw unknown(kinds.execution, input.execution_id);
        if (execution.status === input.status) return { success: true };
        if (execution.status !== 'running') {
          throw conflict(
            text(
              `Execution ${execution.id} is ${execution.status} already.`,
              `実行記録 ${execution.id} はすでに ${execution.status} です。`,
            ),
          );
        }
        await tx
          .updateTable('executions')
          .set({ status: input.status, summary: input.summary ?? null, ended_at_ms: me.nowMs })
          .where('id', '=', execution.id)
          .execute();
        return { success: true };
      }),
  };
}

export async function profileOf(db: Reader, agent: AgentRow): Promise<AgentProfile> {
  const projects = await db
    .selectFrom('assignments')
    .select('project_id')
    .where('agent_id', '=', agent.id)
    .orderBy('project_id')
    .execute();
  const running = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<number>().as('tasks'))
    .where('assignee_id', '=', agent.id)
    .where('status', '=', 'in_progress')
    .executeTakeFirstOrThrow();
  return view<AgentProfile>({
    agent_id: agent.id,
    name: agent.name,
    hierarchy: agent.hierarchy as Hierarchy,
    parent_id: agent.parent_id,
    projects: projects.map((row) => row.project_id),
    status: agent.status,
    max_parallel_tasks: agent.max_parallel_tasks,
    tasks_in_progress: Number(running.tasks),
    model: agent.model,
  });
}

const shownNotifications = 20;
