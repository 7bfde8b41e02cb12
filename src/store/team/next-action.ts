import type { Answered } from '../../contract/team/team.ts';
import { listRows } from '../rows.ts';
import type { AgentRow, TaskRow } from '../tables/team.ts';
import { subordinatesOf } from './authority.ts';
import type { LongAct, Member, Reader } from './base.ts';
import { errandsOf, openOf, unread as unreadBy } from './chat/chat-rows.ts';
import { conversationsOf, statusAt } from './chat/conversations.ts';
import { type Step, steps } from './instructions.ts';
import { hasFreeTask, ownWaitingTask } from './tasks/free-tasks.ts';
import { readSubtasks, type Subtasks } from './tasks/subtasks.ts';
import { countByStatus, readTask, unfinishedDependencies } from './tasks/task-rows.ts';
import { hasSlotFor } from './tasks/transition.ts';
import { hasFreeSlot, idleForMs } from './tasks/work.ts';

/** The next step, as data; with a timeout, waits for a change in the project while there is none. */
export const nextAction: LongAct<'nextAction'> = (membership, input, signal) => {
  let first: string | undefined;
  return membership.until(
    () => membership.read(findNext),
    (next) => {
      const { last_event, ...state } = next.state;
      if (input.after_event !== undefined && Number(last_event) > input.after_event) return true;
      const seen = JSON.stringify([next.action, next.needs, state]);
      first ??= seen;
      return !idle.has(next.action) || seen !== first;
    },
    input.timeout_seconds * 1000,
    signal,
  );
};

/** The number of the project's newest event; 0 before the first. */
export async function newestEvent(db: Reader, projectId: string): Promise<number> {
  const newest = { by: 'seq desc', limit: 1 } as const;
  const [row] = await listRows(db, 'task_events', { project_id: projectId }, newest);
  return row?.seq ?? 0;
}

async function findNext(db: Reader, me: Member): Promise<Answered<'nextAction'>> {
  const found = me.session.purpose === 'chat' ? await nextChat(db, me) : await nextTask(db, me);
  const needs = Object.entries(found.needs ?? {}).filter(([, ids]) => ids.length > 0);
  return {
    action: found.step.action,
    instruction: found.step.instruction[me.locale],
    ...(found.step.tool === undefined ? {} : { tool: found.step.tool }),
    ...(found.taskId === undefined ? {} : { task_id: found.taskId }),
    ...(needs.length === 0 ? {} : { needs: Object.fromEntries(needs) }),
    state: { ...found.counts, last_event: await newestEvent(db, me.projectId) },
  };
}

async function nextTask(db: Reader, me: Member): Promise<Found> {
  const id = me.session.task_id;
  if (id === null) return nextWithoutTask(db, me);
  const task = await readTask(db, me.projectId, id);
  const counts = await countByStatus(db, { parent_id: id });
  const found = { taskId: id, counts };
  if (task.status === 'done' || task.status === 'cancelled') return nextWithoutTask(db, me);
  if (task.fence !== me.session.fence) return { ...found, step: steps.lost };
  if (me.session.has_read_task === 0) return { ...found, step: steps.get_task };
  if (task.status === 'todo') return { ...found, ...(await nextForTodo(db, me, task)) };
  if (task.status !== 'in_progress') return nextWithoutTask(db, me);
  const subtasks = await readSubtasks(db, task);
  // A manager without subordinates does its work itself.
  const isManager = me.agent.hierarchy === 'manager';
  const below = isManager ? await subordinatesOf(db, me.projectId, me.agent.id) : [];
  if (subtasks.all.length === 0)
    return { ...found, step: below.length > 0 ? steps.create_subtasks : steps.execute };
  return {
    ...found,
    ...(below.length > 0 ? await nextForManager(db, me, subtasks, below) : nextForWorker(me, subtasks)),
  };
}

/** The step for a task not yet begun: starting it, if that would not be refused. */
async function nextForTodo(db: Reader, me: Member, task: TaskRow): Promise<Found> {
  const needed = await unfinishedDependencies(db, task.id);
  if (needed.length > 0) return { step: steps.wait, needs: { waiting_for: ids(needed) } };
  if (await hasSlotFor(db, me.agent, task)) return { step: steps.start_task };
  return nextWithoutTask(db, me);
}

async function nextWithoutTask(db: Reader, me: Member): Promise<Found> {
  const own = await ownWaitingTask(db, me.agent, me.projectId, me.nowMs);
  if (own) return { step: steps.claim_own, taskId: own.id };
  const canTake = (await hasFreeSlot(db, me.agent)) && (await hasFreeTask(db, me.projectId, me.nowMs));
  return { step: canTake ? steps.claim : steps.finish };
}

function nextForWorker(me: Member, subtasks: Subtasks): Found {
  const { all, blocked, deadlocked, ready, open } = subtasks;
  const needs = { blocked: ids(blocked), deadlocked: ids(deadlocked), backlog: ids(backlogOf(open)) };
  if (open.length === 0) return { step: steps.complete, needs: { closed: ids(all) } };
  const mine = [...open.filter((task) => task.status === 'in_progress'), ...ready].filter(
    (task) => task.assignee_id === null || task.assignee_id === me.agent.id,
  );
  if (mine.length > 0) return { step: steps.execute_subtask, needs: { ...needs, ready: ids(mine) } };
  if (isStuck(subtasks)) return { step: steps.resolve_blocked, needs };
  return { step: steps.wait, needs: { waiting_for: ids(open) } };
}

async function nextForManager(
  db: Reader,
  me: Member,
  subtasks: Subtasks,
  below: readonly AgentRow[],
): Promise<Found> {
  const { all, open, blocked, deadlocked, ready } = subtasks;
  if (open.length === 0) return { step: steps.complete, needs: { closed: ids(all) } };
  const unassigned = ready.filter((task) => task.assignee_id === null);
  const needs = {
    ready: ids(unassigned),
    blocked: ids(blocked),
    deadlocked: ids(deadlocked),
    backlog: ids(backlogOf(open)),
    running: ids(open.filter((task) => task.status === 'in_progress')),
  };
  const chosen = me.session.selected_action;
  const hasChanged = (await newestEvent(db, me.projectId)) > me.session.selected_at_event;
  if (chosen === 'wait' && !hasChanged) return { step: steps.wait, needs };
  if (blocked.length + deadlocked.length > 0) return { step: steps.adjust, needs };
  if (unassigned.length > 0)
    return { step: steps.dispatch, needs: { ...needs, idle: await idleOf(db, below) } };
  // Subtasks that a manager assigned to itself will not be done by others.
  const mine = [...open.filter((task) => task.status === 'in_progress'), ...ready].filter(
    (task) => task.assignee_id === me.agent.id,
  );
  if (mine.length > 0) return { step: steps.execute_subtask, needs: { ...needs, ready: ids(mine) } };
  if (isStuck(subtasks)) return { step: steps.adjust, needs };
  return { step: steps.wait, needs };
}

/** The agents that could begin a task now. */
async function idleOf(db: Reader, below: readonly AgentRow[]): Promise<string[]> {
  const idle: string[] = [];
  for (const agent of below) {
    if (idle.length >= shown) break;
    if (await hasFreeSlot(db, agent)) idle.push(agent.id);
  }
  return idle;
}

/** Whether it needs the manager: a task is blocked or deadlocked, or only the backlog is left. */
function isStuck({ open, ready, blocked, deadlocked }: Subtasks): boolean {
  if (blocked.length + deadlocked.length > 0) return true;
  const goesOn = ready.length > 0 || open.some((task) => task.status === 'in_progress');
  return !goesOn && backlogOf(open).length > 0;
}

function backlogOf(open: readonly TaskRow[]): readonly TaskRow[] {
  return open.filter((task) => task.status === 'backlog');
}

function ids(tasks: readonly TaskRow[]): string[] {
  return tasks.slice(0, shown).map((task) => task.id);
}

/** Steps in which an agent has only to wait. */
const idle = new Set<string>([steps.wait.action, steps.finish.action]);
const shown = 20;

/** The next step of a chat session: read, do an errand, report it, wait for an answer, or exit. */
async function nextChat(db: Reader, me: Member): Promise<Found> {
  const unread = await listRows(db, 'messages', unreadBy(me), { by: 'seq', limit: 10 });
  const open = await openOf(db, me);
  const invited = open.filter((row) => row.status === 'pending' && row.participant_id === me.agent.id);
  const ending = open.filter((row) => row.status === 'terminating' && row.ended_by !== me.agent.id);
  const answerable = new Set(open.filter((row) => row.status !== 'terminating').map((row) => row.id));
  const isHeard = unread.every((row) => row.delivered_at_ms !== null && !answerable.has(row.conversation_id));
  if (unread.length > 0 && isHeard && invited.length + ending.length === 0)
    return { step: steps.acknowledge, needs: { messages: unread.map((row) => row.id) } };
  if (unread.length + invited.length + ending.length > 0) {
    const conversations = [...invited, ...ending].map((row) => row.id);
    return { step: steps.read_messages, needs: { messages: unread.map((row) => row.id), conversations } };
  }
  const errands = await errandsOf(db, me, 20);
  const fresh = errands.filter((row) => row.status === 'pending').map((row) => row.id);
  if (fresh.length > 0) return { step: steps.run_errand, needs: { delegations: fresh } };
  const over: string[] = [];
  for (const errand of errands) {
    const rows = await conversationsOf(db, errand.id);
    const isOpen = rows.some((row) => ['pending', 'active'].includes(statusAt(row, me.nowMs)));
    if (!isOpen) over.push(errand.id);
  }
  if (over.length > 0) return { step: steps.report_errand, needs: { delegations: over } };
  // A person may not write again before tomorrow; the agent is started then and need not wait.
  const talking = open
    .filter((row) => row.status !== 'terminating' && row.changed_at_ms + idleForMs > me.nowMs)
    .map((row) => row.id);
  if (talking.length > 0) return { step: steps.wait, needs: { conversations: talking } };
  return { step: steps.finish };
}

/** An agent's next step, and the tasks that it is about. */
interface Found {
  readonly step: Step;
  readonly taskId?: string | undefined;
  readonly needs?: Record<string, string[]> | undefined;
  readonly counts?: Record<string, number> | undefined;
}
