import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { TokenRow } from '../../src/store/tables/tables.ts';

async function openEngine() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-writes-'));
  const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store.engine();
}

const token = (id: string): TokenRow => ({
  id,
  hash: id,
  user_name: 'ann',
  role: null,
  toolsets: null,
  created_at_ms: 0,
  expires_at_ms: null,
  revoked_at_ms: null,
});

test('of writes that share a transaction one that fails leaves nothing, and the others stay', async () => {
  const { db, write } = await openEngine();

  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      write(async (tx) => {
        await tx
          .insertInto('tokens')
          .values(token(`t${i}`))
          .execute();
        if (i % 5 === 0) throw new Error(`refused ${i}`);
        return i;
      }),
    ),
  );

  expect(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
  ).toEqual(Array.from({ length: 20 }, (_, i) => (i % 5 === 0 ? `Error: refused ${i}` : i)));
  const ids = (await db.selectFrom('tokens').select('id').execute()).map(({ id }) => id);
  expect(ids.sort()).toEqual(
    Array.from({ length: 20 }, (_, i) => `t${i}`)
      .filter((_, i) => i % 5 !== 0)
      .sort(),
  );
});

test('writes that share a transaction whose disk is full do not take each other along', async () => {
  const { db, write } = await openEngine();
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
  await sql.raw(`pragma max_page_count = ${Number(rows[0]?.page_count) + 4}`).execute(db);

  const outcomes = await Promise.allSettled(
    ['small', 'x'.repeat(200_000), 'another'].map((id) =>
      write((tx) => tx.insertInto('tokens').values(token(id)).execute()),
    ),
  );

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'storage_full' } });
  expect((await db.selectFrom('tokens').select('id').execute()).map(({ id }) => id).sort()).toEqual([
    'another',
    'small',
  ]);
});
