import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { claims, collectSentences } from './collect.ts';
import { rows } from './rows.ts';

const sentences = collectSentences([
  ...['src/call', 'src/tools', 'src/upstream', 'src/hooks'],
  ...[
    'src/files',
    'src/network',
    'src/git',
    'src/judgement',
    'src/command',
    'src/search',
    'src/history',
    'src/vault',
    'src/pipeline',
  ],
  ...['src/ground/effects', 'src/ground/errors'],
]);
const claimed = [...new Set(sentences.filter(claims).map(({ words }) => words))];

test('sentences are found, those with values in them too', () => {
  expect(sentences.length).toBeGreaterThan(900);
  expect(claimed.length).toBeGreaterThan(40);
});

test('each sentence that claims something about effects has a row', () => {
  const known = new Set(rows.map(({ says }) => says));
  expect(claimed.filter((words) => !known.has(words))).toEqual([]);
});

test('no row is of a sentence that nothing says any more, and none is said twice', () => {
  const said = new Set(sentences.map(({ words }) => words));
  const all = rows.map(({ says }) => says);
  expect(all.filter((words) => !said.has(words))).toEqual([]);
  expect(all.length).toBe(new Set(all).size);
});

test.each(rows)('$says: the tests of its row are there', ({ says, shown, absent }) => {
  for (const place of [shown, absent]) {
    const [file = '', title = ''] = place.split(' › ');
    expect(existsSync(file), file).toBe(true);
    expect(readFileSync(file, 'utf8').includes(title), place).toBe(true);
  }
  // The test that shows it looks for some of its words.
  const looked = readFileSync(shown.split(' › ')[0] ?? '', 'utf8').replaceAll("\\'", "'");
  const windows = says
    .split(/…|\$/)
    .flatMap((piece) =>
      [...piece].map((_, at) => piece.slice(at, at + 12)).filter(({ length }) => length === 12),
    );
  expect(windows.length === 0 || windows.some((words) => looked.includes(words)), says).toBe(true);
});
