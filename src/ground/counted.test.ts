import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test.each([
  [counted(0, 'change'), '0 changes'],
  [counted(1, 'change'), '1 change'],
  [counted(2, 'entry', 'entries'), '2 entries'],
])('%s', (words, expected) => {
  expect(words).toBe(expected);
});
