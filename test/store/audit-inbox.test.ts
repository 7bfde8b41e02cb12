import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';
import { auditRecord } from './records.ts';

/** Records of several servers on one PostgreSQL wait in an inbox until they are joined to the chain. */
const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const postgres = engines.find(({ name }) => name.startsWith('PostgreSQL'));
const missing = postgres?.missing;

/** A store whose records stay in the inbox: it is left as a killed server leaves it. */
async function killedServer(records: number) {
  if (!postgres) throw new Error('no PostgreSQL');
  const place = await postgres.createPlace();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = await openStore({ url: place.url, stateFolder: place.folder });
  for (let at = 0; at < records; at++) await store.audit.write(auditRecord({ id: `call_${at}` }));
  vi.useRealTimers();
  const engine = await store.engine();
  onTestFinished(() => store.close().catch(() => {}));
  return { place, engine, store };
}

test('what a killed server left is joined by whoever looks next', needs(missing), async () => {
  const { place, engine } = await killedServer(5);
  expect(await engine.db.selectFrom('audit_inbox').select('id').execute()).toHaveLength(5);

  const next = await place.open();
  expect((await next.audit.search({ limit: 9 })).map(({ id }) => id)).toEqual(
    Array.from({ length: 5 }, (_, at) => `call_${at}`),
  );
  expect(await next.audit.verify()).toMatchObject({ ok: true, entries: 5 });
  expect(await engine.db.selectFrom('audit_inbox').select('id').execute()).toEqual([]);
});

test.each([
  ['a changed record', sql`update audit_inbox set body = replace(body, 'call_2', 'call_9') where n = 3`],
  ['a changed column', sql`update audit_inbox set outcome = 'denied' where n = 3`],
  ['a record that is left out', sql`delete from audit_inbox where n = 3`],
  ['the first one left out', sql`delete from audit_inbox where n = 1`],
  ['two exchanged', sql`update audit_inbox set n = case n when 2 then 30 else 2 end where n in (2, 3)`],
  ['one of a server that nobody started', sql`update audit_inbox set writer = 'srv_x' where n = 5`],
  [
    'one put in twice under another number',
    sql`insert into audit_inbox (writer, n, at_ms, principal, tool, outcome, body, hash)
      select writer, 6, at_ms, principal, tool, outcome, body, hash from audit_inbox where n = 5`,
  ],
])(`%s shows before it has its place in the chain`, needs(missing), async (_title, tampering) => {
  const { place, engine } = await killedServer(5);
  await tampering.execute(engine.db);

  const next = await place.open();
  expect(await next.audit.verify()).toMatchObject({ ok: false });
  // What others write goes on, and the finding stays.
  await next.audit.write(auditRecord({ id: 'later' }));
  expect((await next.audit.search({ limit: 99 })).map(({ id }) => id)).toContain('later');
  expect(await next.audit.verify()).toMatchObject({ ok: false });
});

test('a record that has its place is not taken a second time', needs(missing), async () => {
  const { place, engine, store } = await killedServer(3);
  const rows = await engine.db.selectFrom('audit_inbox').selectAll().execute();
  await store.audit.flush();
  await engine.db.insertInto('audit_inbox').values(rows).execute();

  const next = await place.open();
  expect(await next.audit.verify()).toMatchObject({ ok: true, entries: 3 });

  // Nor where somebody removes what says how far its server had come.
  await engine.db.deleteFrom('audit_writers').execute();
  await engine.db.insertInto('audit_inbox').values(rows.slice(1)).execute();
  expect(await next.audit.verify()).toMatchObject({ ok: false });
});

test('a server whose last records are left out says so at its next one', needs(missing), async () => {
  const { engine, store } = await killedServer(5);
  await sql`delete from audit_inbox where n > 3`.execute(engine.db);
  await store.audit.write(auditRecord({ id: 'call_5' }));

  expect(await store.audit.verify()).toMatchObject({ ok: false });
});
