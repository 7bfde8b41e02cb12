import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/open-store.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, settle } from '../team/people.ts';
import { startEngines } from './engines.ts';
import { auditRecord } from './records.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const dayMs = 86_400_000;
const retention = { auditMs: 30 * dayMs, eventsMs: 30 * dayMs };

/** Records of forty days ago and of today. */
async function fill(store: Store, old: number, young: number): Promise<void> {
  const { now } = await store.engine();
  for (let n = 0; n < old; n += 1)
    await store.audit.note(auditRecord({ id: `old${n}`, atMs: now() - 40 * dayMs }));
  await store.audit.flush();
  for (let n = 0; n < young; n += 1) await store.audit.note(auditRecord({ id: `young${n}`, atMs: now() }));
  await store.audit.flush();
}

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  test(
    'old records go, what is left can be verified, and the log says what went',
    needs(missing),
    async () => {
      const place = await createPlace();
      const store = await place.open(undefined, { retention });
      await fill(store, 1203, 5);

      expect(await store.forgetOld()).toMatchObject({ records: 1203 });
      expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 6, forgotten: 1203 });
      expect((await store.audit.search({ limit: 100, tool: 'retention' }))[0]).toMatchObject({
        principal: 'server',
        facts: { records: 1203, events: 0 },
      });
      // Nothing is old any more, and nothing is written down of that.
      expect(await store.forgetOld()).toEqual({ records: 0, events: 0 });
      const again = await place.open(undefined, { retention });
      await again.audit.write(auditRecord({ id: 'next', atMs: Date.now() }));
      expect(await again.audit.verify()).toMatchObject({ ok: true, entries: 7, forgotten: 1203 });
    },
  );

  test('without a rule nothing goes', needs(missing), async () => {
    const store = await (await createPlace()).open();
    await fill(store, 3, 1);

    expect(await store.forgetOld()).toEqual({ records: 0, events: 0 });
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 4 });
  });

  test.each([
    ['one more record is taken away', `delete from audit where seq = 11`, 11],
    ['the mark is moved on', `update audit_start set seq = 11`, 1],
    ['the mark is taken away', `delete from audit_start`, 1],
  ])('where %s, it shows', needs(missing), async (_what, tamper, at) => {
    const store = await (await createPlace()).open(undefined, { retention });
    await fill(store, 10, 5);
    await store.forgetOld();
    await sql.raw(tamper).execute((await store.engine()).db);

    expect(await store.audit.verify()).toMatchObject({ ok: false, seq: at });
  });

  test('what was tampered with is not forgotten', needs(missing), async () => {
    const store = await (await createPlace()).open(undefined, { retention });
    await fill(store, 10, 5);
    await sql`update audit set outcome = 'error' where seq = 4`.execute((await store.engine()).db);

    await expect(store.forgetOld()).rejects.toThrow('does not verify at entry 4');
    expect(await store.audit.verify()).toMatchObject({ ok: false, seq: 4 });
  });

  test('two servers that forget and one that verifies meanwhile agree', needs(missing), async () => {
    const place = await createPlace();
    const [one, two] = [
      await place.open(undefined, { retention }),
      await place.open(undefined, { retention }),
    ];
    await fill(one, 2500, 5);

    const [first, second, verdict] = await Promise.all([
      one.forgetOld(),
      two.forgetOld(),
      two.audit.verify(),
    ]);

    expect(first.records + second.records).toBe(2500);
    expect(verdict).toMatchObject({ ok: true });
    expect(await one.audit.verify()).toMatchObject({ ok: true, forgotten: 2500 });
  });

  test('changes of tasks that ended go, those of open ones and the newest stay', needs(missing), async () => {
    const store = await (await createPlace()).open(undefined, { retention });
    const team = openTeam(store);
    await settle(team);
    for (const title of ['done', 'open']) await team.admin.addTask({ projectId: 'p', title });
    const { team: mine } = await enter(team, 'a');
    await mine.claimTask({});
    await mine.reportCompleted({ result: 'success' });
    await mine.claimTask({});
    const { db } = await store.engine();
    const count = async () =>
      Number((await sql<{ n: number }>`select count(*) as n from task_events`.execute(db)).rows[0]?.n);
    const before = await count();
    await sql`update task_events set at_ms = at_ms - ${40 * dayMs}`.execute(db);
    const ended = await sql<{
      n: number;
    }>`select count(*) as n from task_events e join tasks t on t.id = e.task_id
      where t.status = 'done'`.execute(db);

    const { events } = await store.forgetOld();

    expect(events).toBe(Number(ended.rows[0]?.n));
    expect(events).toBeGreaterThan(1);
    expect(await count()).toBe(before - events);
  });
});
