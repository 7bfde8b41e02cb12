/** Writes the pages of `docs/` that are made from the code: `npm run docs`. A test fails when one is stale. */
import { writeFileSync } from 'node:fs';
import { generatedPages } from './pages.ts';

for (const [path, words] of await generatedPages()) writeFileSync(path, words);
