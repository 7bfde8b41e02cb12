import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlob } from './policy-glob.ts';

test.each([
  ['a*', ['a', 'abc'], ['a/b', 'ba']],
  ['a/**', ['a', 'a/b', 'a/b/c'], ['ab', 'b/a']],
  ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'a/x']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab']],
  ['**', ['', 'a', 'a/b'], []],
  ['?.[ch]', ['a.c', 'b.h'], ['ab.c', 'a.d', '/.c']],
  ['[!a]b', ['cb'], ['ab', '/b']],
  ['{a,b{c,d}}x', ['ax', 'bcx', 'bdx'], ['bx', 'abx']],
  ['\\*', ['*'], ['a']],
  ['[', ['['], ['a']],
  ['*__*', ['github__x'], ['github_x']],
  ['', [''], ['a']],
])('%j fits what it should', (pattern, yes, no) => {
  const glob = createGlob(pattern);
  expect(yes.filter((text) => !glob(text))).toEqual([]);
  expect(no.filter((text) => glob(text))).toEqual([]);
});

test('a hostile pattern against a long text comes to an answer', () => {
  expect(createGlob('*a'.repeat(400))('a'.repeat(5000))).toBe(true);
  expect(createGlob(`${'**/'.repeat(300)}b`)('a/'.repeat(3000))).toBe(false);
});

test('any pattern either is refused with its text or answers', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('*', '?', '[', ']', '{', '}', ',', '/', '!', '-', 'a', '\\') }),
      fc.string(),
      (pattern, text) => {
        expect(typeof createGlob(pattern)(text)).toBe('boolean');
      },
    ),
    { seed: 7, numRuns: 2000 },
  );
});
