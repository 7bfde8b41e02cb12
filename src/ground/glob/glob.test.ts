import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needs, programs } from '../../../test/support/needs.ts';
import { expandBraces, hasOpenBrace } from './braces.ts';
import { asciiClasses, compileGlob, unicodeClasses } from './match.ts';

test.each([
  ['names', 'a**b', 'axb', true],
  ['names', 'a**b', 'a/b', false],
  ['wide', 'a**b', 'a/b', true],
  ['wide', '**a', 'x/a', true],
  ['names', '**/a', 'x/a', true],
  ['names', '**/a', 'xa', false],
  ['names', 'a/**', 'a/x/y', true],
  ['names', 'a/**', 'a', false],
  ['names', '[[:alpha:]]', 'k', true],
  ['names', '[[:alpha:]]', '語', false],
  ['wide', '[[:alpha:]]', '語', true],
  ['names', '[a', '[a', true],
  ['names', '[^/]', '/', false],
  ['names', '\\*\\', '*\\', true],
  ['names', '?', '😀', true],
  ['names', '*.ts', 'a.tsx', false],
  ['names', '?b*', 'abc', true],
  ['names', '[!a-c]x', 'bx', false],
  ['names', '[^a-c]x', 'dx', true],
  ['names', '[]a]', ']', true],
  ['names', '[[:digit:]]*', '7up', true],
  ['names', '[', '[', true],
  ['names', '\\*', 'a', false],
  ['names', 'a*b*c', 'axxbyyc', true],
  ['names', 'a*b*c', 'axxbyy', false],
  ['names', '', '', true],
])('%s: %s and %s: %s', (kind, pattern, text, isMatch) => {
  const syntax = kind === 'wide' ? { wideInNames: true, classes: unicodeClasses } : { classes: asciiClasses };
  expect(compileGlob(pattern, syntax)(text)).toBe(isMatch);
});

test('agrees with a matcher that tries everything', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '/', '**', '**/', '/**');
  const text = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 9 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), text, (pieces, chars) => {
      const matches = compileGlob(pieces.join(''), { wideInNames: true, classes: asciiClasses });
      expect(matches(chars.join(''))).toBe(tryAll(pieces.join(''), chars.join('')));
      // What one text led to is remembered, and is as right for the next.
      expect(matches(`${chars.join('')}b`)).toBe(tryAll(pieces.join(''), `${chars.join('')}b`));
    }),
    { seed: 42, numRuns: 5000 },
  );
});

function tryAll(pattern: string, text: string, startsName = true): boolean {
  if (pattern === '') return text === '';
  if (startsName && pattern.startsWith('**/')) {
    if (tryAll(pattern.slice(3), text)) return true;
    const slash = text.indexOf('/');
    return slash >= 0 && tryAll(pattern, text.slice(slash + 1));
  }
  const isWide = pattern.startsWith('**');
  if (pattern.startsWith('*')) {
    if (tryAll(pattern.slice(isWide ? 2 : 1), text, false)) return true;
    return text !== '' && (isWide || text[0] !== '/') && tryAll(pattern, text.slice(1), false);
  }
  const fits = pattern[0] === '?' ? text !== '' && text[0] !== '/' : text !== '' && text[0] === pattern[0];
  return fits && tryAll(pattern.slice(1), text.slice(1), pattern[0] === '/');
}

test('a hostile pattern against a long text comes to an answer, each time', () => {
  const syntax = { wideInNames: true, classes: asciiClasses };
  for (const pattern of ['*a'.repeat(400), '**a'.repeat(300), '**/*a'.repeat(200), '?*'.repeat(400)]) {
    const matches = compileGlob(`${pattern}b*`, syntax);
    for (let times = 0; times < 3; times++)
      expect(matches(`${'a/'.repeat(times)}${'a'.repeat(2000)}c`)).toBe(false);
  }
  // Every character is one that was not seen before.
  const many = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
  expect(compileGlob('*x*', syntax)(many)).toBe(false);
});

test.each([
  ['a{b,c{d,e}}f', ['abf', 'acdf', 'acef']],
  ['{a}', ['{a}']],
  ['{{a,b}', ['{a', '{b']],
  ['\\{a,b}', ['\\{a,b}']],
  ['{1..3}{,x}', ['1', '1x', '2', '2x', '3', '3x']],
])('%s expands to %j', (pattern, expanded) => {
  expect([...expandBraces(pattern, { ranges: true })]).toEqual(expanded);
});

test('many alternatives are made as they are asked for', () => {
  expect(expandBraces('{a,b}'.repeat(600)).take(3).toArray()).toHaveLength(3);
  expect([...expandBraces('{'.repeat(4000))]).toEqual(['{'.repeat(4000)]);
  expect(hasOpenBrace('{'.repeat(4000))).toBe(true);
});

const bash = ['/bin/bash', '/usr/bin/bash'].find((path) => {
  try {
    return execFileSync(path, ['-c', 'echo yes'], { encoding: 'utf8' }) === 'yes\n';
  } catch {
    return false;
  }
});

test('braces expand as bash expands them', needs(programs('bash')), () => {
  const unit = fc.constantFrom('{', '}', ',', 'a', 'b', '{a,b}', '{1..3}', '{c..a}');
  // Of a pair with nothing in it bash makes something of its own.
  const word = fc.string({ unit, minLength: 1, maxLength: 7 }).filter((made) => !made.includes('{}'));
  const words = fc.sample(word, { seed: 3, numRuns: 800 });
  const script = words.map((word) => `printf '%s ' x${word}; echo`).join('\n');
  const lines = execFileSync(bash as string, ['-c', script], { encoding: 'utf8' }).split('\n');
  for (const [index, word] of words.entries()) {
    const expanded = [...expandBraces(`x${word}`, { ranges: true })];
    expect(expanded.join(' '), word).toBe(lines[index]?.trim());
  }
});
