import type { Answered } from '../../contract/team/team.ts';
import { text } from '../../contract/text/text.ts';
import { listRows, matching, updateRows } from '../rows.ts';
import type { TaskRow } from '../tables/team.ts';
import { assertNotReplaced, isAbove, readColleague, subordinatesOf } from './authority.ts';
import { type Act, doneBy, type Reader, view } from './base.ts';
import { steps } from './instructions.ts';
import { newestEvent } from './next-action.ts';
import { conflict, forbidden } from './refusals.ts';
import { profileOf } from './self.ts';
import { assertMayAssign } from './tasks/create-tasks.ts';
import { pendingRequests } from './tasks/requests.ts';
import { briefTask, fullTask, lockTask } from './tasks/task-rows.ts';
import { notify, recordEvent } from './tasks/transition.ts';

export const subordinates: Act<'subordinates'> = async (db, me) => {
  const below = await subordinatesOf(db, me.projectId, me.agent.id);
  const ids = below.map((agent) => agent.id);
  const running = await countRunningOf(db, ids);
  const agents = below.map(({ id, name, hierarchy, parent_id, max_parallel_tasks }) =>
    view<Answered<'subordinates'>['agents'][number]>({
      agent_id: id,
      name,
      hierarchy,
      parent_id,
      tasks_in_progress: running.get(id) ?? 0,
      max_parallel_tasks,
    }),
  );
  return { agents, pending_requests: await pendingRequests(db, me.projectId, ids) };
};

export const subordinate: Act<'subordinate'> = async (db, me, { agent_id }) => {
  const agent = await readColleague(db, me.projectId, agent_id);
  if (!(await isAbove(db, me.agent.id, agent_id)))
    throw forbidden(`Agent ${agent_id} is not below you.`, `${agent_id} はあなたの配下ではありません。`);
  const status = ['todo', 'in_progress', 'blocked'];
  const open = { assignee_id: agent_id, project_id: me.projectId, status };
  const tasks = await listRows(db, 'tasks', open, { by: 'seq', limit: 50 });
  return { ...(await profileOf(db, agent)), tasks: tasks.map(briefTask) };
};

export const assignTask: Act<'assignTask'> = async (tx, me, input) => {
  const task = await lockTask(tx, me.engine, me.projectId, input.task_id);
  assertNotReplaced(me, task);
  const owner = task.assignee_id;
  if (owner !== null && owner !== me.agent.id && !(await isAbove(tx, me.agent.id, owner)))
    throw forbidden(
      `Task ${task.id} belongs to agent ${owner}.`,
      `タスク ${task.id} は ${owner} の担当です。`,
    );
  if (input.assignee_id !== null) await assertMayAssign(tx, me, input.assignee_id);
  if (owner === input.assignee_id) return { task: await fullTask(tx, task) };
  if (task.status === 'in_progress' || task.status === 'done' || task.status === 'cancelled')
    throw conflict(
      `Task ${task.id} is ${task.status} and cannot be given to another now.`,
      `タスク ${task.id} は ${task.status} なので割り当てを変えられません。`,
      task.status === 'in_progress'
        ? text('Take it back with release_task first.', '先に release_task で回収してください。')
        : undefined,
    );
  const after: TaskRow = {
    ...task,
    assignee_id: input.assignee_id,
    is_claimed: 0,
    fence: task.fence + 1,
    lease_session_id: null,
    lease_expires_at_ms: null,
    changed_at_ms: me.nowMs,
  };
  const { seq: _, id, ...columns } = after;
  await updateRows(tx, 'tasks', { id }, columns);
  const reason = input.assignee_id ?? 'nobody';
  await recordEvent(tx, after, { ...doneBy(me), what: 'assigned', from: task.status, reason });
  if (input.assignee_id !== null && input.assignee_id !== me.agent.id) {
    await notify(tx, me, input.assignee_id, 'task_assigned', task.title, id);
  }
  return { task: await fullTask(tx, after) };
};

export const selectAction: Act<'selectAction'> = async (tx, me, input) => {
  const set = { selected_action: input.action, selected_at_event: await newestEvent(tx, me.projectId) };
  await updateRows(tx, 'agent_sessions', { id: me.session.id }, set);
  return { success: true, instruction: steps[input.action].instruction[me.locale] };
};

async function countRunningOf(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const running = matching(db.selectFrom('tasks'), { assignee_id: ids, status: 'in_progress' });
  const rows = await running
    .select(({ fn }) => ['assignee_id', fn.countAll<number>().as('tasks')])
    .groupBy('assignee_id')
    .execute();
  return new Map(rows.map((row) => [row.assignee_id ?? '', Number(row.tasks)]));
}
