import type { TaskStatus } from '../../../contract/team/tasks.ts';
import type { Answered, Asked } from '../../../contract/team/team.ts';
import { text } from '../../../contract/text/text.ts';
import { randomId } from '../../random-id.ts';
import { findRow, insertRow, lockRow, selectRows } from '../../rows.ts';
import type { TaskRow } from '../../tables/team.ts';
import { assertMayDivide, isAbove, readColleague } from '../authority.ts';
import { type Act, doneBy, type Member, type Tx } from '../base.ts';
import { conflict, forbidden, invalid } from '../refusals.ts';
import { lockTask, openStatuses, readTask } from './task-rows.ts';
import { notify, recordEvent } from './transition.ts';

export const createTask: Act<'createTask'> = async (tx, me, input) => {
  await lockMaking(tx, me, input.parent_task_id);
  const made = await makeTask(tx, me, input);
  if (made.existed) return made;
  const needed = input.depends_on ?? [];
  await depend(tx, me, made.task_id, needed);
  const circle = await findCircle(tx, [made.task_id]);
  if (circle.size > 0) throw waitsForItself(needed.filter((id) => circle.has(id)));
  return made;
};

export const createTasks: Act<'createTasks'> = async (tx, me, input) => {
  assertLocalIds(input.tasks);
  await lockMaking(tx, me, input.parent_task_id);
  const made = new Map<string, Answered<'createTask'>>();
  for (const task of input.tasks) {
    const { title, description, assignee_id } = task;
    made.set(
      task.local_id,
      await makeTask(tx, me, { title, description, assignee_id, parent_task_id: input.parent_task_id }),
    );
  }
  for (const task of input.tasks) {
    const mine = made.get(task.local_id);
    if (!mine || mine.existed) continue;
    const ids = (task.depends_on ?? []).map((id) => made.get(id)?.task_id ?? id);
    await depend(tx, me, mine.task_id, ids);
  }
  const fresh = [...made.values()].filter((task) => !task.existed).map((task) => task.task_id);
  if ((await findCircle(tx, fresh)).size > 0)
    throw invalid(
      'tasks',
      text(
        'depend on each other in a circle, or on a task that cannot be done before they are',
        '依存関係が循環しているか、これらが終わるまで完了できないタスクに依存しています',
      ),
    );
  return {
    tasks: input.tasks.map(({ local_id }) => ({
      local_id,
      ...(made.get(local_id) ?? { task_id: '' }),
    })),
  };
};

/** Creators under one parent take turns, so that one title is created once. */
async function lockMaking(tx: Tx, me: Member, parentId: string | undefined): Promise<void> {
  await lockRow(me.engine, tx, 'projects', { id: me.projectId });
  if (parentId === undefined) return;
  const parent = await lockTask(tx, me.engine, me.projectId, parentId);
  await assertMayDivide(tx, me, parent);
  if (parent.status === 'done' || parent.status === 'cancelled')
    throw conflict(
      `Task ${parentId} is ${parent.status} and cannot have subtasks.`,
      `タスク ${parentId} は ${parent.status} なのでサブタスクを追加できません。`,
    );
  for (let depth = 1, at: TaskRow = parent; at.parent_id !== null; depth += 1) {
    if (depth >= maxDepth)
      throw conflict(
        `Tasks can be nested at most ${maxDepth} levels deep.`,
        `タスクの入れ子は ${maxDepth} 段までです。`,
      );
    at = await readTask(tx, me.projectId, at.parent_id);
  }
}

async function makeTask(tx: Tx, me: Member, input: Asked<'createTask'>): Promise<Answered<'createTask'>> {
  const parentId = input.parent_task_id ?? null;
  // A finished task does not count: the caller wants the work done again.
  const wanted = { project_id: me.projectId, parent_id: parentId, title: input.title, status: openStatuses };
  const same = await findRow(tx, 'tasks', wanted);
  if (same) return { task_id: same.id, existed: true, status: same.status as TaskStatus };
  if (input.assignee_id !== undefined) await assertMayAssign(tx, me, input.assignee_id);
  const { title, description, status, assignee_id: assigneeId } = input;
  const row = await insertTask(tx, doneBy(me), { title, description, status, assigneeId, parentId });
  return { task_id: row.id };
}

/** Inserts a task with its first event and notifies its assignee. */
export async function insertTask(
  tx: Tx,
  maker: ReturnType<typeof doneBy>,
  task: {
    readonly title: string;
    readonly description?: string | undefined;
    readonly parentId?: string | null;
    readonly status?: string | undefined;
    readonly assigneeId?: string | undefined;
  },
): Promise<TaskRow> {
  const { title, description = '', parentId = null, status = 'todo', assigneeId } = task;
  const row = await tx
    .insertInto('tasks')
    .values({
      id: randomId('tsk_', 12),
      project_id: maker.projectId,
      parent_id: parentId,
      title,
      description,
      status,
      assignee_id: assigneeId ?? null,
      created_by: maker.by,
      is_claimed: 0,
      lease_session_id: null,
      lease_expires_at_ms: null,
      fence: 0,
      result: null,
      summary: null,
      reason: null,
      created_at_ms: maker.nowMs,
      changed_at_ms: maker.nowMs,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvent(tx, row, { ...maker, what: 'created' });
  if (assigneeId !== undefined && assigneeId !== maker.by)
    await notify(tx, maker, assigneeId, 'task_assigned', title, row.id);
  return row;
}

/** An agent may assign to itself; a manager also to those below it. */
export async function assertMayAssign(tx: Tx, me: Member, agentId: string): Promise<void> {
  await readColleague(tx, me.projectId, agentId);
  if (agentId === me.agent.id) return;
  if (me.agent.hierarchy === 'manager' && (await isAbove(tx, me.agent.id, agentId))) return;
  throw forbidden(
    `Agent ${agentId} is not below you; ask with request_task.`,
    `${agentId} はあなたの配下ではありません。request_task で依頼してください。`,
  );
}

async function depend(tx: Tx, me: Member, taskId: string, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) {
    const needed = await readTask(tx, me.projectId, id);
    if (needed.status === 'cancelled')
      throw conflict(
        `Task ${id} is cancelled, so a task that depends on it could never start.`,
        `タスク ${id} は cancelled なので、これに依存するタスクは開始できません。`,
      );
    await insertRow(tx, 'task_dependencies', { task_id: taskId, depends_on_id: id });
  }
}

function assertLocalIds(tasks: readonly Asked<'createTasks'>['tasks'][number][]): void {
  const ids = new Set<string>();
  for (const { local_id } of tasks) {
    if (ids.has(local_id))
      throw invalid(
        'tasks',
        text(`contains the local_id ${local_id} twice`, `local_id ${local_id} が重複しています`),
      );
    ids.add(local_id);
  }
  const titles = new Set(tasks.map((task) => task.title));
  if (titles.size < tasks.length)
    throw invalid('tasks', text('contains a title twice', '同じタイトルが重複しています'));
}

/**
 * The tasks in a circle of waits, among those that the new ones wait for. A task waits for its dependencies, and a
 * whole for its parts. Every new wait begins or ends at a new task.
 */
async function findCircle(tx: Tx, fresh: readonly string[]): Promise<ReadonlySet<string>> {
  const waitsFor = new Map<string, string[]>(fresh.map((id) => [id, []]));
  for (let batch = [...fresh]; batch.length > 0; ) {
    const found = new Set<string>();
    for (const { id, needed } of await waitsOf(tx, batch.splice(0, lookedUpAtOnce))) {
      waitsFor.get(id)?.push(needed);
      if (!waitsFor.has(needed)) found.add(needed);
    }
    for (const id of found) waitsFor.set(id, []);
    batch = [...batch, ...found];
  }
  const left = new Set(waitsFor.keys());
  for (let found = true; found; ) {
    found = false;
    for (const id of left) {
      if ((waitsFor.get(id) ?? []).some((needed) => left.has(needed))) continue;
      left.delete(id);
      found = true;
    }
  }
  return left;
}

async function waitsOf(tx: Tx, ids: readonly string[]): Promise<readonly { id: string; needed: string }[]> {
  const needed = await tx
    .selectFrom('task_dependencies')
    .innerJoin('tasks', 'tasks.id', 'task_dependencies.depends_on_id')
    .select(['task_dependencies.task_id as id', 'tasks.id as needed'])
    .where('task_dependencies.task_id', 'in', ids)
    .where('tasks.status', 'in', openStatuses)
    .execute();
  const parts = await selectRows(tx, 'tasks', { parent_id: ids, status: openStatuses }).execute();
  return [...needed, ...parts.map((part) => ({ id: part.parent_id ?? '', needed: part.id }))];
}

function waitsForItself(ids: readonly string[]) {
  return invalid(
    'depends_on',
    text(
      `names ${ids.join(', ')}, which cannot be done before this task is`,
      `このタスクが終わるまで完了できないタスク ${ids.join('、')} が含まれています`,
    ),
  );
}

/** Databases limit the values of one statement. */
const lookedUpAtOnce = 500;
const maxDepth = 8;
