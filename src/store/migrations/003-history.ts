import type { Migration } from './migration.ts';

/** Changes of files: who, when, and the state before and after. */
export const history: Migration = {
  name: '003-history',
  both: `
    create table history (
      id text primary key, seq bigint not null, at_ms bigint not null, principal text not null,
      session_id text not null, tool text not null, audit_id text not null, root text not null,
      path text not null, action text not null, before_state text not null, after_state text not null,
      digest text, undoes text, undone_by text);
    create index history_by_order on history (seq);
    create index history_by_session on history (session_id, seq);
    create index history_by_path on history (root, path, seq);
  `,
  sqlite: '',
  postgres: '',
};
