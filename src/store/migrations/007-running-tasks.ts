import type { Migration } from './migration.ts';

/** An index for an agent's tasks in progress that skips its finished ones. */
export const runningTasks: Migration = {
  name: '007-running-tasks',
  both: `
    drop index tasks_by_assignee;
    create index tasks_by_assignee on tasks (assignee_id, status, seq);
  `,
  sqlite: '',
  postgres: '',
};
