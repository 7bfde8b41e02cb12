import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLiteral } from './literal.ts';

test.each<[string, unknown]>([
  [`{'id': 7, 'open': True, 'by': None}`, { id: 7, open: true, by: null }],
  [`[('a', "it's"), {'b': -1.5}]`, [['a', "it's"], { b: -1.5 }]],
  [`{'text': 'one\\ntwo \\'three\\''}`, { text: "one\ntwo 'three'" }],
])('%s is read as a record', (text, value) => {
  expect(readLiteral(text)).toEqual(value);
});

test.each([`{'a': 1} and more`, `{'a'`, `{a b}`, '[1 2]', '[object Object]', '{', `${'['.repeat(50_000)}`])(
  '%s is none',
  (text) => {
    expect(readLiteral(text)).toBeUndefined();
  },
);

test('what JSON writes is read alike, and nothing makes it fail', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: true }), fc.string(), (value, noise) => {
      fc.pre(!JSON.stringify(value).includes('\\') && !JSON.stringify(value).includes('__proto__'));
      expect(readLiteral(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      readLiteral(`{${noise}`);
    }),
  );
});
