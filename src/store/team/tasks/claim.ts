import type { TaskView } from '../../../contract/team/team.ts';
import { text } from '../../../contract/text/text.ts';
import { listRows, lockRow, updateRows } from '../../rows.ts';
import type { TaskRow } from '../../tables/team.ts';
import { assertMayChange, assertNotReplaced } from '../authority.ts';
import { type Act, doneBy, type LongAct, type Member, type Tx } from '../base.ts';
import { conflict } from '../refusals.ts';
import { abandonedTasks, freeTasks, leaseMs, liveSessionAt } from './free-tasks.ts';
import { fullTask, lockTask, taskView } from './task-rows.ts';
import { assertCanStart, moveTask, recordEvent } from './transition.ts';

/** Claiming unassigned tasks, and releasing them. */
export const claimTask: LongAct<'claimTask'> = async (membership, { task_id }) => {
  const claimed =
    task_id === undefined
      ? await membership.quickly((team, me) => team.claim(me, me.nowMs + leaseMs))
      : undefined;
  if (claimed) return { task: taskView(claimed) };
  return membership.change(async (tx, me): Promise<Claimed> => {
    // A client whose reply was lost asks again, and gets the same task.
    const held = await taskInHand(tx, me, task_id);
    if (held) return { task: await fullTask(tx, held) };
    const task = task_id === undefined ? await takeAny(tx, me) : await takeThis(tx, me, task_id);
    return task ? { task: await fullTask(tx, task) } : { reason: 'no_free_task' };
  });
};

export const releaseTask: Act<'releaseTask'> = async (tx, me, input) => {
  const id = input.task_id ?? me.session.task_id;
  if (id === null) throw nothingInHand(me);
  const task = await lockTask(tx, me.engine, me.projectId, id);
  await assertMayChange(tx, me, task);
  if (task.status === 'todo' && task.assignee_id === null) return { success: true };
  const set = { assignee_id: null, is_claimed: 0, fence: task.fence + 1 };
  if (task.status === 'todo') {
    const after = { ...task, ...set, lease_session_id: null, lease_expires_at_ms: null };
    const { seq: _, id: __, ...columns } = after;
    await updateRows(tx, 'tasks', { id }, columns);
    await recordEvent(tx, after, { ...doneBy(me), what: 'released', reason: input.reason });
  } else {
    await moveTask(tx, me.engine, task, { ...doneBy(me), to: 'todo', reason: input.reason, set });
  }
  // A manager that releases another agent's task keeps its own.
  if (id === me.session.task_id) await bindTo(tx, me, null, 0);
  return { success: true };
};

interface Claimed {
  task?: TaskView;
  reason?: string;
}

/** The task that this session already has, if it is the wanted one. */
async function taskInHand(tx: Tx, me: Member, wanted: string | undefined): Promise<TaskRow | undefined> {
  const id = me.session.task_id;
  if (id === null || (wanted !== undefined && wanted !== id)) return undefined;
  const task = await lockTask(tx, me.engine, me.projectId, id);
  if (task.status === 'in_progress' && task.fence === me.session.fence) return task;
  if (wanted !== undefined) assertNotReplaced(me, task);
  // Assigned to the agent, but not begun.
  if (task.status === 'todo' && task.assignee_id === me.agent.id && task.fence === me.session.fence)
    return moveTask(tx, me.engine, task, { ...doneBy(me), to: 'in_progress' });
  return undefined;
}

async function takeThis(tx: Tx, me: Member, id: string): Promise<TaskRow> {
  const task = await lockTask(tx, me.engine, me.projectId, id);
  if (task.assignee_id === me.agent.id) {
    if (task.status !== 'in_progress') assertStartable(task);
    else await assertNoOtherSession(tx, me, task);
    return begin(tx, me, task);
  }
  const isAbandoned =
    task.status === 'in_progress' && task.is_claimed === 1 && (task.lease_expires_at_ms ?? 0) <= me.nowMs;
  if (task.assignee_id !== null && !isAbandoned)
    throw conflict(
      `Task ${id} was taken by agent ${task.assignee_id}.`,
      `タスク ${id} は ${task.assignee_id} が担当しています。`,
      {
        suggestion: text(
          'claim_task without task_id takes a free one.',
          'task_id なしの claim_task が空きタスクを取ります。',
        ),
        details: { owner: task.assignee_id },
      },
    );
  if (!isAbandoned) assertStartable(task);
  return take(tx, me, id);
}

/** Two sessions of one agent must not work on one task. */
async function assertNoOtherSession(tx: Tx, me: Member, { id }: TaskRow): Promise<void> {
  const other = await liveSessionAt(tx, id, me.nowMs)
    .where('agent_sessions.id', '<>', me.session.id)
    .executeTakeFirst();
  if (!other) return;
  throw conflict(
    `Another session of yours (${other.id}) is working on task ${id}.`,
    `タスク ${id} はあなたの別のセッション（${other.id}）が進めています。`,
    text('Leave it to that session.', 'そのセッションに任せてください。'),
  );
}

function assertStartable(task: TaskRow): void {
  if (task.status === 'todo') return;
  throw conflict(
    `Task ${task.id} is ${task.status}; only a todo task can be claimed.`,
    `タスク ${task.id} は ${task.status} です。取得できるのは todo のタスクだけです。`,
  );
}

/** One statement takes the first matching task, so that only one of several claimants gets it. */
async function takeAny(tx: Tx, me: Member): Promise<TaskRow | undefined> {
  const { engine, projectId, nowMs } = me;
  await lockSlots(tx, me);
  for (const { from, candidates } of [
    { from: 'todo', candidates: freeTasks(tx, projectId) },
    { from: 'in_progress', candidates: abandonedTasks(tx, projectId, nowMs) },
  ]) {
    const one = engine.lock(candidates.select('tasks.id').limit(1), { skip: true });
    const task = await tx
      .updateTable('tasks')
      .set((eb) => ({ ...ownership(me), fence: eb('fence', '+', 1) }))
      .where('id', '=', one)
      .returningAll()
      .executeTakeFirst();
    if (task) return taken(tx, me, task, from);
  }
  return undefined;
}

async function take(tx: Tx, me: Member, id: string): Promise<TaskRow> {
  const before = await lockTask(tx, me.engine, me.projectId, id);
  await assertCanStart(tx, me.engine, { ...before, assignee_id: me.agent.id });
  const task = await tx
    .updateTable('tasks')
    .set((eb) => ({ ...ownership(me), fence: eb('fence', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return taken(tx, me, task, before.status);
}

function ownership(me: Member) {
  return {
    assignee_id: me.agent.id,
    status: 'in_progress',
    is_claimed: 1,
    lease_session_id: me.session.id,
    lease_expires_at_ms: me.nowMs + leaseMs,
    result: null,
    summary: null,
    reason: null,
    changed_at_ms: me.nowMs,
  };
}

async function taken(tx: Tx, me: Member, task: TaskRow, from: string): Promise<TaskRow> {
  await recordEvent(tx, task, { ...doneBy(me), what: 'claimed', from });
  await bindTo(tx, me, task.id, task.fence);
  return task;
}

/** Begins or resumes a task of the agent: its lease and fence now belong to this session. */
export async function begin(tx: Tx, me: Member, task: TaskRow): Promise<TaskRow> {
  const set = {
    fence: task.fence + 1,
    lease_session_id: me.session.id,
    lease_expires_at_ms: me.nowMs + leaseMs,
  };
  await bindTo(tx, me, task.id, set.fence);
  if (task.status !== 'in_progress')
    return moveTask(tx, me.engine, task, { ...doneBy(me), to: 'in_progress', set });
  await updateRows(tx, 'tasks', { id: task.id }, set);
  return { ...task, ...set };
}

async function bindTo(tx: Tx, me: Member, taskId: string | null, fence: number): Promise<void> {
  const fresh = taskId === me.session.task_id ? {} : { has_read_task: 0, selected_action: null };
  await updateRows(tx, 'agent_sessions', { id: me.session.id }, { task_id: taskId, fence, ...fresh });
}

async function lockSlots(tx: Tx, me: Member): Promise<void> {
  const agent = await lockRow(me.engine, tx, 'agents', { id: me.agent.id });
  const most = agent?.max_parallel_tasks ?? 0;
  const begun = { assignee_id: me.agent.id, status: 'in_progress' };
  const running = await listRows(tx, 'tasks', begun, { by: 'seq' });
  if (running.length < most) return;
  const ids = running.map((one) => one.id).join(', ');
  throw conflict(
    `You have ${running.length} of ${most} tasks in progress: ${ids}.`,
    `すでに ${most} 件中 ${running.length} 件を進めています: ${ids}。`,
    text('Finish or release one first.', '先にどれかを完了または解放してください。'),
  );
}

export function nothingInHand({ session }: Member) {
  return conflict(
    'This session has no task.',
    'このセッションにはタスクがありません。',
    session.purpose === 'chat'
      ? text(
          'This is a chat session; the task session of the same agent reports its task.',
          'これはチャットセッションです。タスクは同じエージェントのタスクセッションが報告します。',
        )
      : text('Claim one with claim_task.', 'claim_task で取得してください。'),
  );
}
