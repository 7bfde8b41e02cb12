import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLineOf, splitWords } from './command-line.ts';

test.each([
  ['git', ['git']],
  ['  git  log\t--oneline ', ['git', 'log', '--oneline']],
  [`echo 'a b' "c d" e\\ f`, ['echo', 'a b', 'c d', 'e f']],
  [`echo "it's" 'say "x"' ""`, ['echo', "it's", 'say "x"', '']],
  [`grep -e "a\\"b\\\\c\\d"`, ['grep', '-e', 'a"b\\c\\d']],
  ['make CC=gcc', ['make', 'CC=gcc']],
  [`ls '*.ts' "a;b" \\$HOME`, ['ls', '*.ts', 'a;b', '$HOME']],
])('splits %j by the quoting of a shell', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each([
  'a | b',
  'a && b',
  'a; b',
  'a &',
  'a > f',
  'a < f',
  'echo $HOME',
  'echo "$HOME"',
  'echo `id`',
  'echo $(id)',
  'ls *.ts',
  'ls a?b',
  'ls [ab]',
  'echo {a,b}',
  'ls ~',
  'a\nb',
  'X=1 env',
  'for x in a',
  'echo a # b',
  '! true',
  "echo 'open",
  'echo "open',
  'echo \\',
  '(a)',
])('leaves %j to a shell', (line) => {
  expect(splitWords(line)).toBeUndefined();
  expect(commandLineOf({ command: line, args: [] }, 'bash')).toEqual({
    kind: 'script',
    script: line,
    shell: 'bash',
  });
});

test('with arguments the command is one program, whatever is in it', () => {
  expect(commandLineOf({ command: 'my tool; rm', args: ['$x', 'a b'] }, 'bash')).toEqual({
    kind: 'program',
    program: 'my tool; rm',
    args: ['$x', 'a b'],
  });
});

test('splits as sh does, wherever it splits at all', () => {
  const pieces = fc.constantFrom(
    'a',
    'B1',
    ' ',
    '\t',
    "'",
    '"',
    '\\',
    '-x',
    '=',
    'é',
    '日本',
    '.',
    '/',
    '%',
    '@',
    ',',
    ':',
    '+',
  );
  const lines = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
  const wanted = fc
    .sample(lines, { seed: 20260221, numRuns: 3000 })
    .filter((line) => splitWords(line) !== undefined);
  // One shell for all lines: prints each line's words, then a mark.
  const script = wanted.map((line) => `printf '%s\\0' ${line}; printf '\\1\\0'`).join('\n');
  const shown = execFileSync('/bin/sh', ['-c', script], { maxBuffer: 1 << 24 }).toString();
  const bySh = shown
    .split('\x01\0')
    .slice(0, -1)
    .map((part) => part.split('\0').slice(0, -1));
  expect(wanted.length).toBeGreaterThan(500);
  expect(wanted.map((line) => splitWords(line))).toEqual(bySh);
});
