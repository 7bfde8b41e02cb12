import type { Migration } from './migration.ts';

/** Audit, tokens, approvals, rates, memories. */
export const records: Migration = {
  name: '001-records',
  both: `
    create table audit_head (
      id integer primary key, seq bigint not null, hash text not null, seal text not null);
    create table memory_owners (owner text primary key, memories bigint not null, words bigint not null);
    create table tokens (
      id text primary key, hash text not null unique, user_name text not null, role text, toolsets text,
      created_at_ms bigint not null, expires_at_ms bigint, revoked_at_ms bigint);
    create table approvals (
      id text primary key, principal text not null, session_id text not null, tool text not null,
      digest text not null, message text not null, rule text not null, status text not null,
      created_at_ms bigint not null, expires_at_ms bigint not null,
      decided_by text, scope text, grant_text text);
    create unique index approvals_open on approvals (principal, tool, digest)
      where status in ('pending', 'approved');
    create index approvals_granted on approvals (principal, tool, grant_text)
      where scope in ('session', 'always');
    create index approvals_by_time on approvals (status, created_at_ms);
  `,
  sqlite: `
    create table audit (
      seq integer primary key, at_ms integer not null, principal text not null, tool text not null,
      outcome text not null, body text not null, hash text not null);
    create table rates (key text primary key, hits integer not null, touched_at_ms integer not null) without rowid;
    create table rate_hits (
      key text not null, slot integer not null, at_ms integer not null, primary key (key, slot)) without rowid;
    create table memories (
      seq integer primary key autoincrement, id text not null unique, owner text not null, content text not null,
      category text not null, tags text not null, created_at_ms integer not null,
      updated_at_ms integer not null, gist text not null, category_key text not null, tags_key text not null,
      words text not null);
    create index memories_by_owner on memories (owner, seq);
    create unique index memories_same on memories (owner, gist);
    create virtual table memory_words using fts5 (
      words, content='', contentless_delete=1, tokenize='ascii', detail='none');
    create virtual table memory_terms using fts5vocab (memory_words, 'row');
  `,
  postgres: `
    create table audit (
      seq bigint primary key, at_ms bigint not null, principal text not null, tool text not null,
      outcome text not null, body text not null, hash text not null);
    create table rates (key text primary key, hits bigint not null, touched_at_ms bigint not null);
    create table rate_hits (
      key text not null, slot bigint not null, at_ms bigint not null, primary key (key, slot));
    create table memories (
      seq bigint generated always as identity primary key, id text not null unique, owner text not null,
      content text not null, category text not null, tags text not null, created_at_ms bigint not null,
      updated_at_ms bigint not null, gist text not null, category_key text not null, tags_key text not null,
      words text not null, word_index tsvector not null default ''::tsvector);
    create index memories_by_owner on memories (owner, seq);
    create unique index memories_same on memories (owner, gist);
    create index memories_by_word on memories using gin (word_index);
  `,
};
