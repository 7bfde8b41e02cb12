import { expect, test } from 'vitest';
import { encodingOf } from './encoding.ts';

test.each([
  '',
  'plain',
  '\0\x7f',
  'naïve',
  '\xff',
  '日本',
  '\ud800',
  'x'.repeat(100_000),
  `${'x'.repeat(100_000)}é`,
])('what is written is UTF-8: %.20j', (text) => {
  expect(Buffer.from(text, encodingOf(text))).toEqual(Buffer.from(text, 'utf8'));
});

test('a text of ASCII alone is written the cheaper way', () => {
  expect([encodingOf('plain\n'), encodingOf('naïve')]).toEqual(['latin1', 'utf8']);
});
