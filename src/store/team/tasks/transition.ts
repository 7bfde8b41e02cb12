import type { TaskStatus } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import type { Engine } from '../../engine.ts';
import { randomId } from '../../random-id.ts';
import { findRow, insertRow, listRows, lockRow, selectRows, updateRows } from '../../rows.ts';
import type { AgentRow, TaskRow } from '../../tables/team.ts';
import { personId, type Reader, type Tx } from '../base.ts';
import { conflict } from '../refusals.ts';
import { openStatuses, unfinishedDependencies } from './task-rows.ts';

export interface Transition {
  readonly to: TaskStatus;
  /** An agent's id, or `person`. */
  readonly by: string;
  readonly nowMs: number;
  readonly reason?: string | undefined;
  /** Other fields to change. */
  readonly set?: Partial<Omit<TaskRow, 'seq' | 'id' | 'status'>> | undefined;
}

/** The allowed transitions; done and cancelled are final. */
const nextStatuses: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  backlog: ['todo', 'cancelled'],
  todo: ['in_progress', 'backlog', 'cancelled'],
  in_progress: ['done', 'blocked', 'todo'],
  blocked: ['in_progress', 'todo', 'cancelled'],
  done: [],
  cancelled: [],
};

/** The only way to change a status. The caller has locked `task`. Writes the event and notifies the parent's owner. */
export async function moveTask(tx: Tx, engine: Engine, task: TaskRow, move: Transition): Promise<TaskRow> {
  const from = task.status as TaskStatus;
  if (!nextStatuses[from].includes(move.to)) throw notPossible(task.id, from, move.to);
  // Results of an earlier attempt do not apply to the next one.
  const isOpenAgain = move.to === 'in_progress' || move.to === 'todo';
  const reported = isOpenAgain ? { result: null, summary: null } : {};
  const after: TaskRow = { ...task, ...reported, ...move.set, status: move.to };
  if (move.to === 'in_progress') await assertCanStart(tx, engine, after);
  if (move.to === 'done') await assertNoOpenSubtasks(tx, task);
  if (move.to !== 'in_progress') {
    after.lease_session_id = null;
    after.lease_expires_at_ms = null;
  }
  after.reason = move.to === 'blocked' || move.to === 'cancelled' ? (move.reason ?? null) : null;
  after.changed_at_ms = move.nowMs;
  const { seq: _, id, ...columns } = after;
  await updateRows(tx, 'tasks', { id }, columns);
  await recordEvent(tx, after, { what: 'status', by: move.by, nowMs: move.nowMs, from, reason: move.reason });
  if (move.to === 'done' || move.to === 'blocked') await tellOwner(tx, after, move);
  if (move.to === 'cancelled') {
    await cancelSubtasks(tx, engine, task.id, move);
    await tellWaiting(tx, after, move);
  }
  return after;
}

/** Records who changed what, when and why. */
export async function recordEvent(
  tx: Tx,
  task: TaskRow,
  event: {
    readonly what: string;
    readonly by: string;
    readonly nowMs: number;
    readonly from?: string | undefined;
    readonly reason?: string | undefined;
  },
): Promise<void> {
  await insertRow(tx, 'task_events', {
    project_id: task.project_id,
    task_id: task.id,
    at_ms: event.nowMs,
    by_whom: event.by,
    what: event.what,
    from_status: event.from ?? null,
    to_status: task.status,
    fence: task.fence,
    reason: event.reason ?? null,
  });
}

/** Starting needs an owner, finished dependencies and a free slot of the owner. */
export async function assertCanStart(tx: Tx, engine: Engine, task: TaskRow): Promise<void> {
  if (task.assignee_id === null)
    throw conflict(
      `Task ${task.id} has no assignee.`,
      `タスク ${task.id} には担当者がいません。`,
      text('Claim it with claim_task, or assign it.', 'claim_task で取得するか、割り当ててください。'),
    );
  const waiting = await unfinishedDependencies(tx, task.id);
  if (waiting.length > 0) {
    const ids = waiting.map((one) => `${one.id} (${one.status})`).join(', ');
    throw conflict(`Task ${task.id} waits for ${ids}.`, `タスク ${task.id} は ${ids} を待っています。`, {
      suggestion: waiting.some(({ status }) => status === 'cancelled')
        ? text(
            'It can never start: cancel it, or create it anew without that dependency.',
            '開始できません。中止するか、その依存なしで作り直してください。',
          )
        : undefined,
      details: { waits_for: waiting.map((one) => one.id) },
    });
  }
  // The agent's row is locked while its slots are counted.
  const owner = await lockRow(engine, tx, 'agents', { id: task.assignee_id });
  const most = owner?.max_parallel_tasks ?? 0;
  const busy = await countRunning(tx, task.assignee_id, task);
  if (busy.length < most) return;
  throw conflict(
    `Agent ${task.assignee_id} has ${busy.length} of ${most} tasks in progress: ${busy.join(', ')}.`,
    `${task.assignee_id} はすでに ${most} 件中 ${busy.length} 件を進めています: ${busy.join('、')}。`,
    text('Finish or release one first.', '先にどれかを完了または解放してください。'),
  );
}

/** Whether the agent may begin this task beside those in progress. */
export async function hasSlotFor(db: Reader, agent: AgentRow, task: TaskRow): Promise<boolean> {
  return (await countRunning(db, agent.id, task)).length < agent.max_parallel_tasks;
}

/** The agent's tasks in progress. One that waits for this very subtask does not count. */
async function countRunning(db: Reader, agentId: string, task: TaskRow): Promise<readonly string[]> {
  const above = new Set([task.id]);
  for (let at = task.parent_id; at !== null && !above.has(at); ) {
    above.add(at);
    const parent = await findRow(db, 'tasks', { id: at });
    at = parent?.parent_id ?? null;
  }
  const begun = { assignee_id: agentId, status: 'in_progress' };
  const rows = await listRows(db, 'tasks', begun, { by: 'seq', limit: 100 });
  return rows.map((row) => row.id).filter((id) => !above.has(id));
}

async function assertNoOpenSubtasks(tx: Tx, task: TaskRow): Promise<void> {
  const parts = { parent_id: task.id, status: openStatuses };
  const open = await listRows(tx, 'tasks', parts, { by: 'seq', limit: 20 });
  if (open.length === 0) return;
  const list = open.map((one) => `${one.id} (${one.status})`).join(', ');
  throw conflict(
    `Task ${task.id} has open subtasks: ${list}.`,
    `タスク ${task.id} には未完了のサブタスクがあります: ${list}。`,
    {
      suggestion: text('Finish or cancel them first.', '先に完了または中止してください。'),
      details: { open_subtasks: open.map((one) => one.id) },
    },
  );
}

/** Tells the owner of the whole, or for a blocked task without one its creator. */
async function tellOwner(tx: Tx, task: TaskRow, { to, by, nowMs, reason }: Transition): Promise<void> {
  const { id, title, project_id: projectId } = task;
  const whole = task.parent_id === null ? undefined : await findRow(tx, 'tasks', { id: task.parent_id });
  const agentId = task.parent_id === null && to === 'blocked' ? task.created_by : whole?.assignee_id;
  if (!agentId || agentId === by || agentId === 'person') return;
  const kind = to === 'done' ? 'task_completed' : 'task_blocked';
  await notify(tx, { projectId, nowMs }, agentId, kind, reason ? `${title}: ${reason}` : title, id);
}

/** Tasks that wait for a cancelled one can never start: tells those who have or made them. */
async function tellWaiting(tx: Tx, cancelled: TaskRow, { by, nowMs }: Transition): Promise<void> {
  const waiting = await tx
    .selectFrom('task_dependencies')
    .innerJoin('tasks', 'tasks.id', 'task_dependencies.task_id')
    .selectAll('tasks')
    .where('task_dependencies.depends_on_id', '=', cancelled.id)
    .where('tasks.status', 'in', openStatuses)
    .orderBy('tasks.seq')
    .execute();
  for (const { id, title, project_id: projectId, assignee_id, created_by } of waiting) {
    const agentId = assignee_id ?? created_by;
    if (agentId === by || agentId === 'person') continue;
    const message = `${title}: it waits for ${cancelled.title}, which was cancelled`;
    await notify(tx, { projectId, nowMs }, agentId, 'dependency_cancelled', message, id);
  }
}

export async function notify(
  tx: Tx,
  { projectId, nowMs }: { readonly projectId: string; readonly nowMs: number },
  agentId: string,
  kind: string,
  message: string,
  taskId: string | null = null,
): Promise<void> {
  // A person reads messages, not notifications.
  if (agentId === personId) return;
  await insertRow(tx, 'notifications', {
    id: randomId('ntf_', 12),
    agent_id: agentId,
    project_id: projectId,
    kind,
    message,
    task_id: taskId,
    sent_at_ms: nowMs,
    read_at_ms: null,
  });
}

/** Subtasks of a cancelled task are cancelled as well. */
async function cancelSubtasks(tx: Tx, engine: Engine, parentId: string, move: Transition): Promise<void> {
  const open = await engine
    .lock(selectRows(tx, 'tasks', { parent_id: parentId, status: openStatuses }))
    .execute();
  for (const task of open) {
    const stopped =
      task.status === 'in_progress'
        ? await moveTask(tx, engine, task, { ...move, to: 'todo', set: { fence: task.fence + 1 } })
        : task;
    await moveTask(tx, engine, stopped, { ...move, set: undefined });
  }
}

function notPossible(id: string, from: TaskStatus, to: TaskStatus) {
  const next = nextStatuses[from];
  return conflict(
    `Task ${id} is ${from} and cannot become ${to}.`,
    `タスク ${id} は ${from} なので ${to} にはできません。`,
    next.length > 0
      ? text(`From ${from}: ${next.join(', ')}.`, `${from} から可能: ${next.join('、')}。`)
      : text(`${from} is final.`, `${from} は最終状態です。`),
  );
}
