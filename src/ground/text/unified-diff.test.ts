import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

test('whatever changed, the diff makes the one text of the other', async () => {
  const line = fc.constantFrom('a', 'b', 'a long line', '', 'same');
  const words = fc
    .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
    .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));
  await fc.assert(
    fc.asyncProperty(
      words,
      words,
      fc.array(line, { maxLength: 300 }),
      fc.boolean(),
      async (from, to, common, isAfter) => {
        const rest = `${common.join('\n')}\n`;
        const before = isAfter ? from + rest : rest + from;
        const after = isAfter ? to + rest : rest + to;
        const patch = await unifiedDiff('a.txt', before, after, 1_000_000, 60_000);
        expect(patch === '' ? before : applyPatch(before, patch)).toBe(after);
      },
    ),
    { seed: 11, numRuns: 400 },
  );
});

test('texts longer than a block are compared right at its edges', async () => {
  for (const at of [0, 1, 4095, 4096, 4097, 8191, 8192, 9000]) {
    const before = 'x\n'.repeat(5000);
    const after = `${before.slice(0, at)}CHANGED\n${before.slice(at)}`;
    const patch = await unifiedDiff('a.txt', before, after, 1_000_000, 60_000);
    expect(applyPatch(before, patch), `at ${at}`).toBe(after);
  }
});

test('a long diff is cut at a line end and says so', async () => {
  const before = Array.from({ length: 500 }, (_, index) => `old ${index}\n`).join('');
  const patch = await unifiedDiff('a.txt', before, before.replaceAll('old', 'new'), 300, 60_000);
  expect(patch.length).toBeLessThan(310);
  expect(patch.endsWith('\n…\n')).toBe(true);
});

test('a long line is shown around where it changed', async () => {
  const long = (word: string) => `${'a'.repeat(50_000)}😀${word}${'z'.repeat(50_000)}\n`;
  const [before, after] = [`first\n${long('old')}x\n`, `first\n${long('new')}y\n`];
  const diff = await unifiedDiff('a.min.js', before, after, 8000, 60_000);
  expect(diff).toMatch(/^-…a+😀oldz+…$/m);
  expect(diff).toMatch(/^\+…a+😀newz+…$/m);
  expect(diff).toContain('-x\n');
  expect(diff).toContain('+y\n');
  expect(diff.length).toBeLessThan(1500);
});
