import type { Hierarchy } from '../../contract/team/admin.ts';
import type { AgentProfile, Answered } from '../../contract/team/team.ts';
import { randomId } from '../random-id.ts';
import { countRows, findRow, insertRow, listRows, lockRow, updateRows } from '../rows.ts';
import type { AgentRow } from '../tables/team.ts';
import { assertOwns } from './authority.ts';
import { type Act, isoTime, type Reader, view } from './base.ts';
import { conflict, kinds, unknown } from './refusals.ts';
import { nothingInHand } from './tasks/claim.ts';
import { countByStatus, readTask } from './tasks/task-rows.ts';

export const profile: Act<'profile'> = async (db, me) => {
  return profileOf(db, me.agent);
};

export const project: Act<'project'> = async (db, me) => {
  const project = await findRow(db, 'projects', { id: me.projectId });
  if (!project) throw unknown(kinds.project, me.projectId);
  const agents = await listRows(db, 'assignments', { project_id: me.projectId }, { by: 'agent_id' });
  return view<Answered<'project'>>({
    project_id: project.id,
    name: project.name,
    status: project.status,
    working_directory: project.working_directory,
    agents: agents.map((row) => row.agent_id),
    tasks: await countByStatus(db, { project_id: me.projectId }),
  });
};

export const reportModel: Act<'reportModel'> = async (tx, me, { model }) => {
  await updateRows(tx, 'agents', { id: me.agent.id }, { model });
  return { success: true };
};

export const notifications: Act<'notifications'> = async (tx, me, { ack }) => {
  const unread = { agent_id: me.agent.id, project_id: me.projectId, read_at_ms: null };
  if (ack && ack.length > 0) {
    await updateRows(tx, 'notifications', { ...unread, id: ack }, { read_at_ms: me.nowMs });
  }
  const rows = await listRows(tx, 'notifications', unread, { by: 'seq', limit: shownNotifications + 1 });
  return {
    notifications: rows.slice(0, shownNotifications).map((row) =>
      view<Answered<'notifications'>['notifications'][number]>({
        notification_id: row.id,
        kind: row.kind,
        message: row.message,
        task_id: row.task_id,
        sent_at: isoTime(row.sent_at_ms),
      }),
    ),
    more: rows.length > shownNotifications,
  };
};

export const history: Act<'history'> = async (db, me, { limit }) => {
  const mine = { agent_id: me.agent.id, project_id: me.projectId };
  const rows = await listRows(db, 'executions', mine, { by: ['started_at_ms desc', 'id'], limit });
  return {
    executions: rows.map((row) =>
      view<Answered<'history'>['executions'][number]>({
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
};

export const startExecution: Act<'startExecution'> = async (tx, me, { task_id }) => {
  const taskId = task_id ?? me.session.task_id;
  if (taskId === null) throw nothingInHand(me);
  const task = await readTask(tx, me.projectId, taskId);
  assertOwns(me, task);
  const id = randomId('exe_', 12);
  await insertRow(tx, 'executions', {
    id,
    agent_id: me.agent.id,
    project_id: me.projectId,
    task_id: taskId,
    status: 'running',
    summary: null,
    model: me.agent.model,
    started_at_ms: me.nowMs,
    ended_at_ms: null,
  });
  return { execution_id: id, task_id: taskId };
};

export const completeExecution: Act<'completeExecution'> = async (tx, me, input) => {
  const execution = await lockRow(me.engine, tx, 'executions', {
    id: input.execution_id,
    agent_id: me.agent.id,
    project_id: me.projectId,
  });
  if (!execution) throw unknown(kinds.execution, input.execution_id);
  if (execution.status === input.status) return { success: true };
  if (execution.status !== 'running')
    throw conflict(
      `Execution ${execution.id} is ${execution.status} already.`,
      `実行記録 ${execution.id} はすでに ${execution.status} です。`,
    );
  const set = { status: input.status, summary: input.summary ?? null, ended_at_ms: me.nowMs };
  await updateRows(tx, 'executions', { id: execution.id }, set);
  return { success: true };
};

export async function profileOf(db: Reader, agent: AgentRow): Promise<AgentProfile> {
  const projects = await listRows(db, 'assignments', { agent_id: agent.id }, { by: 'project_id' });
  return view<AgentProfile>({
    agent_id: agent.id,
    name: agent.name,
    hierarchy: agent.hierarchy as Hierarchy,
    parent_id: agent.parent_id,
    projects: projects.map((row) => row.project_id),
    status: agent.status,
    max_parallel_tasks: agent.max_parallel_tasks,
    tasks_in_progress: await countRows(db, 'tasks', { assignee_id: agent.id, status: 'in_progress' }),
    model: agent.model,
  });
}

const shownNotifications = 20;
