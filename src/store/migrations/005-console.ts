import type { Migration } from './migration.ts';

/** Console logins, and codes of links not yet followed. */
export const consoleSessions: Migration = {
  name: '005-console',
  both: `
    create table console_codes (hash text primary key, person text not null, expires_at_ms bigint not null);
    create table console_sessions (
      hash text primary key, person text not null, token_id text, used_at_ms bigint not null,
      ends_at_ms bigint not null);
    create index console_sessions_by_end on console_sessions (ends_at_ms);
  `,
  sqlite: '',
  postgres: '',
};
