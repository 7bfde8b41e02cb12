import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openWorkspace } from '../../files/workspace.ts';
import { walkNames } from './walk-names.ts';

const files = [
  'a.ts',
  'b.log',
  '.hid',
  'x/a.ts',
  'x/b.log',
  'x/y/a.ts',
  'x/y/z/b.log',
  'build/a.ts',
  'x/build/c',
  'x/#c',
  'x/a b',
];
const names = [
  'a.ts',
  '*.log',
  'x',
  'y',
  'build',
  'x/y',
  '*',
  '**',
  '#c',
  'z',
  '[ab].*',
  '?.ts',
  'a b',
  '.hid',
];

/** What ripgrep lists is the judge of what ignore files leave out; fd reads them with the same library. */
test('ignore files leave out what they leave out for ripgrep', async () => {
  const line = fc
    .tuple(
      fc.constantFrom('', '!', '/', '!/', '**/', '# ', '\\'),
      fc.constantFrom(...names),
      fc.constantFrom('', '/', '/**', '/*', '  '),
    )
    .map((parts) => parts.join(''));
  const file = fc.tuple(
    fc.constantFrom('.gitignore', '.ignore', 'x/.gitignore', 'x/y/.ignore', '.git/info/exclude', 'x/.ignore'),
    fc.array(line, { minLength: 1, maxLength: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 3 }),
      fc.constantFrom('.git', 'x/.git', '../.git', undefined),
      fc.boolean(),
      async (rules, git, isDeep) => {
        const outer = realpathSync(mkdtempSync(join(tmpdir(), 'ignore-')));
        const root = join(outer, 'root');
        mkdirSync(root);
        const workspace = openWorkspace({ roots: [{ path: root, writable: false }] });
        try {
          for (const path of files) put(root, path, 'x');
          if (git !== undefined) mkdirSync(join(root, git), { recursive: true });
          for (const [path, lines] of rules) put(root, path, `${lines.join('\n')}\n`);
          const start = isDeep ? 'x' : '';
          const query = { hidden: false, noIgnore: false, exclude: [], maxDepth: 256 };
          const found: string[] = [];
          const listing = { folder: workspace.folder, cwd: '.' };
          for await (const { kind, shown } of walkNames(start, query, listing, new AbortController().signal))
            if (kind === 'file') found.push(shown);
          expect(found.sort()).toEqual(listedByRipgrep(root, start));
        } finally {
          workspace.close();
          rmSync(outer, { recursive: true });
        }
      },
    ),
    { seed: 11, numRuns: 150 },
  );
});

function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function listedByRipgrep(root: string, start: string): string[] {
  try {
    const args = ['--files', '--no-config', '--', ...(start === '' ? [] : [start])];
    const listed = execFileSync(rgPath, args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return listed.split('\n').filter(Boolean).sort();
  } catch {
    // It ends with 1 where there is nothing to list.
    return [];
  }
}
