import { expect, test } from 'vitest';
import { matchesName } from './glob.ts';

test.each([
  ['*', 'anything', true],
  ['*.ts', 'a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['?b*', 'abc', true],
  ['?', '関', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[^a-c]x', 'dx', true],
  ['[]a]', ']', true],
  ['[[:digit:]]*', '7up', true],
  ['[', '[', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'axxbyy', false],
  ['', '', true],
])('%s and %s: %s', (pattern, name, matched) => {
  expect(matchesName(pattern, name)).toBe(matched);
});

test('a pattern made to be slow is not', () => {
  expect(matchesName(`${'*a'.repeat(60)}*b`, 'a'.repeat(255))).toBe(false);
});
