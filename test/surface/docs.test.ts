import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keptResults } from '../../bench/results.ts';
import { loadRows } from '../../bench/rows.ts';
import { generatedPages } from '../../scripts/pages.ts';
import { needs, programs } from '../support/needs.ts';

test.each(await generatedPages())('%s is what `npm run docs` writes', (path, words) => {
  expect(readFileSync(path, 'utf8')).toBe(words);
});

test('every row of the benchmark has its lines in docs/performance.md', async () => {
  const page = readFileSync('docs/performance.md', 'utf8');
  const kept = new Map(keptResults().rows.map(({ name, results }) => [name, results]));
  for (const { name } of await loadRows()) {
    const results = kept.get(name) ?? [];
    expect(
      results.length,
      `${name}: run \`npm run bench -- ${name} --keep\` and \`npm run docs\``,
    ).toBeGreaterThan(0);
    for (const result of results)
      expect(page).toContain(`| ${'row' in result ? result.row : result.operation} |`);
  }
});

test('the manual page is sound', needs(programs('groff')), () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', 'docs/sekisho.1'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('--http');
});
