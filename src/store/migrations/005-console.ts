import type { Migration } from './migration.ts';

/** Who is logged in to the console, and the codes of links that were not followed yet. */
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
