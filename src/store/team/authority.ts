import type { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { findRow, selectRows } from '../rows.ts';
import type { AgentRow, TaskRow } from '../tables/team.ts';
import type { Member, Reader } from './base.ts';
import { conflict, forbidden, kinds, unknown } from './refusals.ts';
import { readTask } from './tasks/task-rows.ts';

/** An agent of the project. An agent not assigned to it counts as unknown. */
export async function readColleague(db: Reader, projectId: string, id: string): Promise<AgentRow> {
  const row = await db
    .selectFrom('agents')
    .innerJoin('assignments', 'assignments.agent_id', 'agents.id')
    .selectAll('agents')
    .where('agents.id', '=', id)
    .where('assignments.project_id', '=', projectId)
    .executeTakeFirst();
  if (!row) throw unknown(kinds.agent, id);
  return row;
}

/** Whether the first agent is above the second, at any distance. */
export async function isAbove(db: Reader, aboveId: string, id: string): Promise<boolean> {
  return (await ancestorsOf(db, id)).includes(aboveId);
}

export async function ancestorsOf(db: Reader, id: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = id; ; ) {
    const row = await findRow(db, 'agents', { id: at });
    // Circles are not created, but must not cause an endless loop.
    if (!row?.parent_id || found.includes(row.parent_id)) return found;
    found.push(row.parent_id);
    at = row.parent_id;
  }
}

/** All agents below a manager in the project. */
export async function subordinatesOf(
  db: Reader,
  projectId: string,
  managerId: string,
): Promise<readonly AgentRow[]> {
  const all = await db
    .selectFrom('agents')
    .innerJoin('assignments', 'assignments.agent_id', 'agents.id')
    .selectAll('agents')
    .where('assignments.project_id', '=', projectId)
    .orderBy('agents.id')
    .execute();
  const agents = await selectRows(db, 'agents').execute();
  const parents = new Map(agents.map(({ id, parent_id }) => [id, parent_id]));
  return all.filter((agent) => {
    const passed = new Set<string>();
    for (let at = agent.parent_id; at && !passed.has(at); at = parents.get(at) ?? null) {
      if (at === managerId) return true;
      passed.add(at);
    }
    return false;
  });
}

/** Throws unless the caller may change the task: its owner, a manager above, its creator, or the owner of the whole. */
export async function assertMayChange(db: Reader, me: Member, task: TaskRow): Promise<void> {
  if (await mayChange(db, me, task)) return;
  throw notYours(task);
}

/** Throws unless the task is the caller's own and, once begun, of this session. */
export function assertOwns(me: Member, task: TaskRow): void {
  assertNotReplaced(me, task);
  if (task.assignee_id !== me.agent.id) throw notYours(task);
}

/** Throws unless the caller may say what belongs to the task: dividing it determines what must be done before it. */
export async function assertMayDivide(db: Reader, me: Member, task: TaskRow): Promise<void> {
  if (await mayChange(db, me, task)) return;
  throw notYours(
    task,
    text(
      'Ask for the work with request_task, or create it without parent_task_id.',
      'request_task で依頼するか、parent_task_id なしで作成してください。',
    ),
  );
}

async function mayChange(db: Reader, me: Member, task: TaskRow): Promise<boolean> {
  assertNotReplaced(me, task);
  const isManager = me.agent.hierarchy === 'manager';
  if (task.assignee_id === me.agent.id) return true;
  if (task.assignee_id === null && (isManager || task.created_by === me.agent.id)) return true;
  if (task.assignee_id !== null && isManager && (await isAbove(db, me.agent.id, task.assignee_id)))
    return true;
  // The owner of the whole may fix, drop or postpone parts that are not in progress.
  return task.status !== 'in_progress' && (await ownsWhole(db, me, task));
}

/** Whether the caller owns a task that this one is a part of. */
export async function ownsWhole(db: Reader, me: Member, { parent_id }: TaskRow): Promise<boolean> {
  const passed = new Set<string>();
  for (let at = parent_id; at !== null && !passed.has(at); ) {
    passed.add(at);
    const whole = await readTask(db, me.projectId, at);
    if (whole.assignee_id === me.agent.id) return true;
    at = whole.parent_id;
  }
  return false;
}

function notYours({ id, assignee_id: owner }: TaskRow, suggestion?: Text): ToolError {
  return owner === null
    ? forbidden(
        `Task ${id} has no owner yet; claim it first.`,
        `タスク ${id} の担当者はまだいません。先に取得してください。`,
      )
    : forbidden(`Task ${id} belongs to agent ${owner}.`, `タスク ${id} は ${owner} の担当です。`, suggestion);
}

/** Throws if this session once had the task and another has it now: the fence is newer than ours. */
export function assertNotReplaced(me: Member, task: TaskRow): void {
  if (me.session.task_id !== task.id || me.session.fence === task.fence) return;
  const owner = task.assignee_id;
  throw owner === null
    ? conflict(
        `Task ${task.id} is no longer yours: it was released.`,
        `タスク ${task.id} はすでに解放されています。`,
        text(
          'Stop working on it, or claim it again with claim_task.',
          '作業をやめるか、claim_task で取り直してください。',
        ),
      )
    : conflict(
        owner === me.agent.id
          ? `Task ${task.id} is no longer this session's: another session of yours has it now.`
          : `Task ${task.id} is no longer yours: agent ${owner} has it now.`,
        owner === me.agent.id
          ? `タスク ${task.id} は現在あなたの別のセッションが担当しています。`
          : `タスク ${task.id} は現在 ${owner} の担当です。`,
        {
          suggestion: text(
            'Stop working on it; get_next_action says what to do.',
            '作業をやめてください。次の行動は get_next_action が示します。',
          ),
          details: { owner, fence: task.fence },
        },
      );
}
