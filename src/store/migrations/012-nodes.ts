import type { Migration } from './migration.ts';

/** The servers that use this store. */
export const nodes: Migration = {
  name: '012-nodes',
  both: `
    create table nodes (
      id text primary key, host text not null, address text not null, version text not null, pid bigint not null,
      started_at_ms bigint not null, is_draining integer not null, calls bigint not null, load_percent bigint not null,
      resident_bytes bigint not null, clock_ms bigint not null, seen_at_ms bigint not null);
  `,
  sqlite: '',
  postgres: '',
};
