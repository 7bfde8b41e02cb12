import type { Migration } from './migration.ts';

/** Unassigned tasks leave the index by assignee, so that a search for a free task never reads them all through it. */
export const givenTasks: Migration = {
  name: '016-given-tasks',
  both: `
    drop index tasks_by_assignee;
    create index tasks_by_assignee on tasks (assignee_id, status, seq) where assignee_id is not null;
  `,
  sqlite: '',
  postgres: '',
};
