import type { Migration } from './migration.ts';

/** Former contents of files for servers on several machines, and the folders that each serves. */
export const contents: Migration = {
  name: '014-contents',
  both: 'alter table nodes add column roots text;',
  sqlite: '',
  postgres: `
    create table history_contents (
      digest text not null, part integer not null, bytes bytea not null, at_ms bigint not null,
      primary key (digest, part));
  `,
};
