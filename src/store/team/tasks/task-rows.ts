import type { TaskStatus } from '../../../contract/team/tasks.ts';
import type { TaskView } from '../../../contract/team/team.ts';
import type { Engine } from '../../engine.ts';
import { findRow, listRows, lockRow, type Match, selectRows } from '../../rows.ts';
import type { TaskRow } from '../../tables/team.ts';
import { isoTime, type Reader, type Tx, view } from '../base.ts';
import type { ClaimedTask } from '../quick.ts';
import { kinds, unknown } from '../refusals.ts';

/** Statuses of unfinished tasks. */
export const openStatuses: readonly string[] = ['backlog', 'todo', 'in_progress', 'blocked'];

/** The task, locked until the transaction ends. One of another project counts as unknown. */
export async function lockTask(tx: Tx, engine: Engine, projectId: string, id: string): Promise<TaskRow> {
  const row = await lockRow(engine, tx, 'tasks', { id, project_id: projectId });
  if (!row) throw unknown(kinds.task, id);
  return row;
}

export async function readTask(db: Reader, projectId: string, id: string): Promise<TaskRow> {
  const row = await findRow(db, 'tasks', { id, project_id: projectId });
  if (!row) throw unknown(kinds.task, id);
  return row;
}

/** A task for lists. */
export function briefTask(row: TaskRow): TaskView {
  return view<TaskView>({
    task_id: row.id,
    title: row.title,
    status: row.status as TaskStatus,
    parent_task_id: row.parent_id,
    assignee_id: row.assignee_id,
    created_by: row.created_by,
    result: row.result,
    reason: row.reason,
  });
}

/** A task with everything that its owner needs. */
export async function fullTask(db: Reader, row: TaskRow): Promise<TaskView> {
  const dependsOn = await listRows(db, 'task_dependencies', { task_id: row.id }, { by: 'depends_on_id' });
  return taskView({
    task: row,
    dependsOn: dependsOn.map((one) => one.depends_on_id),
    subtasks: await countByStatus(db, { parent_id: row.id }),
  });
}

export function taskView({ task, dependsOn, subtasks }: ClaimedTask): TaskView {
  const leasedUntilMs = task.status === 'in_progress' ? task.lease_expires_at_ms : null;
  return view<TaskView>({
    ...briefTask(task),
    description: task.description || undefined,
    summary: task.summary,
    depends_on: dependsOn.length === 0 ? undefined : [...dependsOn],
    subtasks: Object.keys(subtasks).length === 0 ? undefined : subtasks,
    lease_expires_at: leasedUntilMs === null ? undefined : isoTime(leasedUntilMs),
  });
}

export async function countByStatus(db: Reader, match?: Match<'tasks'>): Promise<Record<string, number>> {
  const rows = await selectRows(db, 'tasks', match)
    .clearSelect()
    .select(({ fn }) => ['status', fn.countAll<number>().as('tasks')])
    .groupBy('status')
    .orderBy('status')
    .execute();
  return Object.fromEntries(rows.map(({ status, tasks }) => [status, Number(tasks)]));
}

export async function unfinishedDependencies(db: Reader, taskId: string): Promise<readonly TaskRow[]> {
  return db
    .selectFrom('task_dependencies')
    .innerJoin('tasks', 'tasks.id', 'task_dependencies.depends_on_id')
    .selectAll('tasks')
    .where('task_dependencies.task_id', '=', taskId)
    .where('tasks.status', '<>', 'done')
    .orderBy('tasks.seq')
    .execute();
}
