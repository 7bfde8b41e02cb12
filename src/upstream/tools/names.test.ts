import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownNames } from './names.ts';

test('a name that clients take is shown as it is', () => {
  expect([...shownNames('fix', ['echo', 'a-b_c'])]).toEqual([
    ['echo', 'fix__echo'],
    ['a-b_c', 'fix__a-b_c'],
  ]);
});

test('a name that fits only without the prefix of clients is shortened', () => {
  const [fits, long] = ['x'.repeat(45), 'y'.repeat(46)];
  const shown = [...shownNames('fix', [fits, long]).values()];
  expect(shown[0]).toBe(`fix__${fits}`);
  expect(shown[1]).toMatch(/^fix__y+_[0-9a-f]{8}$/);
  expect(`mcp__sekisho__${shown[1]}`).toHaveLength(64);
});

test('whatever a server calls its tools, no two are shown alike and every name is one that clients take', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom('a b', 'a_b', 'a/b', 'a.b', '', '__proto__'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 20 }), (remote) => {
      const shown = [...shownNames('fix', remote).values()];
      expect(new Set(shown).size).toBe(shown.length);
      for (const each of shown) expect(each).toMatch(/^fix__[A-Za-z0-9_-]{0,45}$/);
    }),
    { seed: 20260221, numRuns: 1000 },
  );
});

test('a name made to meet another with its digest is left out', () => {
  const digest = createHash('sha256').update('a b').digest('hex').slice(0, 8);
  const shown = shownNames('fix', ['a b', 'a_b', `a_b_${digest}`]);
  expect(new Set(shown.values()).size).toBe(shown.size);
});
