import { afterAll, describe, expect, test } from 'vitest';
import type { Memories } from '../../src/contract/capabilities/memory.ts';
import { exportMemories, importMemories } from '../../src/operator/memory-lines.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('memories on $name', ({ missing, createPlace }) => {
  async function openMemories(owner = 'user:ann'): Promise<Memories> {
    return (await (await createPlace()).open(() => 5_000)).memoriesFor(owner);
  }
  const say = (content: string, category = 'general', tags: readonly string[] = []) => ({
    content,
    category,
    tags,
  });
  const found = async (memories: Memories, query: string, more: object = {}) =>
    (await memories.recall({ query, limit: 5, ...more })).map(({ content }) => content);

  test(
    '「好きな色」 finds 「好きな色は青」, and English finds other forms of its words',
    needs(missing),
    async () => {
      const memories = await openMemories();
      for (const content of [
        '好きな色は青',
        '嫌いな食べ物はセロリ',
        'Ann bought a bicycle',
        'The children left early',
      ])
        await memories.remember(say(content));

      expect((await found(memories, '好きな色'))[0]).toBe('好きな色は青');
      expect((await found(memories, '好きな色は何ですか？'))[0]).toBe('好きな色は青');
      expect((await found(memories, 'Which bicycles did she buy?'))[0]).toBe('Ann bought a bicycle');
      expect((await found(memories, 'leaving child'))[0]).toBe('The children left early');
      expect(await found(memories, 'quantum chromodynamics')).toEqual([]);
    },
  );

  test('a reply has the whole memory, ranked, and says when it is unsure', needs(missing), async () => {
    const memories = await openMemories();
    const { memory } = await memories.remember(
      say('Berlin office: door code 4711', 'work', ['door', 'berlin']),
    );
    await memories.remember(say('Berlin is cold'));

    const hits = await memories.recall({ query: 'door code of the Berlin office', limit: 5 });

    expect(hits[0]).toEqual({ ...memory, score: hits[0]?.score, lowConfidence: false });
    expect(memory).toMatchObject({
      category: 'work',
      tags: ['door', 'berlin'],
      createdAtMs: 5_000,
      updatedAtMs: 5_000,
    });
    expect((hits[0]?.score ?? 0) > 0).toBe(true);
    expect(await memories.recall({ query: 'berlin zebra quota penguin', limit: 1 })).toMatchObject([
      { lowConfidence: true },
    ]);
  });

  test('an empty question lists the newest', needs(missing), async () => {
    const memories = await openMemories();
    for (const content of ['one', 'two', 'three']) await memories.remember(say(content));

    expect(await found(memories, '', { limit: 2 })).toEqual(['three', 'two']);
    // Signs are looked for as they are.
    expect(await found(memories, ' ?! ')).toEqual([]);
  });

  test('category, tags and times narrow what is found, exactly', needs(missing), async () => {
    let nowMs = 0;
    const memories = (await (await createPlace()).open(() => nowMs)).memoriesFor('user:ann');
    for (const [i, category, tags] of [
      [1, 'Work', ['a', 'b']],
      [2, 'work', ['ab']],
      [3, 'home', ['A', 'c']],
    ] as const) {
      nowMs = i * 100;
      await memories.remember(say(`note ${i}`, category, tags));
    }

    for (const query of ['note', '']) {
      expect((await found(memories, query, { category: 'ＷORK ' })).sort()).toEqual(['note 1', 'note 2']);
      expect((await found(memories, query, { tags: ['a'] })).sort()).toEqual(['note 1', 'note 3']);
      expect(await found(memories, query, { tags: ['a', 'c'] })).toEqual(['note 3']);
      expect(await found(memories, query, { tags: ['a\nb'] })).toEqual([]);
      expect(await found(memories, query, { tags: ['%'] })).toEqual([]);
      expect(await found(memories, query, { sinceMs: 200, untilMs: 299 })).toEqual(['note 2']);
    }
  });

  test(
    'the same saying is stored once, and a different one is not taken for it',
    needs(missing),
    async () => {
      const memories = await openMemories();
      const { memory } = await memories.remember(say('The favorite color is blue.'));
      for (const same of [' The favorite color is blue', 'The favorite color is blue.'])
        expect(await memories.remember(say(same))).toEqual({ memory, duplicate: true });
      await memories.remember(say('好きな色は青'));
      expect(await memories.remember(say('好きな色は青です。'))).toMatchObject({ duplicate: true });

      for (const other of [
        'The favorite color is not blue.',
        'The favorite color is BLUE.',
        'The favorite  color is blue.',
        'The favorite color is "blue".',
        'favorite color is blue',
        'The favorite color is blue?',
        'Ｔｈｅ favorite color is blue.',
        'The favorite color is blue-green 1',
        '好きな色は赤',
        'x 1.5',
        'x 15',
        'x 10:30',
        'x 1030',
      ])
        expect(await memories.remember(say(other))).toMatchObject({ duplicate: false });
    },
  );

  test('what is said again with other tags is one memory that all of them find', needs(missing), async () => {
    const memories = await openMemories();
    const { memory } = await memories.remember(say('Lunch is at noon', 'day', ['food']));
    expect(await memories.remember(say('Lunch is at noon.', 'day', ['Food', 'schedule']))).toMatchObject({
      memory: { id: memory.id, content: 'Lunch is at noon', tags: ['food', 'schedule'] },
      duplicate: true,
    });

    for (const tags of [['food'], ['schedule'], ['schedule', 'food']])
      expect(await found(memories, 'lunch', { tags })).toEqual(['Lunch is at noon']);
    expect(await found(memories, 'schedule')).toEqual(['Lunch is at noon']);
    const many = Array.from({ length: 19 }, (_, i) => `t${i}`);
    await expect(memories.remember(say('Lunch is at noon', 'day', many))).rejects.toMatchObject({
      code: 'conflict',
      details: { id: memory.id },
    });
    expect(await found(memories, 'lunch', { tags: ['t0'] })).toEqual([]);
  });

  test(
    'what is changed is found by its new words only, and what is forgotten by none',
    needs(missing),
    async () => {
      const memories = await openMemories();
      const { memory } = await memories.remember(say('lives in Lisbon', 'home', ['city']));
      const changed = await memories.update(memory.id, { content: 'lives in Oslo', tags: ['town'] });

      expect(changed).toMatchObject({
        id: memory.id,
        content: 'lives in Oslo',
        category: 'home',
        tags: ['town'],
      });
      expect(await found(memories, 'Lisbon')).toEqual([]);
      expect(await found(memories, 'city')).toEqual([]);
      expect(await found(memories, 'Oslo')).toEqual(['lives in Oslo']);
      await memories.remember(say('lives in Quito'));
      await expect(memories.update(memory.id, { content: 'lives in Quito.' })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await memories.forget(memory.id)).toBe(true);
      expect(await memories.forget(memory.id)).toBe(false);
      expect(await memories.update(memory.id, { content: 'x' })).toBeUndefined();
      expect(await found(memories, 'Oslo')).toEqual([]);
      expect(await memories.remember(say('lives in Oslo'))).toMatchObject({ duplicate: false });
    },
  );

  test('two servers that remember 50 things each at once keep 100', needs(missing), async () => {
    const place = await createPlace();
    const stores = [await place.open(), await place.open()];
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => stores[i % 2]?.memoriesFor('local').remember(say(`thing ${i}`))),
    );
    const twice = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        stores[i % 2]?.memoriesFor('local').remember(say('the same thing')),
      ),
    );

    expect(twice.filter((answer) => answer?.duplicate === false)).toHaveLength(1);
    const kept = await collect(stores[0]?.memoriesFor('local').all());
    expect(new Set(kept.map(({ content }) => content)).size).toBe(101);
    expect(await stores[1]?.memoriesFor('local').recall({ query: 'thing 77', limit: 1 })).toMatchObject([
      { content: 'thing 77' },
    ]);
  });

  test('questions that are no query language are questions', needs(missing), async () => {
    const memories = await openMemories();
    await memories.remember(say('the "rocket" launch OR landing'));
    for (const query of [
      '"',
      "'",
      '*',
      'rocket*',
      'NEAR(rocket',
      'words:rocket',
      'rocket AND',
      '"rocket',
      "rocket' | 'x",
      '\\',
      'a:*',
      '-rocket',
      '^rocket',
      'rocket\0',
      '\ud800 rocket',
      '😀 rocket',
    ])
      expect(await memories.recall({ query, limit: 5 })).toBeInstanceOf(Array);
    expect(await found(memories, `${'rocket '.repeat(20_000)}launch`)).toEqual([
      'the "rocket" launch OR landing',
    ]);
    expect(await found(memories, Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(' '))).toEqual([]);
  });

  test('export and import give the same memories, once', needs(missing), async () => {
    const here = await openMemories();
    await here.remember(say('好きな色は青', 'preference', ['色']));
    await here.remember(say('line\nbreak\u2028 and "quotes"', 'x', []));
    const lines = await collect(exportMemories(here));

    const there = await openMemories('user:bob');
    expect(await importMemories(there, lines)).toEqual({ stored: 2, duplicates: 0 });
    expect(await importMemories(there, [...lines, '', '\n'])).toEqual({ stored: 0, duplicates: 2 });
    expect(await collect(exportMemories(there))).toEqual(lines);
    for (const bad of [
      '{',
      '[]',
      '{"content": " "}',
      '{"content": 1}',
      '{"content":"a","tags":"b"}',
      'x'.repeat(1e6),
    ])
      await expect(importMemories(there, ['{"content":"fine"}', bad])).rejects.toMatchObject({
        code: 'invalid_parameter',
        details: { line: 2 },
      });
  });

  test('control characters are not stored', needs(missing), async () => {
    const memories = await openMemories();
    const { memory } = await memories.remember(say('a\0\x1b[31mred\r\n\tb\u009b', 'c\x07', ['t\0']));

    expect(memory).toMatchObject({ content: 'a[31mred\n\tb', category: 'c', tags: ['t'] });
  });
});

async function collect<T>(items: AsyncIterable<T> | undefined): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items ?? []) list.push(item);
  return list;
}
