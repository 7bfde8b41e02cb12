import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { auditRecord } from './records.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-trouble-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openRecords(folder: string) {
  const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
  onTestFinished(() => store.close().catch(() => {}));
  return store;
}

test('a full disk refuses the call, keeps the record queued, and records it once there is space', async () => {
  const store = await openRecords(makeFolder());
  await store.audit.write(auditRecord({ id: 'before' }));
  const { db } = await store.engine();
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
  await sql.raw(`pragma max_page_count = ${rows[0]?.page_count}`).execute(db);

  const huge = auditRecord({ id: 'huge', arguments: 'x'.repeat(100_000) });
  await expect(store.audit.write(huge)).rejects.toMatchObject({ code: 'storage_full' });
  await expect(
    store.memoriesFor('local').remember({ content: 'y'.repeat(8000), category: 'x', tags: [] }),
  ).rejects.toMatchObject({ code: 'storage_full' });
  // The operator can still read the log.
  expect(await store.audit.search({ limit: 9 })).toHaveLength(1);
  await sql.raw('pragma max_page_count = 1000000').execute(db);
  await store.audit.write(auditRecord({ id: 'after' }));

  expect((await store.audit.search({ limit: 9 })).map(({ id }) => id)).toEqual(['before', 'huge', 'after']);
  expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 3 });
});

test('while another process holds the lock calls wait, the event loop runs, and nothing is lost', async () => {
  const folder = makeFolder();
  const store = await openRecords(folder);
  await store.ready();
  const other = new DatabaseSync(join(folder, 'records.db'));
  other.exec('begin immediate');
  let settled = 0;
  const calls = Array.from({ length: 2_500 }, (_, i) =>
    store.audit.note(auditRecord({ id: `call_${i}` })).then(() => {
      settled += 1;
    }),
  );
  const write = store.audit.write(auditRecord({ id: 'written' }));
  let ticks = 0;
  while (ticks < 20) {
    await sleep(5);
    ticks += 1;
  }

  expect(settled).toBe(2_000);
  other.exec('commit');
  other.close();
  await Promise.all([...calls, write]);

  const ids = new Set((await store.audit.search({ limit: 5_000 })).map(({ id }) => id));
  expect(ids.size).toBe(2_501);
  expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 2_501 });
});

test('closing writes what is queued', async () => {
  const folder = makeFolder();
  const first = await openRecords(folder);
  for (let i = 0; i < 10; i += 1) await first.audit.note(auditRecord({ id: `call_${i}` }));
  await first.close();

  expect(await (await openRecords(folder)).audit.search({ limit: 20 })).toHaveLength(10);
});

test('opening touches the folder only, until the first record', async () => {
  const folder = makeFolder();
  const state = join(folder, 'state');
  const store = await openStore({ url: `sqlite:${join(state, 'records.db')}` });
  expect(readdirSync(state)).toEqual([]);
  await store.close();

  await expect(openStore({ url: 'mysql://user:secret@host/db' })).rejects.toThrow(
    'store.url must be sqlite:PATH or postgres://USER@HOST/DATABASE, got "mysql:…"',
  );
  await expect(openStore({ url: 'sqlite:' })).rejects.toThrow('store.url must be');
});

test.each([
  [
    'is not a database',
    (path: string) => writeFileSync(path, 'not a database, but long enough to be looked at'.repeat(50)),
    /not a database/,
  ],
  ['is a folder', (path: string) => mkdirSync(path), /records cannot be opened/],
  [
    'is of a newer version',
    (path: string) => {
      const database = new DatabaseSync(path);
      database.exec('create table x (y); pragma user_version = 999');
      database.close();
    },
    /schema 999.*newer version/,
  ],
] as const)('a file that %s stops start-up with the reason', async (_title, make, reason) => {
  const folder = makeFolder();
  make(join(folder, 'records.db'));
  const store = await openRecords(folder);

  await expect(store.ready()).rejects.toThrow(reason);
});
