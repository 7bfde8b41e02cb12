import type { Migration } from './migration.ts';

/** Tasks that nobody has are no agent's: a search for a free one never reads all of them by way of this index. */
export const givenTasks: Migration = {
  name: '016-given-tasks',
  both: `
    drop index tasks_by_assignee;
    create index tasks_by_assignee on tasks (assignee_id, status, seq) where assignee_id is not null;
  `,
  sqlite: '',
  postgres: '',
};
