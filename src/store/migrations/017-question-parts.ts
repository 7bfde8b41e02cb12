import type { Migration } from './migration.ts';

/** A question in parts, as JSON. */
export const questionParts: Migration = {
  name: '017-question-parts',
  both: 'alter table approvals add column about text;',
  sqlite: '',
  postgres: '',
};
