import type { Migration } from './migration.ts';

/** Notices and their delivery, their links, and the devices and passkeys of people. */
export const notices: Migration = {
  name: '009-notices',
  both: `
    create table notices (
      id text primary key, at_ms bigint not null, channel text not null, kind text not null, questions text not null,
      status text not null, attempts integer not null, next_at_ms bigint, ended_at_ms bigint, problem text);
    create index notices_by_time on notices (at_ms);
    create index notices_by_next on notices (next_at_ms);
    create table notice_told (
      channel text not null, question text not null, at_ms bigint not null, primary key (channel, question));
    create table notice_links (
      hash text primary key, kind text not null, channel text not null, questions text not null,
      expires_at_ms bigint not null);
    create table push_devices (
      id text primary key, person text not null, label text not null, endpoint text not null unique,
      p256dh text not null, auth text not null, locale text not null, created_at_ms bigint not null);
    create table passkeys (
      id text primary key, person text not null, token_id text, host text not null, label text not null,
      public_key text not null, counter bigint not null, transports text not null, created_at_ms bigint not null,
      used_at_ms bigint);
    create table passkey_challenges (hash text primary key, expires_at_ms bigint not null);
  `,
  sqlite: '',
  postgres: '',
};
