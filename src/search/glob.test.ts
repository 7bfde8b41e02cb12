import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGlob } from './glob.ts';

test.each([
  ['*.txt', ['a.txt', '.txt', 'あ.txt'], ['a.txtx', 'd/a.txt', 'txt']],
  ['**/*.rs', ['a.rs', 'src/a.rs', 'src/x/y/a.rs'], ['a.rsx', 'rs']],
  ['src/**/*.rs', ['src/a.rs', 'src/x/a.rs', 'src/x/y/z/a.rs'], ['a.rs', 'lib/src/a.rs', 'srca/a.rs']],
  ['src/**', ['src/a', 'src/b/c'], ['src', 'lib/a']],
  ['src/', ['src/a', 'src/b/c'], ['src']],
  ['./src/*', ['src/a'], ['src/a/b']],
  ['**', ['a', 'a/b'], []],
  ['**/**/a', ['a', 'x/a', 'x/y/a'], ['b']],
  ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c'], ['a/c', 'a/b']],
  ['a**b', ['ab', 'axxb'], ['a/b']],
  ['?.ts', ['a.ts', '語.ts', '😀.ts'], ['ab.ts', '.ts']],
  ['[a-c].ts', ['a.ts', 'c.ts'], ['d.ts']],
  ['[!a-c].ts', ['d.ts', '😀.ts'], ['a.ts']],
  ['[^a].ts', ['b.ts'], ['a.ts']],
  ['[]a].ts', ['].ts', 'a.ts'], ['b.ts']],
  ['[a-].ts', ['-.ts', 'a.ts'], ['b.ts']],
  ['[[:digit:]]*', ['1.ts', '9'], ['a1', ':', 'd.ts']],
  ['[![:upper:]_].{ts,js}', ['a.ts', '1.js'], ['A.ts', '_.ts']],
  ['[\\]\\-]x', [']x', '-x'], ['\\x', 'ax']],
  ['\\!a', ['!a'], ['a', '\\!a']],
  ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.t', 'a.js']],
  ['{src,test}/**/*.{ts,{js,mjs}}', ['src/a.ts', 'test/x/a.mjs'], ['lib/a.ts', 'src/a.cjs']],
  ['{a/b,c}/d', ['a/b/d', 'c/d'], ['a/d']],
  ['a{,b}c', ['ac', 'abc'], ['adc']],
  ['\\*.ts', ['*.ts'], ['a.ts']],
  ['\\{a,b\\}', ['{a,b}'], ['a', 'b']],
  ['a b/日本*', ['a b/日本語.txt'], ['a b/英語.txt']],
])('%s', (pattern, matching, others) => {
  const matches = createGlob(pattern);
  expect(matching.filter(matches)).toEqual(matching);
  expect(others.filter(matches)).toEqual([]);
});

test.each([
  '',
  '/etc/*',
  '../*',
  'a/../b',
  '[a',
  '{a,b',
  '{{a,b}',
  `{${'a,'.repeat(300)}}`,
  '{a,b}'.repeat(20),
  '!*.ts',
])('refuses %j', (pattern) => {
  expect(() => createGlob(pattern)).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
});

test('a pattern of many stars costs little on a name that almost matches', () => {
  const matches = createGlob(`${'*a'.repeat(400)}b`);
  expect(matches(`${'a'.repeat(3000)}c`)).toBe(false);
  const folders = createGlob(`${'**/a/'.repeat(150)}b`);
  expect(folders(`${'a/'.repeat(1500)}c`)).toBe(false);
  // A matcher with exponential work would not return.
});

test('agrees with a slow and plain matcher on whatever is thrown at it', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '/', '**', '.', 'ab', '**/');
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
      fc
        .array(fc.constantFrom('a', 'b', '.', '/'), { minLength: 1, maxLength: 10 })
        .map((pieces) => pieces.join('')),
      (pattern, path) => {
        fc.pre(
          !pattern.startsWith('/') &&
            !pattern.startsWith('./') &&
            !pattern.endsWith('/') &&
            !pattern.includes('//'),
        );
        fc.pre(!path.startsWith('/') && !path.endsWith('/') && !path.includes('//'));
        fc.pre(!/(^|\/)\.\.(\/|$)/.test(pattern));
        expect(createGlob(pattern)(path)).toBe(plain(pattern.split('/'), path.split('/')));
      },
    ),
    { seed: 42, numRuns: 5000 },
  );
});

function plain(segments: readonly string[], names: readonly string[]): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return names.length === 0;
  if (segment === '**') {
    if (rest.length === 0) return names.length > 0;
    return plain(rest, names) || (names.length > 0 && plain(segments, names.slice(1)));
  }
  const [name, ...others] = names;
  return name !== undefined && plainName(segment, name) && plain(rest, others);
}

function plainName(segment: string, name: string): boolean {
  if (segment === '') return name === '';
  if (segment.startsWith('*')) {
    return plainName(segment.slice(1), name) || (name !== '' && plainName(segment, name.slice(1)));
  }
  if (name === '') return false;
  return (segment[0] === '?' || segment[0] === name[0]) && plainName(segment.slice(1), name.slice(1));
}

test.each([
  ['app/[id]/page.tsx', 'app/[id]/page.tsx'],
  ['app/[...slug]/*.tsx', 'app/[...slug]/page.tsx'],
  ['app/[[...slug]]/page.tsx', 'app/[[...slug]]/page.tsx'],
  ['app/{[id],[name]}/*', 'app/[name]/a'],
  ['\\[id\\]/*', '[id]/a'],
  ['{{cookiecutter.slug}}/*.md', '{{cookiecutter.slug}}/a.md'],
  ['a/{b}/*', 'a/{b}/x'],
  ['a/{b}/*', 'a/b/x'],
  ['[ab].ts', 'a.ts'],
  ['[!a].ts', 'b.ts'],
  ['ガイド*', `${'ガイド'.normalize('NFD')}.md`],
  [`${'ガイド'.normalize('NFD')}*`, 'ガイド.md'],
])('%s finds %s', (pattern, path) => {
  expect(createGlob(pattern)(path)).toBe(true);
});

test('a class is one still, and brackets match no more than they say', () => {
  expect(createGlob('[ab].ts')('c.ts')).toBe(false);
  expect(createGlob('[id]/x')('id/x')).toBe(false);
  expect(createGlob('\\[id\\]/x')('i/x')).toBe(false);
});
