import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, openNotes } from './open-notes.ts';

const word = fc.constantFrom(
  'ab',
  'ABC',
  'か',
  'ｶ',
  'カ',
  'Ｘ',
  'x',
  '#t',
  'ß',
  'Σ',
  'ς',
  'é',
  'e\u0301',
  '.',
);
const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const ending = fc.constantFrom('\n', '\r\n');
const note = fc.array(fc.tuple(line, ending), { maxLength: 6 }).map((lines) => lines.flat().join(''));

const fold = (words: string) => words.normalize('NFKC').toLowerCase();

test('a search finds what looking at every line would, page by page', async () => {
  const { root, call } = openNotes();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(note, note, note),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 4 }),
      async (notes, terms, limit) => {
        notes.forEach((each, at) => {
          writeFileSync(join(root, `${at}.md`), each);
        });
        const expected = notes.flatMap((each, at) =>
          linesFound(each, terms).map((found) => `${at}.md:${found}`),
        );
        const found: string[] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await call('vault_search', { query: terms.join(' '), limit, cursor });
          expect(page.matches.length).toBeLessThanOrEqual(limit);
          found.push(...page.matches.map((match: Answer) => `${match.path}:${match.line}`));
          cursor = page.next_cursor;
          if (cursor === undefined) break;
        }
        expect(found).toEqual(expected);
      },
    ),
    { seed: 17, numRuns: 150 },
  );
});

test('a match beyond the first piece of a large note is found with its line, and all words may lie far apart', async () => {
  const filler = 'nothing to see here\n'.repeat(40_000);
  const { call } = openNotes({ 'big.md': `first\n${filler}second\n${filler}last 漢字` });
  const lines = async (query: string, mode?: string) =>
    (await call('vault_search', { query, mode })).matches.map((match: Answer) => match.line);
  expect(await lines('second')).toEqual([40_002]);
  expect(await lines('last first')).toEqual([1, 80_003]);
  expect(await lines('last missing')).toEqual([]);
  expect(await lines('^last \\p{Han}+$', 'regex')).toEqual([80_003]);
});

/** Line numbers by the plainest means: those with all terms, else those with any, if all are in the note. */
function linesFound(note: string, terms: readonly string[]): readonly number[] {
  const lines = note.split(/\r?\n/).map(fold);
  if (!terms.every((term) => lines.some((each) => each.includes(fold(term))))) return [];
  const numbered = lines.map((each, at) => [each, at + 1] as const);
  const having = (test: 'every' | 'some') =>
    numbered.filter(([each]) => terms[test]((term) => each.includes(fold(term)))).map(([, at]) => at);
  const whole = having('every');
  return whole.length > 0 ? whole : having('some');
}
