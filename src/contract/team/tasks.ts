/** The states of a task; `store/team/tasks/transition.ts` says which may follow which. */
export const taskStatuses = ['backlog', 'todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Bounds of text that agents write. */
export const teamLimits = {
  titleChars: 200,
  descriptionChars: 20_000,
  reasonChars: 2_000,
  messageChars: 4_000,
  batchTasks: 100,
  listTasks: 100,
  waitSeconds: 50,
  minTurns: 2,
  maxTurns: 40,
} as const;
