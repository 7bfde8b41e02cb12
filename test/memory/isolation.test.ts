import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { exportMemories } from '../../src/operator/memory-lines.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { paraphrases } from './concept-model.ts';
import { allEmbedded, embeddingsAt } from './embedded-store.ts';
import { startEmbeddings } from './embeddings-server.ts';

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

test('no vector of one user is compared with a question of another', async () => {
  const server = await startEmbeddings();
  const together = await openStore({
    url: `sqlite:${join(folder, 'embedded.db')}`,
    embeddings: embeddingsAt(server.url),
  });
  onTestFinished(() => together.close());
  const owners = ['user:ann', 'user:bob', 'user:ANN', 'local'];
  const said = [...paraphrases.en, ...paraphrases.ja];
  const contents = new Map<string, string>();
  for (const [at, { content }] of said.entries()) {
    const owner = owners[at % owners.length] ?? '';
    await together.memoriesFor(owner).remember({ content, category: 'general', tags: [] });
    contents.set(content, owner);
  }
  await allEmbedded(together);

  const asker = fc.constantFrom(...owners, 'user:an', 'user:annn', 'user:%', '');
  const question = fc.constantFrom(...said.flatMap(({ content, question }) => [content, question]));
  await fc.assert(
    fc.asyncProperty(asker, question, async (owner, query) => {
      const found = await together.memoriesFor(owner).recall({ query, limit: 50 });
      expect(found.filter(({ content }) => contents.get(content) !== owner)).toEqual([]);
    }),
    { seed: 20260204, numRuns: 150 },
  );
  // It is not that nothing is found.
  const own = await together.memoriesFor('user:ann').recall({ query: said[0]?.question ?? '', limit: 2 });
  expect(own.map(({ content }) => content)).toContain(said[0]?.content);

  // How far somebody else's memories lie does not show in a score either.
  const before = await together.memoriesFor('user:bob').recall({ query: 'Which flowers?', limit: 5 });
  for (const { content } of said) {
    await together.memoriesFor('user:ann').remember({ content: `${content} too`, category: 'x', tags: [] });
  }
  await allEmbedded(together);
  expect(await together.memoriesFor('user:bob').recall({ query: 'Which flowers?', limit: 5 })).toEqual(
    before,
  );
});
