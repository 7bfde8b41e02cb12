import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

const node = {
  id: 'n1',
  host: 'one',
  address: '127.0.0.1:7040',
  version: '0.1.0',
  pid: 4711,
  startedAtMs: 1_000,
  isDraining: false,
  calls: 3,
  load: 0.25,
  residentBytes: 100 * 1024 * 1024,
  roots: ['/srv/a'],
};

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  test('who serves is listed, as draining and lost too, until it leaves', needs(missing), async () => {
    const place = await createPlace();
    const [here, there] = [await place.open(), await place.open()];
    await here.nodes.beat(node);
    await here.nodes.beat({ ...node, id: 'n2', startedAtMs: 2_000, isDraining: true });
    await there.nodes.beat({ ...node, id: 'n3', startedAtMs: 3_000 });
    const { db } = await there.engine();
    await sql`update nodes set seen_at_ms = seen_at_ms - 30000, clock_ms = clock_ms + 3570000 where id = 'n3'`.execute(
      db,
    );

    expect(await there.nodes.list()).toMatchObject([
      { ...node, state: 'serving' },
      { id: 'n2', state: 'draining' },
      { id: 'n3', state: 'lost' },
    ]);
    const third = (await here.nodes.list())[2];
    expect(third?.seenAgoMs).toBeGreaterThanOrEqual(30_000);
    // An hour, and what passed between a look at the one clock and at the other.
    expect(Math.abs((third?.clockAheadMs ?? 0) - 3_600_000)).toBeLessThan(60_000);

    await here.nodes.leave('n1');
    await sql`update nodes set seen_at_ms = seen_at_ms - 7200000 where id = 'n2'`.execute(db);
    expect((await there.nodes.list()).map(({ id }) => id)).toEqual(['n3']);
    // The next beat of anybody sweeps.
    await here.nodes.beat(node);
    expect(await db.selectFrom('nodes').select('id').orderBy('id').execute()).toEqual([
      { id: 'n1' },
      { id: 'n3' },
    ]);
  });

  test("the store's time is the same for all who share it", needs(missing), async () => {
    const place = await createPlace();
    const [here, there] = [await (await place.open()).engine(), await (await place.open()).engine()];

    expect(Math.abs(here.now() - there.now())).toBeLessThan(1000);
    expect(Math.abs(here.now() - Date.now())).toBeLessThan(2000);
  });
});
