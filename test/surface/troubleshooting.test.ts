import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join('src', name), 'utf8'))
  .join('\n');

test.each([
  ['docs/troubleshooting.md', /“([^”]+)”/g],
  ['docs/troubleshooting.ja.md', /「([^」]+)」/g],
])('%s quotes words that the program says', (page, quoted) => {
  const rows = readFileSync(page, 'utf8').match(/^\| .*$/gm) ?? [];
  const quotes = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(quoted)].map(([, words = '']) => words),
  );
  expect(quotes.length).toBeGreaterThanOrEqual(10);
  expect(quotes.filter((words) => !sources.includes(words))).toEqual([]);
});
