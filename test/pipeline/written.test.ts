import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shellAnswers } from './shell.ts';
import { openWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({
    files: {
      'a.txt': 'one\ntwo\n',
      'b.txt': 'two\n',
      'p1.md': '1\n',
      'p2.md': '2\n',
      'p3.md': '3\n',
      'c09.log': '9\n',
      'c10.log': '10\n',
      'd/in.txt': 'inside one\n',
    },
  });
  symlinkSync('a.txt', join(world.root, 'z-link'));
  mkdirSync(join(world.root, 'e'));
});

afterAll(() => world.close());

test('a line is read as a shell reads it, wherever newlines end nothing, and whatever braces stand for', async () => {
  const lines = [
    'head -n 1 a.txt\n',
    '\n\nhead -n 1 a.txt',
    'sort a.txt |\n  head -n 1',
    'sort a.txt | # by name\n head -n 1 # the first\n',
    'sort a.txt |\n\n tr a-z A-Z |\n wc -c\n',
    'sort \\\n a.txt | \\\n head -n 1',
    'ls -d */',
    'ls -p e/ */',
    'head -n 1 p{1..3}.md',
    'head -n 1 p{3..1}.md',
    'head -n 1 p{1..3..2}.md',
    'cat c{09..10}.log | wc -l'.replace('cat', 'tail -q -n +1'),
    'head -qn 1 {a,b}.txt {a,a}.txt',
    'wc -l {a..b}.txt',
    'head -c 1KiB a.txt',
    'head -c 1kB a.txt',
    'tail -c +2b a.txt',
    'head -n +1 a.txt',
    'tail +2 a.txt',
  ];
  const expected = await shellAnswers(world, lines);
  const given = [];
  for (const line of lines) given.push((await world.pipe(line)).stdout);

  expect(given).toEqual(expected);
});

test.each([
  [
    'wc -l *',
    '2 a.txt\n1 b.txt\n',
    'wc: d: Is a directory\nwc: e: Is a directory\nwc: z-link: Is a symbolic link\n',
  ],
  ['awk 1 [az]*', 'one\ntwo\n', 'awk: z-link: Is a symbolic link\n'],
  ['rg -c one *', 'a.txt:1\nd/in.txt:1\n', 'rg: z-link: Is a symbolic link\n'],
])('%s reads what the pattern found, and says what it left out', async (command, start, stderr) => {
  const reply = await world.pipe(command);
  const lines = reply.stdout.split('\n').map((line: string) => line.trim());

  for (const line of start.split('\n')) expect(lines).toContain(line);
  expect(reply.meta.steps[0]).toMatchObject({ exit_code: 0, stderr });
});

test('a pattern that found nothing to read, and a name that was written out, are refused as they were', async () => {
  expect((await world.pipe('head z-*')).error.reason).toBe('SYMLINK_ESCAPE');
  expect((await world.pipe('head a.txt z-link')).error.reason).toBe('SYMLINK_ESCAPE');
  expect((await world.pipe('head a.txt d')).error.detail).toBe('head: d: is not a regular file');
});

test.each([
  ["sed 's/o/0/w out' a.txt", "sed -n 's/o/0/p' a.txt | tee out"],
  ['sort -uo b.txt a.txt', 'sort -u a.txt | tee b.txt'],
  ['awk ‘{print $1}’ a.txt', "awk '{print $1}' a.txt"],
  ['head a.txt ｜ wc -l', 'head a.txt | wc -l'],
])('%s is answered with %s', async (command, suggestion) => {
  const { error, runs } = await world.pipe(command);

  expect(error.suggestion).toBe(suggestion);
  expect(runs).toBe(true);
});

test.each([
  '',
  ' \n ',
  'sort -o out',
  'wc --files0-from=list',
  'ls | tee *.txt',
  'ls | tee a b',
  'cd -',
  'jq -h',
])('%j is not answered with a command that reads nothing or writes what was not meant', async (command) => {
  const { error, runs } = await world.pipe(command);

  expect(error.suggestion).not.toBe('');
  expect(runs, error.suggestion).toBe(false);
});

test('a stage does not learn where it runs', async () => {
  const reply = await world.pipe(`awk 'BEGIN {for (k in ENVIRON) print k, ENVIRON[k]}'`);

  expect(reply.stdout).not.toContain(world.top);
  expect(reply.stdout).toContain('PATH /usr/bin:/bin');
});
