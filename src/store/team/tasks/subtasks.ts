import { listRows } from '../../rows.ts';
import type { TaskRow } from '../../tables/team.ts';
import type { Reader } from '../base.ts';
import { openStatuses } from './task-rows.ts';

/** The state of a task's parts. */
export interface Subtasks {
  readonly all: readonly TaskRow[];
  readonly open: readonly TaskRow[];
  /** Todo, with no open dependencies. */
  readonly ready: readonly TaskRow[];
  readonly blocked: readonly TaskRow[];
  /** Cannot start: its dependencies were cancelled, are blocked, or wait for it. */
  readonly deadlocked: readonly TaskRow[];
}

export async function readSubtasks(db: Reader, parent: TaskRow): Promise<Subtasks> {
  const all = await listRows(db, 'tasks', { parent_id: parent.id }, { by: 'seq', limit: most });
  const open = all.filter((task) => openStatuses.includes(task.status));
  const waitsFor = await dependenciesOf(db, open);
  const todo = open.filter((task) => task.status === 'todo' || task.status === 'backlog');
  const stuck = findStuck(todo, waitsFor);
  return {
    all,
    open,
    ready: todo.filter(
      (task) =>
        task.status === 'todo' && (waitsFor.get(task.id) ?? []).every((needed) => needed.status === 'done'),
    ),
    blocked: open.filter((task) => task.status === 'blocked'),
    deadlocked: todo.filter((task) => stuck.has(task.id)),
  };
}

interface Needed {
  readonly id: string;
  readonly status: string;
}

async function dependenciesOf(
  db: Reader,
  tasks: readonly TaskRow[],
): Promise<ReadonlyMap<string, readonly Needed[]>> {
  if (tasks.length === 0) return new Map();
  const rows = await db
    .selectFrom('task_dependencies')
    .innerJoin('tasks', 'tasks.id', 'task_dependencies.depends_on_id')
    .select(['task_dependencies.task_id', 'tasks.id', 'tasks.status'])
    .where(
      'task_dependencies.task_id',
      'in',
      tasks.map((task) => task.id),
    )
    .execute();
  return Map.groupBy(rows, ({ task_id }) => task_id);
}

/** Tasks that depend on a cancelled or blocked one, directly or indirectly. */
function findStuck(
  todo: readonly TaskRow[],
  waitsFor: ReadonlyMap<string, readonly Needed[]>,
): ReadonlySet<string> {
  const stuck = new Set<string>();
  for (let grew = true; grew; ) {
    grew = false;
    for (const { id } of todo) {
      if (stuck.has(id)) continue;
      const never = (waitsFor.get(id) ?? []).some(
        (needed) => needed.status === 'cancelled' || needed.status === 'blocked' || stuck.has(needed.id),
      );
      if (!never) continue;
      stuck.add(id);
      grew = true;
    }
  }
  return stuck;
}

const most = 500;
