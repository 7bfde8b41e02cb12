import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/pages.ts';

test.each(await generatedPages())('%s is what `npm run docs` writes', (path, words) => {
  expect(readFileSync(path, 'utf8')).toBe(words);
});

const hasGroff = spawnSync('groff', ['--version']).status === 0;

test.skipIf(!hasGroff)(`the manual page is sound${hasGroff ? '' : ' (skipped: no groff)'}`, () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', 'docs/sekisho.1'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('--http');
});
