import { expect, test } from 'vitest';
import type { Tool } from '../contract/tool/tool.ts';
import { createOffers } from './offers.ts';

function tool(name: string): Tool {
  return {
    name,
    description: { en: 'Does it.', ja: 'する。' },
    inputSchema: () => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }),
  } as unknown as Tool;
}

test('names that servers take stay, others are mapped without meeting, and each finds its way back', () => {
  const names = [
    'read_file',
    'a.b',
    'a_b',
    'a/b',
    '日本',
    '日木',
    `s__${'x'.repeat(80)}`,
    `s__${'x'.repeat(81)}`,
    'constructor',
  ];
  const offers = createOffers(names.map(tool), 'en');

  const offered = offers.list.map((offer) => offer.name);
  expect(new Set(offered).size).toBe(names.length);
  for (const name of offered) expect(name).toMatch(/^[\w-]{1,64}$/);
  expect(offered.map((name) => offers.nameOf(name))).toEqual(names);
  expect(offered).toEqual(expect.arrayContaining(['read_file', 'a_b', 'constructor']));
});

test('an alias never takes the name of another tool, on purpose or not', () => {
  const [alias] = createOffers([tool('ev.il')], 'en').list;
  const offers = createOffers([tool('ev.il'), tool(alias?.name ?? '')], 'en');

  expect(offers.nameOf(alias?.name ?? '')).toBe(alias?.name);
  expect(offers.list.map((offer) => offers.nameOf(offer.name))).toEqual(['ev.il', alias?.name]);
});

test('a name that was not offered stays what it is', () => {
  const offers = createOffers([tool('read_file')], 'en');
  for (const name of ['toString', '__proto__', 'write_file']) expect(offers.nameOf(name)).toBe(name);
});

test('the schema goes without its dialect, which some servers refuse', () => {
  expect(createOffers([tool('read_file')], 'ja').list).toEqual([
    { name: 'read_file', description: 'する。', schema: { type: 'object' } },
  ]);
});
