import { expect, test } from 'vitest';
import { gistOf } from './gist.ts';

test.each([
  ['The color is  BLUE.', 'color is blue'],
  ['好きな色は青です。', '好きな色は青'],
  ['version 1.5, at 10:30!', 'version 1.5 at 10:30'],
  ['C++ is not C#', 'c++ is not c#'],
  ['!?', '!?'],
  ['です', 'です'],
  ['a', 'a'],
])('%s says: %s', (content, gist) => {
  expect(gistOf(content)).toBe(gist);
});
