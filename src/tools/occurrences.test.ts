import fc from 'fast-check';
import { expect, test } from 'vitest';
import { occurrencesOf, type Wanted } from './occurrences.ts';

const pieces = (...each: string[]) =>
  fc.array(fc.constantFrom(...each), { maxLength: 12 }).map((some) => some.join(''));
const plain = (text: string) => text.replaceAll('\r\n', '\n');

function replaced(text: string, wanted: Wanted): { readonly text: string; readonly count: number } {
  let after = '';
  let done = 0;
  let count = 0;
  for (const { start, end, put } of occurrencesOf(text, wanted)) {
    after += text.slice(done, start) + put;
    done = end;
    count++;
  }
  return { text: after + text.slice(done), count };
}

test('whatever the line endings, replacing all does what it does to a text of LF', () => {
  fc.assert(
    fc.property(
      pieces('a', 'b', '\n', '\r\n', '😀'),
      pieces('a', 'b', '\n').filter((old) => old !== ''),
      pieces('a', 'c', '\n'),
      (text, old_string, new_string) => {
        const { text: after } = replaced(text, { old_string, new_string, replace_all: true });
        expect(plain(after)).toBe(plain(text).replaceAll(old_string, () => new_string));
      },
    ),
    { seed: 7, numRuns: 5000 },
  );
});

test('no line ending is cut in two, and a text of one kind keeps to it', () => {
  fc.assert(
    fc.property(
      pieces('a', 'b', '\n'),
      pieces('a', 'b', '\n').filter((old) => old !== ''),
      pieces('a', 'c', '\n'),
      (lines, old_string, new_string) => {
        const text = lines.replaceAll('\n', '\r\n');
        const { text: after } = replaced(text, { old_string, new_string, replace_all: true });
        // A text without any CRLF has no ending to keep.
        fc.pre(text.includes('\r\n'));
        expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      },
    ),
    { seed: 8, numRuns: 5000 },
  );
});

test('of several that differ in line endings only, the one to the letter is meant', () => {
  const text = 'a\r\nb\n--\na\nb\n';
  const wanted = { old_string: 'a\nb', new_string: 'x\ny', replace_all: false };
  expect(replaced(text, wanted)).toEqual({ text: 'a\r\nb\n--\nx\ny\n', count: 1 });
  expect(replaced(text, { ...wanted, replace_all: true }).count).toBe(2);
});
