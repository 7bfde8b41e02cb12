import { ConfigError } from '../../../contract/error.ts';
import type { TeamAdmin } from '../../../contract/team/admin.ts';
import type { Engine, OpenEngine } from '../../engine.ts';
import { findRow, given, listRows, lockRow, updateRows } from '../../rows.ts';
import type { TaskRow } from '../../tables/team.ts';
import { type TeamBase, type Tx, topicOf } from '../base.ts';
import { insertTask } from '../tasks/create-tasks.ts';
import { briefTask, fullTask } from '../tasks/task-rows.ts';
import { eventsOf } from '../tasks/tasks.ts';
import { moveTask, recordEvent } from '../tasks/transition.ts';
import { assertAssigned, assertThere, noSuch } from './checks.ts';

/** Management of tasks by a person. */
export function createTaskAdmin({
  openEngine,
  clock,
}: TeamBase): Pick<TeamAdmin, 'addTask' | 'tasks' | 'task' | 'assignTask' | 'cancelTask'> {
  return {
    async addTask({ projectId, title, description, assigneeId, start }) {
      if (title.trim() === '' || title.length > 200)
        throw new ConfigError(
          '--title must be 1 to 200 characters long.',
          '--title は 1～200 文字で指定してください。',
        );
      const engine = await openEngine();
      const id = await engine.write(async (tx) => {
        await assertThere(tx, 'projects', projectId);
        if (assigneeId !== undefined) await assertAssigned(tx, assigneeId, projectId);
        const by = { projectId, by: 'person', nowMs: clock() };
        const task = await insertTask(tx, by, { title, description, assigneeId });
        if (start) await moveTask(tx, engine, task, { ...by, to: 'in_progress' });
        return task.id;
      });
      engine.changes.tell(topicOf(projectId));
      return id;
    },

    async tasks({ projectId, status }) {
      const { db } = await openEngine();
      const wanted = given({ project_id: projectId, status });
      const rows = await listRows(db, 'tasks', wanted, { by: 'seq desc', limit: listed });
      return rows.toReversed().map((row) => ({ ...briefTask(row), project_id: row.project_id }));
    },

    async task(id) {
      const { db } = await openEngine();
      const row = await findRow(db, 'tasks', { id });
      if (!row) throw noSuch('task', id);
      return {
        task: { ...(await fullTask(db, row)), project_id: row.project_id },
        events: await eventsOf(db, id),
      };
    },

    async assignTask(id, agentId) {
      await changeTask(openEngine, id, async (tx, engine, task) => {
        if (agentId !== undefined) await assertAssigned(tx, agentId, task.project_id);
        if (task.status === 'done' || task.status === 'cancelled')
          throw new ConfigError(
            `Task ${id} is ${task.status}, and nobody works on it any more. Add a new one.`,
            `タスク ${id} は ${task.status} で、もう作業の対象になりません。新しいタスクを追加してください。`,
          );
        const set = { assignee_id: agentId ?? null, is_claimed: 0, fence: task.fence + 1 };
        // Reassigning restarts it; that is how a person resumes a blocked task.
        if (task.status === 'in_progress' || task.status === 'blocked') {
          await moveTask(tx, engine, task, { to: 'todo', by: 'person', nowMs: clock(), set });
          return;
        }
        await updateRows(tx, 'tasks', { id }, { ...set, changed_at_ms: clock() });
        const event = { what: 'assigned', from: task.status, reason: agentId ?? 'nobody' };
        await recordEvent(tx, { ...task, ...set }, { ...event, by: 'person', nowMs: clock() });
      });
    },

    async cancelTask(id, reason) {
      await changeTask(openEngine, id, async (tx, engine, task) => {
        const move = { by: 'person', nowMs: clock(), reason };
        const stopped =
          task.status === 'in_progress'
            ? await moveTask(tx, engine, task, { ...move, to: 'todo', set: { fence: task.fence + 1 } })
            : task;
        await moveTask(tx, engine, stopped, { ...move, to: 'cancelled' });
      });
    },
  };
}

/** Changes a task that is locked meanwhile, and wakes those who wait for its project. */
async function changeTask<T>(
  openEngine: OpenEngine,
  id: string,
  work: (tx: Tx, engine: Engine, task: TaskRow) => Promise<T>,
): Promise<T> {
  const engine = await openEngine();
  const { value, projectId } = await engine.write(async (tx) => {
    const task = await lockRow(engine, tx, 'tasks', { id });
    if (!task) throw noSuch('task', id);
    return { value: await work(tx, engine, task), projectId: task.project_id };
  });
  engine.changes.tell(topicOf(projectId));
  return value;
}

const listed = 1000;
