import type { Migration } from './migration.ts';

/** The start of the audit chain after its oldest records were removed. */
export const retention: Migration = {
  name: '015-retention',
  both: `
    create table audit_start (id integer primary key, seq bigint not null, hash text not null, seal text not null);
    create index task_events_by_time on task_events (at_ms);
  `,
  sqlite: '',
  postgres: '',
};
