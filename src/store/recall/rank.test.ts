import { expect, test } from 'vitest';
import { rank, weigh } from './rank.ts';

const asked = (counts: Record<string, number>, total: number) =>
  new Map(Object.entries(counts).map(([word, count]) => [word, weigh(count, total)]));

test('rarer words weigh more, more of them more, and long texts less', () => {
  const words = asked({ vault: 2, code: 50 }, 100);
  const candidates = [
    { seq: 1, words: 'code code other' },
    { seq: 2, words: 'vault other other' },
    { seq: 3, words: 'vault code other' },
    { seq: 4, words: 'vault code other other' },
  ];

  expect(rank(candidates, words, 3).map(({ seq }) => seq)).toEqual([3, 4, 2, 1]);
});

test('a memory that holds next to nothing of the question is left out', () => {
  const words = asked({ a: 900, b: 0, c: 0, d: 0, e: 0 }, 1000);

  expect(rank([{ seq: 1, words: 'a a a' }], words, 3)).toEqual([]);
});

test('of equal ones the newer is first, and nothing divides by zero', () => {
  const words = asked({ a: 2 }, 2);
  const same = [
    { seq: 1, words: 'a' },
    { seq: 2, words: 'a' },
  ];

  expect(rank(same, words, 0).map(({ seq }) => seq)).toEqual([2, 1]);
  expect(rank(same, new Map(), 0)).toEqual([
    // Nothing asked, nothing covered.
  ]);
  expect(rank([{ seq: 1, words: '' }], words, 1)).toEqual([]);
});
