import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCodeSet } from './code-set.ts';
import { codeBytes, codeOf, cosine, packVector } from './codes.ts';

test('the nearest codes are those that a look at every bit finds', async () => {
  const codes = fc.array(fc.uint8Array({ minLength: 8, maxLength: 8 }), { maxLength: 700 });
  await fc.assert(
    fc.asyncProperty(
      codes,
      fc.uint8Array({ minLength: 8, maxLength: 8 }),
      fc.nat(40),
      async (all, wanted, count) => {
        const set = createCodeSet(8);
        for (const [at, code] of all.entries()) set.add(at + 1, code);
        const expected = all
          .map((code, at) => ({ seq: at + 1, distance: differing(code, wanted) }))
          .sort((one, other) => one.distance - other.distance || other.seq - one.seq)
          .slice(0, count)
          .map(({ seq }) => seq);

        expect((await set.nearest(wanted, count)).map(({ seq }) => seq)).toEqual(expected);
        expect(set.size).toBe(all.length);
      },
    ),
    { seed: 20260202, numRuns: 100 },
  );
});

test('a memory whose vector was renewed is found once', async () => {
  const set = createCodeSet(4);
  set.add(1, Uint8Array.of(255, 0, 0, 0));
  set.add(1, Uint8Array.of(0, 0, 0, 0));
  expect(await set.nearest(Uint8Array.of(0, 0, 0, 0), 5)).toEqual([{ seq: 1, standsOut: true }]);
});

test('one that is far nearer than the rest stands out, the rest does not', async () => {
  const set = createCodeSet(16);
  const random = fc.sample(fc.uint8Array({ minLength: 16, maxLength: 16, size: 'max' }), {
    seed: 5,
    numRuns: 300,
  });
  for (const [at, code] of random.entries()) set.add(at + 1, code);
  const wanted = Uint8Array.from({ length: 16 }, (_, at) => (at * 89) % 256);
  set.add(1000, wanted);
  const [first, ...others] = await set.nearest(wanted, 300);
  expect(first).toEqual({ seq: 1000, standsOut: true });
  expect(others.filter(({ standsOut }) => standsOut).length).toBeLessThan(30);
});

test('a packed vector keeps its direction, and its code its signs', () => {
  const numbers = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 16, maxLength: 2000 });
  fc.assert(
    fc.property(
      numbers.filter((values) => values.some((value) => Math.abs(value) > 0.01)),
      (values) => {
        const length = Math.hypot(...values);
        const vector = Float32Array.from(values, (value) => value / length);
        expect(cosine(vector, packVector(vector))).toBeGreaterThan(0.98);
        const code = codeOf(vector);
        expect(code.byteLength).toBe(codeBytes(values.length));
        for (const at of [0, 7, 8, 15]) {
          expect(Boolean((code[at >> 3] ?? 0) & (1 << (at & 7)))).toBe((vector[at] ?? 0) > 0);
        }
      },
    ),
    { seed: 20260203, numRuns: 200 },
  );
});

function differing(one: Uint8Array, other: Uint8Array): number {
  return one.reduce(
    (sum, byte, at) => sum + [...(byte ^ (other[at] ?? 0)).toString(2)].filter((bit) => bit === '1').length,
    0,
  );
}
