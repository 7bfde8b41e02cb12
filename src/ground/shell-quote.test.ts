import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellQuote } from './shell-quote.ts';

test.each(['bash', 'dash'])('%s reads back every text as it was', (shell) => {
  const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((word) => !word.includes('\0'));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (words) => {
      const script = `printf '%s\\0' ${words.map(shellQuote).join(' ')}`;
      const said = execFileSync(shell, ['-c', script]);
      expect(said.equals(Buffer.from(words.map((word) => `${word}\0`).join('')))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
