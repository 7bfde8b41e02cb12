import { afterAll, describe, expect, test } from 'vitest';
import { createCodeCache } from '../../src/store/embeddings/code-cache.ts';
import { codeOf } from '../../src/store/embeddings/codes.ts';
import { storeVectors } from '../../src/store/embeddings/queue.ts';
import type { Engine } from '../../src/store/engine.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('codes in memory, from $name', ({ missing, createPlace }) => {
  async function openFilled(owners: readonly string[], count: number) {
    const store = await (await createPlace()).open();
    const engine = await store.engine();
    for (const owner of owners) {
      const memories = store.memoriesFor(owner);
      // Not all at once: a slow machine would keep the last of them waiting for a connection for too long.
      for (let at = 0; at < count; at += 20) {
        await Promise.all(
          Array.from({ length: Math.min(20, count - at) }, (_, i) =>
            memories.remember({ content: `note ${at + i}`, category: 'general', tags: [] }),
          ),
        );
      }
      const rows = await engine.db
        .selectFrom('memories')
        .select(['seq', 'content'])
        .where('owner', '=', owner)
        .orderBy('seq')
        .execute();
      await engine.write((tx) =>
        engine.insertMany(
          tx,
          'memory_vectors',
          rows.map(({ seq }) => ({ seq, owner, model: 'm', due_at_ms: 0 })),
        ),
      );
      await renew(engine, owner, rows);
    }
    return { store, engine };
  }
  async function renew(engine: Engine, owner: string, rows: readonly { seq: number; content: string }[]) {
    await engine.write((tx) =>
      tx.updateTable('memory_vectors').set({ due_at_ms: 0 }).where('owner', '=', owner).execute(),
    );
    const waiting = rows.map((row) => ({ ...row, owner, attempts: 1, vector: vectorOf(row.seq) }));
    await storeVectors(engine, 'm', waiting);
  }
  const nowOf = async (engine: Engine, owner: string) => {
    const row = await engine.db
      .selectFrom('memory_owners')
      .select(['memories', 'vector_rev'])
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow();
    return { memories: row.memories, rev: row.vector_rev };
  };

  test('are read once, and then only what is new', needs(missing), async () => {
    const { engine } = await openFilled(['ann'], 300);
    const cache = createCodeCache();
    const space = { owner: 'ann', model: 'm', dimensions: 64 };
    const [one, other] = await Promise.all([
      cache.codes(engine, space, await nowOf(engine, 'ann')),
      cache.codes(engine, space, await nowOf(engine, 'ann')),
    ]);
    expect(one).toBe(other);
    expect(one.size).toBe(300);
    const [nearest] = await one.nearest(codeOf(vectorOf(7)), 1);
    expect(nearest?.seq).toBe(7);
    expect((await cache.codes(engine, { ...space, dimensions: 32 }, await nowOf(engine, 'ann'))).size).toBe(
      0,
    );
  });

  test('begin again when too many of them are stale', needs(missing), async () => {
    const { engine } = await openFilled(['ann'], 300);
    const cache = createCodeCache();
    const space = { owner: 'ann', model: 'm', dimensions: 64 };
    const rows = await engine.db.selectFrom('memories').select(['seq', 'content']).execute();
    for (let round = 0; round < 8; round += 1) {
      const set = await cache.codes(engine, space, await nowOf(engine, 'ann'));
      expect(set.size % 300).toBe(0);
      expect(set.size).toBeLessThanOrEqual(1000 + 2 * 300 * 1.25);
      await renew(engine, 'ann', rows);
    }
  });

  test(
    'of owners who asked longest ago make room, and of one alone the newest stay',
    needs(missing),
    async () => {
      const owners = ['ann', 'bob', 'carla'];
      const { engine } = await openFilled(owners, 300);
      // Room for two: chunks of 256 and 256 codes each.
      const cache = createCodeCache(2 * 512 * 16);
      const read = async (owner: string) =>
        cache.codes(engine, { owner, model: 'm', dimensions: 64 }, await nowOf(engine, owner));
      const [ann, bob] = [await read('ann'), await read('bob')];
      expect(await read('ann')).toBe(ann);
      await read('carla');
      expect(await read('ann')).toBe(ann);
      expect(await read('bob')).not.toBe(bob);

      const tiny = createCodeCache(1);
      const some = await tiny.codes(
        engine,
        { owner: 'ann', model: 'm', dimensions: 64 },
        await nowOf(engine, 'ann'),
      );
      expect(some.size).toBeGreaterThan(0);
    },
  );
});

/** One direction a number. */
function vectorOf(seq: number): Float32Array {
  let state = Math.imul(seq + 1, 0x9e3779b1) | 1;
  return Float32Array.from({ length: 64 }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state > 0 ? 0.125 : -0.125;
  });
}
