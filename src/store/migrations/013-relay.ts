import type { Migration } from './migration.ts';

/** Which server owns a thing in its process, and requests of others about it. */
export const relay: Migration = {
  name: '013-relay',
  both: `
    create table relay_keys (name text primary key, node text not null, at_ms bigint not null);
    create index relay_keys_by_node on relay_keys (node);
    create table relay_words (
      id text primary key, node text not null, name text not null, body text not null, answer text,
      at_ms bigint not null);
    create table ended_sessions (id text primary key, at_ms bigint not null);
    create index relay_words_by_node on relay_words (node);
  `,
  sqlite: '',
  postgres: '',
};
