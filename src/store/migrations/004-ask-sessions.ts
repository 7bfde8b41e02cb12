import type { Migration } from './migration.ts';

/** Conversations with a model over HTTP. */
export const askSessions: Migration = {
  name: '004-ask-sessions',
  both: `
    create table ask_sessions (
      id text primary key, principal text not null, body text not null, updated_at_ms bigint not null,
      holder text, held_until_ms bigint not null);
    create index ask_sessions_by_owner on ask_sessions (principal, updated_at_ms);
  `,
  sqlite: '',
  postgres: '',
};
