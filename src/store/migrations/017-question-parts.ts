import type { Migration } from './migration.ts';

/** What a question is about in parts, as JSON. */
export const questionParts: Migration = {
  name: '017-question-parts',
  both: 'alter table approvals add column about text;',
  sqlite: '',
  postgres: '',
};
