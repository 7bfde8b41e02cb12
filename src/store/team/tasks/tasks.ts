import type { TaskEventView } from '../../../contract/team/team.ts';
import { text } from '../../../contract/text/text.ts';
import { given, listRows, updateRows } from '../../rows.ts';
import { assertMayChange, assertNotReplaced, ownsWhole } from '../authority.ts';
import { type Act, doneBy, isoTime, type LongAct, type Member, type Reader, type Tx, view } from '../base.ts';
import { words } from '../instructions.ts';
import { forbidden, invalid } from '../refusals.ts';
import { begin, nothingInHand } from './claim.ts';
import { briefTask, fullTask, lockTask, readTask } from './task-rows.ts';
import { moveTask } from './transition.ts';

/** Reading tasks and changing their status. */
export const myTask: LongAct<'myTask'> = async (membership) => {
  const { found, locale } = await membership.read(async (db, me) => {
    const id = me.session.task_id ?? (await firstOwn(db, me));
    const task = id === undefined ? undefined : await fullTask(db, await readTask(db, me.projectId, id));
    return { found: task, locale: me.locale };
  });
  if (!found) return { instruction: words.noTask[locale] };
  await membership.change((tx, me) => markRead(tx, me, found.task_id));
  return { task: found, instruction: words.read[locale] };
};

export const getTask: LongAct<'getTask'> = async (membership, { task_id }) => {
  const found = await membership.read(async (db, me) => {
    const task = await readTask(db, me.projectId, task_id);
    return {
      answer: { task: await fullTask(db, task), events: await eventsOf(db, task_id) },
      isMine: me.session.task_id === task_id && me.session.has_read_task === 0,
    };
  });
  if (found.isMine) await membership.change((tx, me) => markRead(tx, me, task_id));
  return found.answer;
};

export const reportCompleted: LongAct<'reportCompleted'> = async (membership, input) => {
  const to = input.result === 'success' ? ('done' as const) : ('blocked' as const);
  const summary = input.summary ?? null;
  const reason = to === 'blocked' ? (summary ?? input.result) : null;
  const id =
    (await membership.quickly((team, me) =>
      team.report(me, { to, result: input.result, summary, reason }),
    )) ??
    (await membership.change(async (tx, me) => {
      const held = me.session.task_id;
      if (held === null) throw nothingInHand(me);
      const task = await lockTask(tx, me.engine, me.projectId, held);
      assertNotReplaced(me, task);
      const isSame = task.status === to && task.result === input.result;
      if (!isSame) {
        const set = { result: input.result, summary };
        await moveTask(tx, me.engine, task, { ...doneBy(me), to, reason: reason ?? undefined, set });
      }
      return held;
    }));
  return { success: true, task_id: id, status: to, instruction: words.reported[membership.locale] };
};

export const listTasks: Act<'listTasks'> = async (db, me, input) => {
  const { status, assignee_id, parent_task_id: parent_id, cursor } = input;
  const wanted = given({ status, assignee_id, parent_id, 'seq >': cursor ? readCursor(cursor) : undefined });
  const page = { by: 'seq', limit: input.limit + 1 } as const;
  const rows = await listRows(db, 'tasks', { project_id: me.projectId, ...wanted }, page);
  const shown = rows.slice(0, input.limit);
  const last = shown.at(-1);
  return {
    tasks: shown.map(briefTask),
    ...(rows.length > shown.length && last ? { next_cursor: String(last.seq) } : {}),
  };
};

export const updateTaskStatus: Act<'updateTaskStatus'> = async (tx, me, input) => {
  const task = await lockTask(tx, me.engine, me.projectId, input.task_id);
  await assertMayChange(tx, me, task);
  if (
    input.status === 'cancelled' &&
    task.created_by !== me.agent.id &&
    me.agent.hierarchy !== 'manager' &&
    !(await ownsWhole(tx, me, task))
  ) {
    throw forbidden(
      `Task ${task.id} was created by ${task.created_by}; only they, a manager or the owner of the parent task can cancel it.`,
      `タスク ${task.id} を中止できるのは作成者 ${task.created_by}、マネージャー、親タスクの担当者だけです。`,
      text('Set it to blocked with a reason instead.', '代わりに理由を付けて blocked にしてください。'),
    );
  }
  // A client whose reply was lost asks again: a status that is set already is no error.
  const isSame = task.status === input.status;
  const isOwn = task.assignee_id === me.agent.id;
  const after = isSame
    ? task
    : input.status === 'in_progress' && isOwn && me.session.purpose === 'task'
      ? await begin(tx, me, task)
      : await moveTask(tx, me.engine, task, { ...doneBy(me), to: input.status, reason: input.reason });
  return { task: await fullTask(tx, after) };
};

export async function eventsOf(db: Reader, taskId: string): Promise<TaskEventView[]> {
  const newest = { by: 'seq desc', limit: shownEvents } as const;
  const rows = await listRows(db, 'task_events', { task_id: taskId }, newest);
  return rows.toReversed().map((row) =>
    view<TaskEventView>({
      at: isoTime(row.at_ms),
      by: row.by_whom,
      what: row.what,
      from: row.from_status,
      to: row.to_status,
      reason: row.reason,
    }),
  );
}

export function readCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw invalid('cursor', text('is not valid', 'が不正です'));
  return Number(cursor);
}

async function firstOwn(db: Reader, me: Member): Promise<string | undefined> {
  const own = { assignee_id: me.agent.id, project_id: me.projectId, status: 'in_progress' };
  const [row] = await listRows(db, 'tasks', own, { by: 'seq', limit: 1 });
  return row?.id;
}

async function markRead(tx: Tx, me: Member, taskId: string): Promise<void> {
  if (me.session.task_id !== taskId || me.session.has_read_task === 1) return;
  await updateRows(tx, 'agent_sessions', { id: me.session.id }, { has_read_task: 1 });
}

const shownEvents = 20;
