import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('a test that cannot run everywhere says for lack of what: by `needs`, not by a bare condition', () => {
  const repository = join(import.meta.dirname, '../..');
  const bare = globSync('{src,test}/**/*.test.ts', { cwd: repository }).filter((file) =>
    /\b(?:test|describe)\.(?:skip|skipIf|runIf|todo|only)\b/.test(
      readFileSync(join(repository, file), 'utf8'),
    ),
  );
  expect(bare).toEqual([]);
});
