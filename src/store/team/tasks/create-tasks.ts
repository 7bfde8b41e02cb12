import type { BatchTask, MadeTask, NewTask } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { randomId } from '../../random-id.ts';
import type { TaskRow } from '../../tables/team.ts';
import { assertMayDivide, isAbove, readColleague } from '../authority.ts';
import type { Member, Membership, Tx } from '../base.ts';
import { conflict, forbidden, invalid } from '../refusals.ts';
import { lockTask, readTask } from './task-rows.ts';
import { notify, recordEvent } from './transition.ts';

/** Making tasks, one or many at once; many are all made or none. */
export function createTaskMaking(membership: Membership) {
  return {
    createTask: (input: NewTask): Promise<MadeTask> =>
      membership.change(async (tx, me) => {
        await lockMaking(tx, me, input.parent_task_id);
        const made = await makeTask(tx, me, input);
        if (!made.existed) await depend(tx, me, made.task_id, input.depends_on ?? []);
        return made;
      }),

    createTasks: (input: {
      readonly parent_task_id?: string | undefined;
      readonly tasks: readonly BatchTask[];
    }) =>
      membership.change(async (tx, me) => {
        assertLocalIds(input.tasks);
        await lockMaking(tx, me, input.parent_task_id);
        const made = new Map<string, MadeTask>();
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
        await assertNoCircle(tx, [...made.values()]);
        return {
          tasks: input.tasks.map(({ local_id }) => ({
            local_id,
            ...(made.get(local_id) ?? { task_id: '' }),
          })),
        };
      }),
  };
}

/** Makers under one parent take turns, so that one title is made once. */
async function lockMaking(tx: Tx, me: Member, parentId: string | undefined): Promise<void> {
  await me.engine
    .lock(tx.selectFrom('projects').select('id').where('id', '=', me.projectId))
    .executeTakeFirst();
  if (parentId === undefined) return;
  const parent = await lockTask(tx, me.engine, me.projectId, parentId);
  await assertMayDivide(tx, me, parent);
  if (parent.status === 'done' || parent.status === 'cancelled') {
    throw conflict(
      text(
        `Task ${parentId} is ${parent.status} and cannot have subtasks.`,
        `タスク ${parentId} は ${parent.status} なのでサブタスクを追加できません。`,
      ),
    );
  }
  for (let depth = 1, at: TaskRow = parent; at.parent_id !== null; depth += 1) {
    if (depth >= maxDepth) {
      throw conflict(
        text(
          `Tasks can be nested at most ${maxDepth} levels deep.`,
          `タスクの入れ子は ${maxDepth} 段までです。`,
        ),
      );
    }
    at = await readTask(tx, me.projectId, at.parent_id);
  }
}

async function makeTask(tx: Tx, me: Member, input: NewTask): Promise<MadeTask> {
  const parentId = input.parent_task_id ?? null;
  const same = await tx
    .selectFrom('tasks')
    .select('id')
    .where('project_id', '=', me.projectId)
    .where('parent_id', parentId === null ? 'is' : '=', parentId)
    .where('title', '=', input.title)
    .where('status', '<>', 'cancelled')
    .limit(1)
    .executeTakeFirst();
  if (same) return { task_id: same.id, existed: true };
  if (input.assignee_id !== undefined) await assertMayAssign(tx, me, input.assignee_id);
  const row = await insertTask(tx, {
    projectId: me.projectId,
    parentId,
    title: input.title,
    description: input.description ?? '',
    status: input.status ?? 'todo',
    assigneeId: input.assignee_id ?? null,
    by: me.agent.id,
    nowMs: me.nowMs,
  });
  return { task_id: row.id };
}

/** A new row with its first event; its assignee is told. */
export async function insertTask(
  tx: Tx,
  task: {
    readonly projectId: string;
    readonly parentId: string | null;
    readonly title: string;
    readonly description: string;
    readonly status: string;
    readonly assigneeId: string | null;
    readonly by: string;
    readonly nowMs: number;
  },
): Promise<TaskRow> {
  const row = await tx
    .insertInto('tasks')
    .values({
      id: randomId('tsk_', 12),
      project_id: task.projectId,
      parent_id: task.parentId,
      title: task.title,
      description: task.description,
      status: task.status,
      assignee_id: task.assigneeId,
      created_by: task.by,
      is_claimed: 0,
      lease_session_id: null,
      lease_expires_at_ms: null,
      fence: 0,
      result: null,
      summary: null,
      reason: null,
      created_at_ms: task.nowMs,
      changed_at_ms: task.nowMs,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvent(tx, row, { what: 'created', by: task.by, nowMs: task.nowMs });
  if (task.assigneeId !== null && task.assigneeId !== task.by) {
    await notify(tx, {
      agentId: task.assigneeId,
      projectId: task.projectId,
      kind: 'task_assigned',
      message: task.title,
      taskId: row.id,
      nowMs: task.nowMs,
    });
  }
  return row;
}

/** An agent gives work to itself; a manager to those below it too. */
export async function assertMayAssign(tx: Tx, me: Member, agentId: string): Promise<void> {
  await readColleague(tx, me.projectId, agentId);
  if (agentId === me.agent.id) return;
  if (me.agent.hierarchy === 'manager' && (await isAbove(tx, me.agent.id, agentId))) return;
  throw forbidden(
    text(
      `Agent ${agentId} is not below you; ask with request_task.`,
      `${agentId} はあなたの配下ではありません。request_task で依頼してください。`,
    ),
  );
}

async function depend(tx: Tx, me: Member, taskId: string, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) {
    await readTask(tx, me.projectId, id);
    await tx.insertInto('task_dependencies').values({ task_id: taskId, depends_on_id: id }).execute();
  }
}

function assertLocalIds(tasks: readonly BatchTask[]): void {
  const ids = new Set<string>();
  for (const { local_id } of tasks) {
    if (ids.has(local_id)) {
      throw invalid(
        'tasks',
        text(`contains the local_id ${local_id} twice`, `local_id ${local_id} が重複しています`),
      );
    }
    ids.add(local_id);
  }
  const titles = new Set(tasks.map((task) => task.title));
  if (titles.size < tasks.length) {
    throw invalid('tasks', text('contains a title twice', '同じタイトルが重複しています'));
  }
}

/** Nothing older can depend on something new, so a circle lies within the batch. */
async function assertNoCircle(tx: Tx, made: readonly MadeTask[]): Promise<void> {
  const ids = made.map((task) => task.task_id);
  const rows = await tx.selectFrom('task_dependencies').selectAll().where('task_id', 'in', ids).execute();
  const waitsFor = new Map<string, string[]>();
  for (const { task_id, depends_on_id } of rows) {
    waitsFor.set(task_id, [...(waitsFor.get(task_id) ?? []), depends_on_id]);
  }
  const left = new Set(ids);
  for (let found = true; found; ) {
    found = false;
    for (const id of left) {
      if ((waitsFor.get(id) ?? []).some((needed) => left.has(needed))) continue;
      left.delete(id);
      found = true;
    }
  }
  if (left.size > 0)
    throw invalid('tasks', text('depend on each other in a circle', '依存関係が循環しています'));
}

const maxDepth = 8;
