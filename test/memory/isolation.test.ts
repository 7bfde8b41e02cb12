import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportMemories } from '../../src/store/memory-lines.ts';
import { openStore, type Store } from '../../src/store/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'sekisho-isolation-'));
const secret = 'the vault code of Ann is 4711 青い金庫';
let store: Store;
let id: string;

beforeAll(async () => {
  store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
  const stored = await store
    .memoriesFor('user:ann')
    .remember({ content: secret, category: 'secret', tags: ['vault'] });
  id = stored.memory.id;
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test('nobody reads, changes, forgets or detects the memory of another, by any argument', async () => {
  const hostile = fc.oneof(
    fc.constantFrom(
      secret,
      id,
      'vault',
      '4711',
      '金庫',
      '',
      '%',
      '*',
      'user:ann',
      '" OR words : "vault',
      "' or owner = 'user:ann' --",
      '") OR ("vault',
      'vault*',
      '\n',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const principal = fc.oneof(
    fc.constantFrom(
      'user:bob',
      'user:ANN',
      'user:an',
      'user:ann ',
      'user:ann%',
      'local',
      '',
      'user:*',
      'user:annn',
    ),
    fc.string({ maxLength: 20 }).filter((name) => !name.includes('\0') && name !== 'user:ann'),
  );

  await fc.assert(
    fc.asyncProperty(principal, hostile, hostile, fc.boolean(), async (who, query, label, labelled) => {
      const memories = store.memoriesFor(who);
      const found = await memories.recall({
        query,
        limit: 50,
        ...(labelled ? { category: label, tags: [label] } : {}),
        sinceMs: 0,
      });
      expect(found).toEqual([]);
      for (const guess of [id, query, label]) {
        expect(await memories.forget(guess.replaceAll('\0', ''))).toBe(false);
        expect(await memories.update(guess.replaceAll('\0', ''), { content: 'mine' })).toBeUndefined();
      }
      for await (const line of exportMemories(memories)) throw new Error(line);
    }),
    { seed: 20260201, numRuns: 150 },
  );

  // Nor does storing the same words say that somebody has them, or their rarity show in a score.
  const bob = store.memoriesFor('user:bob');
  const alone = store.memoriesFor('user:carla');
  for (const memories of [bob, alone]) {
    expect(await memories.remember({ content: secret, category: 'x', tags: [] })).toMatchObject({
      duplicate: false,
    });
  }
  for (let i = 0; i < 20; i += 1) {
    await store.memoriesFor('user:ann').remember({ content: `the vault code ${i}`, category: 'x', tags: [] });
  }
  const [hit] = await bob.recall({ query: 'vault code', limit: 1 });
  const [other] = await alone.recall({ query: 'vault code', limit: 1 });
  expect(hit?.score).toBe(other?.score);
  expect(await store.memoriesFor('user:ann').recall({ query: '金庫', limit: 5 })).toMatchObject([
    { id, content: secret },
  ]);
});
