import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceLiteral } from './literal.ts';

const maxLength = 16 * 1024 * 1024;
const piece = (...characters: string[]) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 30 });

test('where no line ending is involved it is what split and join do', () => {
  fc.assert(
    fc.property(
      piece('a', 'b', '😀', '\n', '\r\n', '$&'),
      fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 3 }),
      piece('a', 'X', '$&'),
      (text, find, replacement) => {
        const wanted = { find, replacement, maxReplacements: 1_000, maxLength };
        const parts = text.split(find);
        expect(replaceLiteral(text, wanted)).toEqual({
          text: parts.join(replacement),
          replacements: parts.length - 1,
        });
      },
    ),
    { seed: 11, numRuns: 500 },
  );
});

test('found as it is read, whatever the endings; every ending outside a match stays', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', '\n', '\r\n'), { maxLength: 40 }),
      fc
        .array(fc.constantFrom('a', 'b', '\n'), { minLength: 1, maxLength: 4 })
        .filter((each) => each.includes('\n')),
      fc.integer({ min: 0, max: 5 }),
      (characters, findCharacters, maxReplacements) => {
        const text = characters.join('');
        const find = findCharacters.join('');
        const changed = replaceLiteral(text, { find, replacement: 'X', maxReplacements, maxLength });
        const asRead = text.replaceAll('\r\n', '\n');
        const inAsRead = replaceLiteral(asRead, { find, replacement: 'X', maxReplacements, maxLength });
        expect(changed.replacements).toBe(inAsRead.replacements);
        expect(changed.text.replaceAll('\r\n', '\n')).toBe(inAsRead.text);
        // Replacing each match back restores the text, so nothing else was touched.
        const endings = (words: string) => words.match(/\r?\n/g) ?? [];
        const gone = (find.split('\n').length - 1) * changed.replacements;
        expect(endings(changed.text)).toHaveLength(endings(text).length - gone);
      },
    ),
    { seed: 13, numRuns: 500 },
  );
});

test.each([
  ['a\r\nb\r\n', 'a', 'x\ny', 'x\r\ny\r\nb\r\n'],
  ['a\r\nb\nc\n', 'c', 'x\ny', 'a\r\nb\nx\ny\n'],
  ['a\r\nb', 'b', 'x\ny', 'a\r\nx\r\ny'],
  ['a\nb\n', 'a\nb', 'x\r\ny', 'x\r\ny\n'],
  ['a\r\nb', 'a\r\nb', 'x\ny', 'x\r\ny'],
  ['a\nb', 'a\r\nb', 'x', 'a\nb'],
  ['a\r\nb', '\n', '', 'ab'],
  ['a\r\n\r\nb', '\n\n', '\n', 'a\r\nb'],
])('%j with %j → %j becomes %j', (text, find, replacement, result) => {
  expect(replaceLiteral(text, { find, replacement, maxReplacements: 1, maxLength }).text).toBe(result);
});

test('a replacement that would fill the memory is refused before it does', () => {
  const wanted = { find: 'a', replacement: 'b'.repeat(1_000_000), maxReplacements: 1e9, maxLength };
  expect(() => replaceLiteral('a'.repeat(1_000_000), wanted)).toThrow('longer than');
});

test('a million line endings on one long last line are found in one pass', () => {
  const text = `\r\n${'ab'.repeat(1_000_000)}`;
  const wanted = { find: 'a', replacement: '\n', maxReplacements: 2_000_000, maxLength };
  expect(replaceLiteral(text, wanted).replacements).toBe(1_000_000);
});
