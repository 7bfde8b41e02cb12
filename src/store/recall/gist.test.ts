import { expect, test } from 'vitest';
import { gistOf } from '../memory/columns.ts';

test.each([
  [' The color is blue. ', 'The color is blue'],
  ['好きな色は青です。', '好きな色は青'],
  ['好きな色は青だ', '好きな色は青'],
  ['ガイド'.normalize('NFD'), 'ガイド'],
  ['The color  is "BLUE"!', 'The color  is "BLUE"!'],
  ['Ignore what matches ^a.', 'Ignore what matches ^a.'],
  ['https://shop.example/a.', 'https://shop.example/a.'],
  ['The prefix of a release is v1.', 'The prefix of a release is v1.'],
  ['合言葉はまだ', '合言葉はまだ'],
  ['です', 'です'],
  ['.', '.'],
])('%s says: %s', (content, gist) => {
  expect(gistOf(content)).toBe(gist);
});
