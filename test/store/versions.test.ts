import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { oldestUsable, schemaVersion } from '../../src/store/migrate.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, settle } from '../team/people.ts';
import { startEngines } from './engines.ts';
import { auditRecord } from './records.ts';

/** An upgrade while servers of the version before go on. */
const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const postgres = engines.find(({ name }) => name.startsWith('PostgreSQL'));
const missing = postgres?.missing;

test(
  'no call fails while a newer version adds columns, tables and indexes under a server at work',
  needs(missing),
  async () => {
    const place = await postgres?.createPlace();
    if (!place) throw new Error('no PostgreSQL');
    const [old, newer] = [await place.open(), await place.open()];
    const team = openTeam(old);
    await settle(team);
    for (let n = 0; n < 60; n += 1) await team.admin.addTask({ projectId: 'p', title: `Task ${n}` });
    const { team: mine } = await enter(team, 'a');
    const { db } = await newer.engine();
    let isOver = false;
    const expanding = (async () => {
      for (const table of ['tasks', 'agent_sessions', 'agents', 'task_events', 'audit_inbox', 'audit']) {
        await sql.raw(`alter table ${table} add column later text not null default ''`).execute(db);
        await sql.raw(`create index later_${table} on ${table} (later)`).execute(db);
      }
      await sql`create table later (id text primary key)`.execute(db);
      await sql`update schema_version set version = ${schemaVersion + 1}`.execute(db);
      isOver = true;
    })();
    let done = 0;
    for (; done < 50 && !(isOver && done > 20); done += 1) {
      const { task } = await mine.claimTask({});
      await old.audit.write(auditRecord({ id: `c${done}` }));
      await mine.myTask();
      await mine.reportCompleted({ result: 'success' });
      expect(task?.status).toBe('in_progress');
    }
    await expanding;

    // One of the version before that is started anew meanwhile works as well.
    const again = await place.open();
    expect(await again.audit.verify()).toMatchObject({ ok: true, entries: done });
    expect((await again.audit.search({ limit: 100 })).length).toBe(done);
  },
);

test(
  'a server that knows less than the last step that took something away does not begin',
  needs(missing),
  async () => {
    const place = await postgres?.createPlace();
    if (!place) throw new Error('no PostgreSQL');
    const { db } = await (await place.open()).engine();
    await sql`update schema_version set version = 99, oldest = 98`.execute(db);
    const late = await place.open();
    await expect(late.ready()).rejects.toThrow(`the database has schema 99`);
    await sql`update schema_version set oldest = ${oldestUsable}`.execute(db);

    await expect(late.ready()).resolves.toBeUndefined();
    // What the newer one made is left as it is.
    expect((await sql`select version from schema_version`.execute(db)).rows).toEqual([{ version: 99 }]);
  },
);
