import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compileOnce } from './compiled-query.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

test('is built once, and each value stands where the builder put it, constants beside it', async () => {
  const db = await openDatabase();
  let built = 0;
  const add = compileOnce((to, touched: number, key: string) => {
    built += 1;
    return to.insertInto('rates').values({ key, hits: 7, touched_at_ms: touched });
  });
  const find = compileOnce((from, key: string, below: number) =>
    from
      .selectFrom('rates')
      .select(['key', 'touched_at_ms'])
      .where('hits', '=', 7)
      .where('touched_at_ms', '<', below)
      .where((eb) => eb.or([eb('key', '=', key), eb('key', '=', 'always')]))
      .orderBy('key')
      .limit(5),
  );
  for (const [touched, key] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'always'],
    [9, 'c'],
  ] as const)
    await add(db, touched, key);

  expect(built).toBe(1);
  expect(await find(db, 'b', 9)).toEqual([
    { key: 'always', touched_at_ms: 3 },
    { key: 'b', touched_at_ms: 2 },
  ]);
  expect(await find(db, 'c', 10)).toEqual([
    { key: 'always', touched_at_ms: 3 },
    { key: 'c', touched_at_ms: 9 },
  ]);
  expect(await find(db, "' or 1=1 --", 3)).toEqual([]);
});

test('is a part of the transaction that it is asked in', async () => {
  const db = await openDatabase();
  const count = compileOnce((from, key: string) =>
    from.selectFrom('rates').selectAll().where('key', '=', key),
  );
  const undone = db.transaction().execute(async (tx) => {
    await tx.insertInto('rates').values({ key: 'a', hits: 1, touched_at_ms: 1 }).execute();
    expect(await count(tx, 'a')).toHaveLength(1);
    throw new Error('taken back');
  });
  await expect(undone).rejects.toThrow('taken back');
  expect(await count(db, 'a')).toEqual([]);
});

test('a builder that leaves a value out is refused at its first use', async () => {
  const db = await openDatabase();
  const forgetful = compileOnce((from, _key: string) => from.selectFrom('rates').selectAll());
  await expect(forgetful(db, 'a')).rejects.toThrow('each of its values');
});

async function openDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-compiled-'));
  const engine = await openSqlite(join(folder, 'a.db'));
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return engine.db;
}
