import type { Migration } from './migration.ts';

/** Where the audit chain begins, once its oldest records were forgotten. */
export const retention: Migration = {
  name: '015-retention',
  both: `
    create table audit_start (id integer primary key, seq bigint not null, hash text not null, seal text not null);
    create index task_events_by_time on task_events (at_ms);
  `,
  sqlite: '',
  postgres: '',
};
