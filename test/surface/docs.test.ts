import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedPages } from '../../scripts/pages.ts';

test.each(await generatedPages())('%s is what `npm run docs` writes', (path, words) => {
  expect(readFileSync(path, 'utf8')).toBe(words);
});
