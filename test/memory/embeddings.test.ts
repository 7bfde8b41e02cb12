import { afterAll, describe, expect, test } from 'vitest';
import { copyStore } from '../../src/store/copy.ts';
import type { Store } from '../../src/store/open-store.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { conceptVector } from './concept-model.ts';
import { allEmbedded, embeddingsAt } from './embedded-store.ts';
import { answer, startEmbeddings } from './embeddings-server.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

const say = (content: string, category = 'general', tags: readonly string[] = []) => ({
  content,
  category,
  tags,
});
const found = async (store: Store, query: string, more: object = {}, owner = 'user:ann') =>
  (await store.memoriesFor(owner).recall({ query, limit: 5, ...more })).map(({ content }) => content);
const vectorRows = async (store: Store) =>
  (await store.engine()).db.selectFrom('memory_vectors').selectAll().execute();

describe.each(engines)('embedded memories on $name', ({ missing, createPlace }) => {
  test(
    'are found by what they mean, shown as uncertain, and only their text goes out',
    needs(missing),
    async () => {
      const server = await startEmbeddings();
      const store = await (await createPlace()).open(undefined, {
        embeddings: embeddingsAt(server.url, { key: 'sk-1' }),
      });
      const ann = store.memoriesFor('user:ann');
      await ann.remember(say('Grandma drives an old automobile.', 'secret-label', ['secret-tag']));
      await ann.remember(say('子犬は雷を怖がる'));
      await allEmbedded(store);

      expect(
        await ann.recall({ query: 'What kind of car does my grandmother have?', limit: 1 }),
      ).toMatchObject([{ content: 'Grandma drives an old automobile.', lowConfidence: true }]);
      expect((await found(store, 'ワンちゃんが苦手なもの'))[0]).toBe('子犬は雷を怖がる');
      expect((await ann.recall({ query: 'drive an automobile', limit: 1 }))[0]).toMatchObject({
        content: 'Grandma drives an old automobile.',
        lowConfidence: false,
      });
      for (const { headers, body } of server.asked) {
        expect(headers.authorization).toBe('Bearer sk-1');
        expect(Object.keys(body).sort()).toEqual(['encoding_format', 'input', 'model']);
        expect(JSON.stringify(body)).not.toMatch(/secret|ann"|mem_/);
      }
    },
  );

  test('keep a vector no longer than the text it was made from', needs(missing), async () => {
    const server = await startEmbeddings();
    const place = await createPlace();
    const store = await place.open(undefined, { embeddings: embeddingsAt(server.url) });
    const ann = store.memoriesFor('user:ann');
    const { memory } = await ann.remember(say('Grandma drives an old automobile.'));
    await allEmbedded(store);
    const before = await vectorRows(store);
    expect(before).toMatchObject([{ model: 'fake', dimensions: 256, due_at_ms: null }]);
    expect(before[0]?.vector?.byteLength).toBe(256);

    // Other labels leave the vector, another text takes it away in the same moment: also where nobody embeds.
    await ann.update(memory.id, { tags: ['car'] });
    expect(await vectorRows(store)).toEqual(before);
    const plain = await place.open();
    await plain.memoriesFor('user:ann').update(memory.id, { content: 'Our pup is afraid of thunder.' });
    await allEmbedded(store);
    expect(server.texts).toEqual(['Grandma drives an old automobile.', 'Our pup is afraid of thunder.']);
    expect((await found(store, 'What scares the dog?'))[0]).toBe('Our pup is afraid of thunder.');

    await plain.memoriesFor('user:ann').forget(memory.id);
    expect(await vectorRows(store)).toEqual([]);
    expect(await found(store, 'What scares the dog?')).toEqual([]);
  });

  test('are embedded once by several servers, and again when the model changes', needs(missing), async () => {
    const server = await startEmbeddings();
    const place = await createPlace();
    const many = Array.from({ length: 150 }, (_, i) => `note ${i}`);
    const plain = await place.open();
    await Promise.all(
      many.slice(0, 100).map((content) => plain.memoriesFor('user:ann').remember(say(content))),
    );
    expect(await vectorRows(plain)).toEqual([]);

    const stores = await Promise.all(
      [1, 2, 3].map(() => place.open(undefined, { embeddings: embeddingsAt(server.url) })),
    );
    await Promise.all(
      many.slice(100).map((content, i) => stores[i % 3]?.memoriesFor('user:bob').remember(say(content))),
    );
    for (const store of stores) await allEmbedded(store);
    expect(server.texts.toSorted()).toEqual(many.toSorted());

    const other = await place.open(undefined, { embeddings: embeddingsAt(server.url, { model: 'other' }) });
    expect(await (await other.meaning?.())?.backlog()).toMatchObject({ embedded: 0, waiting: 150 });
    await other.memoriesFor('user:ann').recall({ query: 'note', limit: 1 });
    await allEmbedded(other);
    const rows = await vectorRows(other);
    expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(['other']));
    expect(rows).toHaveLength(150);
  });

  test('of another model or of another length are not compared', needs(missing), async () => {
    const server = await startEmbeddings();
    const place = await createPlace();
    const store = await place.open(undefined, { embeddings: embeddingsAt(server.url) });
    await store.memoriesFor('user:ann').remember(say('Grandma drives an old automobile.'));
    await allEmbedded(store);
    const question = 'What kind of car does my grandmother have?';
    expect(await found(store, question)).toHaveLength(1);

    server.dimensions = 128;
    expect(await found(store, question)).toEqual([]);
    server.dimensions = 256;
    server.script = ({ input }, response) =>
      input.includes(question) ? undefined : response.writeHead(503).end();
    const other = await place.open(undefined, { embeddings: embeddingsAt(server.url, { model: 'other' }) });
    expect(await found(other, question)).toEqual([]);
  });

  test('stored by another server are seen at the next question', needs(missing), async () => {
    const server = await startEmbeddings();
    const place = await createPlace();
    const [here, there] = [
      await place.open(undefined, { embeddings: embeddingsAt(server.url) }),
      await place.open(undefined, { embeddings: embeddingsAt(server.url) }),
    ];
    await here.memoriesFor('user:ann').remember(say('Our pup is afraid of thunder.'));
    await allEmbedded(here);
    expect(await found(here, 'What scares the dog?')).toHaveLength(1);

    await there.memoriesFor('user:ann').remember(say('My spouse adores tulips.'));
    await allEmbedded(there);
    expect((await found(here, 'Which flowers does my wife love?'))[0]).toBe('My spouse adores tulips.');
  });

  test('obey the filter of a question', needs(missing), async () => {
    const server = await startEmbeddings();
    const store = await (await createPlace()).open(undefined, { embeddings: embeddingsAt(server.url) });
    const ann = store.memoriesFor('user:ann');
    await ann.remember(say('Our pup is afraid of thunder.', 'pets', ['fear']));
    await ann.remember(say('Mother is afraid of the dark.', 'people', ['fear']));
    await allEmbedded(store);

    const question = 'What scares the dog?';
    expect(await found(store, question, { category: 'people' })).toEqual(['Mother is afraid of the dark.']);
    expect(await found(store, question, { tags: ['fear'], category: 'pets' })).toEqual([
      'Our pup is afraid of thunder.',
    ]);
    expect(await found(store, question, { tags: ['other'] })).toEqual([]);
    expect(await found(store, question, { sinceMs: Date.now() + 60_000 })).toEqual([]);
  });

  test('that the server refuses hold up no other, and are sent shorter', needs(missing), async () => {
    const server = await startEmbeddings(({ input }, response) =>
      input.some((text) => text.length > 600) ? response.writeHead(400).end('too long') : undefined,
    );
    const store = await (await createPlace()).open(undefined, { embeddings: embeddingsAt(server.url) });
    const ann = store.memoriesFor('user:ann');
    const long = `${'x y '.repeat(1900)}end`;
    await Promise.all(['one', long, 'three'].map((content) => ann.remember(say(content))));
    await allEmbedded(store);

    expect(server.texts.toSorted()).toEqual(['one', 'three', long.slice(0, 500)].toSorted());
  });

  test('beside one that makes the server fail are embedded all the same', needs(missing), async () => {
    // Ollama answers so where a model's vector for a text holds no numbers.
    const server = await startEmbeddings(({ input }, response) =>
      input.includes('poison') ? response.writeHead(500).end('unsupported value: NaN') : undefined,
    );
    const store = await (await createPlace()).open(undefined, { embeddings: embeddingsAt(server.url) });
    const ann = store.memoriesFor('user:ann');
    const others = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(['poison', ...others].map((content) => ann.remember(say(content))));
    await expect.poll(async () => (await store.meaning?.())?.backlog()).toMatchObject({ waiting: 1 });
    expect(server.texts.toSorted()).toEqual(others.toSorted());
  });

  test('move to another store with their vectors', needs(missing), async () => {
    const server = await startEmbeddings();
    const [here, there] = [await createPlace(), await createPlace()];
    const old = await here.open(undefined, { embeddings: embeddingsAt(server.url) });
    await old.memoriesFor('user:bob').remember(say('forgotten'));
    await old.memoriesFor('user:ann').remember(say('Our pup is afraid of thunder.'));
    await allEmbedded(old);
    const copied = await there.open(undefined, { embeddings: embeddingsAt(server.url) });
    await copyStore(await old.engine(), await copied.engine());
    const before = server.texts.length;

    expect(await found(copied, 'What scares the dog?')).toEqual(['Our pup is afraid of thunder.']);
    expect(server.texts.slice(before)).toEqual(['What scares the dog?']);
  });
});

describe('a server that gives no proper vectors', () => {
  const [sqlite] = engines;
  const question = 'What scares the dog of the house?';

  async function openHouse(script?: Parameters<typeof startEmbeddings>[0], questionMs = 300) {
    const server = await startEmbeddings();
    const place = await sqlite?.createPlace();
    const store = await place?.open(undefined, { embeddings: embeddingsAt(server.url, { questionMs }) });
    if (!store) throw new Error('no SQLite');
    await store.memoriesFor('user:ann').remember(say('The house has a green gateway.'));
    await store.memoriesFor('user:ann').remember(say('Our pup is afraid of thunder.'));
    await allEmbedded(store);
    server.script = script;
    server.asked.length = 0;
    return { server, store };
  }

  test.each<[string, NonNullable<Parameters<typeof startEmbeddings>[0]>]>([
    ['answers 500', (_, response) => response.writeHead(500).end('<html>')],
    ['answers 429', (_, response) => response.writeHead(429, { 'retry-after': '60' }).end()],
    ['answers 401', (_, response) => response.writeHead(401).end()],
    ['answers no JSON', (_, response) => response.end('{"data": [')],
    ['answers null', (_, response) => response.end('null')],
    ['answers an empty list', ({ input }, response) => answer(response, input, 256, () => ({ data: [] }))],
    ['answers too many', ({ input }, response) => answer(response, [...input, 'x'])],
    ['gives null in a vector', spoilt((vector) => [...vector.slice(1), null])],
    ['gives words in a vector', spoilt((vector) => [...vector.slice(1), 'NaN'])],
    ['gives nothing but zeros', spoilt((vector) => vector.map(() => 0))],
    [
      'gives infinity',
      ({ input }, response) =>
        response.end(
          JSON.stringify({ data: input.map(() => ({ embedding: '#' })) }).replaceAll(
            '"#"',
            `[${'1e999,'.repeat(255)}1]`,
          ),
        ),
    ],
    ['gives another length', ({ input }, response) => answer(response, input, 64)],
    ['gives a short vector', spoilt(() => [1])],
    ['never answers', () => true],
    ['hangs in the middle', (_, response) => response.write('{"data": [')],
    ['hangs up', (_, response) => response.destroy() !== undefined],
    [
      'redirects',
      (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/v1/embeddings' }).end(),
    ],
    [
      'sends without end',
      (_, response) => {
        const flood = setInterval(() => response.write(' '.repeat(1_000_000)), 1);
        response.on('close', () => clearInterval(flood));
        return true;
      },
    ],
  ])('%s: recall answers from words, and it is soon left alone', async (_, script) => {
    const { server, store } = await openHouse(script);

    for (let round = 0; round < 6; round += 1) {
      expect(await found(store, question)).toEqual(['The house has a green gateway.']);
    }
    expect(server.asked.length).toBeLessThanOrEqual(2);
  });

  test('once is asked again, and used again', async () => {
    const { server, store } = await openHouse((_, response) => response.writeHead(500).end());
    expect(await found(store, question)).toHaveLength(1);
    server.script = undefined;
    expect(await found(store, question)).toHaveLength(2);
  });

  test('is not asked by who has nothing embedded, nor for an empty question', async () => {
    const { server, store } = await openHouse();
    expect(await found(store, question, {}, 'user:bob')).toEqual([]);
    expect(await found(store, ' ')).toHaveLength(2);
    expect(server.asked).toEqual([]);
  });

  test('keeps nothing from being remembered, and what waits is embedded when it is back', async () => {
    const { server, store } = await openHouse((_, response) => response.writeHead(503).end());
    const ann = store.memoriesFor('user:ann');
    for (let i = 0; i < 40; i += 1) await ann.remember(say(`note ${i}`));
    expect(await found(store, 'note 7')).toContain('note 7');
    expect((await (await store.meaning?.())?.backlog())?.waiting).toBe(40);

    server.script = undefined;
    await allEmbedded(store);
    expect(server.texts.filter((text) => text.startsWith('note ') && text !== 'note 7')).toHaveLength(39);
  });
});

function spoilt(change: (vector: readonly number[]) => readonly unknown[]) {
  return ({ input }: { readonly input: readonly string[] }, response: Parameters<typeof answer>[0]) =>
    answer(response, input, 256, () => ({
      data: input.map((text, index) => ({ index, embedding: change(conceptVector(text)) })),
    }));
}
