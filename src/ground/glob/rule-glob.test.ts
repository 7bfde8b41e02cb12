import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlob, createHostGlob } from './rule-glob.ts';

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

test.each([
  ['bücher.example', ['xn--bcher-kva.example', 'BÜCHER.example.', 'bücher。example:443'], ['bucher.example']],
  ['*.bücher.example', ['a.xn--bcher-kva.example'], ['xn--bcher-kva.example']],
  ['xn--bcher-kva.example', ['bücher.example'], []],
  ['[::1]', ['[::1]', '[::1]:8080', '[0:0:0:0:0:0:0:1]'], [':', '1', '[::2]']],
  ['[0:0::1]:80', ['[::1]:80'], ['[::1]:81', '[::1]']],
  ['example.com.', ['example.com', 'EXAMPLE.com:8443'], ['a.example.com']],
  ['[ab].example', ['a.example'], ['c.example']],
])('%j fits hosts however they are written', (pattern, yes, no) => {
  const glob = createHostGlob(pattern);
  expect(yes.filter((host) => !glob(host))).toEqual([]);
  expect(no.filter((host) => glob(host))).toEqual([]);
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
