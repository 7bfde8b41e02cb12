import type { Migration } from './migration.ts';

/** What an agent has in progress is found without reading what it ever finished. */
export const runningTasks: Migration = {
  name: '007-running-tasks',
  both: `
    drop index tasks_by_assignee;
    create index tasks_by_assignee on tasks (assignee_id, status, seq);
  `,
  sqlite: '',
  postgres: '',
};
