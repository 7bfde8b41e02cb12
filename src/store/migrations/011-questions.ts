import type { Migration } from './migration.ts';

/** Who may answer a question, the source of its rule, and the extent of a standing approval. */
export const questions: Migration = {
  name: '011-questions',
  both: `
    alter table approvals add column folder text;
    alter table approvals add column answer text;
    alter table approvals add column written_at text;
    alter table approvals add column until_ms bigint;
    alter table approvals add column last_used_at_ms bigint;
    alter table approvals add column instead text;
    alter table approvals add column plan_id text;
    drop index approvals_granted;
    create index approvals_granted on approvals (principal, tool)
      where scope in ('session', 'until', 'folder', 'always');
  `,
  sqlite: '',
  postgres: '',
};
