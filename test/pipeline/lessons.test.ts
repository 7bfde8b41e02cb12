import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corpusFiles } from './corpus.ts';
import { shellAnswers } from './shell.ts';
import { openWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await openWorld({
    files: {
      ...corpusFiles,
      'one.ts': 'a\nfoo\n',
      'src/two.ts': 'foo b\n',
      'src/three.py': 'x = 1\n',
      'tabs.tsv': 'a\tb\tc\n1\t3\t2\n4\t1\t9\n',
      'blank.md': '# T\n\n\n\ntext\n',
      'large.log': 'x'.repeat(9000),
    },
  });
});

afterAll(() => world.close());

/** Refused here, and answered with what gives the very same. */
const same = [
  'cat a.txt words.txt | sort -u',
  'cat *.csv *.json | wc -l',
  'cat -n words.txt',
  'cat -b blank.md',
  'cat -s blank.md',
  'ls src | cat',
  'sort words.txt | cat | head -2',
  'sort words.txt | uniq',
  'sort words.txt | uniq -c | sort -rn',
  'sort words.txt | uniq -d',
  'sort words.txt | uniq -u',
  'uniq -ci words.txt',
  'nl blank.md',
  'nl -ba blank.md',
  'tac words.txt',
  'rev words.txt',
  'paste -sd, words.txt',
  'paste -s -d + words.txt',
  'cut -d, -f2 b.csv',
  'cut -d, -f2- b.csv',
  'cut -d, -f1,3 b.csv',
  'cut -d, -f-2 a.txt',
  'cut -s -d, -f2 a.txt',
  "cut -d' ' -f1-2,4 c.log",
  'cut -f2 tabs.tsv',
  'cut -c3- b.csv',
  'cut -c2-4 b.csv',
  'comm -12 words.txt words.txt',
  'echo hello world | tr a-z A-Z',
  `echo '{"a":1}' | jq .a`,
  'echo "it\'s a \\"b\\" \\\\ c"',
  'echo -n abc | wc -c',
  "printf 'a\\nb\\n' | sort -r",
  "printf '%s\\n' a b c | sort -r",
  'seq 5',
  'seq 2 3 11 | sort -n',
  'seq 3 -1 1',
  "sort -t $'\\t' -k2,2n tabs.tsv",
  "rg $'a\\tb' tabs.tsv",
  "bash -c 'sort words.txt | head -2'",
  'timeout 5 cat words.txt',
  'tail +2 b.csv | wc -l',
  'head -n +2 b.csv',
  'tail -5c b.csv',
  'grep -c zzz words.txt',
  'grep -Rn deep tail',
  'grep -rIn deep tail',
  "grep -E '(p)\\1' words.txt",
  'find src -name two.ts',
  'find tail -type f -name "*.txt"',
];

test('a suggestion that takes the place of a command does what that command does', async () => {
  const expected = await shellAnswers(world, same);
  const wrong: string[] = [];
  for (const [index, command] of same.entries()) {
    const first = await world.pipe(command);
    const reply = first.error && first.runs ? await world.pipe(first.error.suggestion) : first;
    if (reply.stdout !== expected[index])
      wrong.push(
        `${command}\n  ${first.error?.suggestion}\n  shell ${expected[index]}\n  ours  ${reply.stdout}`,
      );
  }

  expect(wrong).toEqual([]);
});

test.each([
  ['fd -e ts | xargs wc -l', ['1 src/two.ts', '2 one.ts', '4 src/code.ts']],
  ["find . -name '*.ts' -exec grep -l foo {} +", ['one.ts', 'src/two.ts']],
  ["find . -name '*.ts' -print0 | xargs -0 grep -n foo", ['one.ts:2:foo', 'src/two.ts:1:foo b']],
  ['cat $(fd -e py)', ['x = 1']],
  ['fd -e py -x wc -l', ['1 src/three.py']],
  ["find . -path ./src -prune -o -name '*.ts' -print", ['one.ts']],
  ['find . -size +5k', ['large.log']],
  ["find . -type f -name '*.log' -size +5k", ['large.log']],
  ['git grep -l foo', ['one.ts', 'src/two.ts']],
])('%s is one pipeline here', async (command, lines) => {
  const { error, runs } = await world.pipe(command);
  const reply = await world.pipe(error.suggestion);

  expect(runs).toBe(true);
  const given = reply.stdout.trimEnd().split('\n').sort();
  expect(given.filter((line: string) => !line.endsWith('total'))).toEqual([...lines].sort());
  if (command.includes('xargs wc')) expect(reply.stdout).toMatch(/7 total\n$/);
});

/** Nothing of these would be left, or something else would be done: they are answered in words. */
test.each([
  'git log --oneline | head',
  'git diff | rg foo',
  'curl -s http://x | jq .',
  'python3 x.py | sort',
  'ls | xargs rm',
  "find . -name '*.log' -delete",
  'find . -newer a.txt',
  'fd -x rm',
  'fd --owner root',
  'sed -i s/a/b/ a.txt words.txt',
  'paste a.txt words.txt',
  'comm a.txt words.txt',
  'du -sh .',
  'jq env.PATH data.json',
  'sort --version',
  'rg --help',
  'for f in a.txt; do wc -l $f; done',
  'while true; do ls; done',
  'test -f a.txt && echo yes',
  'git pull || ls',
  'cd /nonexistent && ls',
  'head /etc/passwd',
  'uniq -f1 words.txt',
  'cut --complement -f1 tabs.tsv',
  'echo *.txt',
  'printf "%5.2f" 3',
  'ls | tee out/',
])('%s is answered in words, and with no command that does something else', async (command) => {
  const { error, runs } = await world.pipe(command);

  expect(error.suggestion).not.toBe('');
  expect(runs, error.suggestion).toBeFalsy();
});

test('rg that finds no file to search has found nothing, and says so', async () => {
  const reply = await world.pipe("rg -g '*.zzz' foo | wc -l");

  expect(reply).toMatchObject({
    stdout: '0\n',
    meta: {
      steps: [{ exit_code: 2, stderr: expect.stringContaining('No files were searched') }, { exit_code: 0 }],
    },
  });
  expect((await world.pipe("rg '[' src")).error.code).toBe('STAGE_FAILED');
  expect((await world.pipe('rg -t nosuch foo')).error.code).toBe('STAGE_FAILED');
});

test('fd finds files by size and by when they changed', async () => {
  const old = new Date(Date.now() - 30 * 86_400_000);
  utimesSync(join(world.root, 'large.log'), old, old);

  expect((await world.pipe('fd -S +5k -e log')).stdout).toBe('large.log\n');
  expect((await world.pipe('fd -S -9kb -S +5ki -t f')).stdout).toBe('large.log\n');
  expect((await world.pipe('fd -e log --changed-within 2weeks')).stdout).toBe('c.log\n');
  expect((await world.pipe('fd -e log --changed-before 1d')).stdout).toBe('large.log\n');
  expect((await world.pipe('fd -e log --older 2100-01-01')).stdout).toBe('c.log\nlarge.log\n');
  expect((await world.pipe('fd -S big')).error.reason).toBe('PARSE_ERROR');
});

test('a suggestion leaves no value of a flag behind as an operand', async () => {
  const extended = await openWorld({ files: corpusFiles, extended: true });
  try {
    const answers = new Map<string, unknown>();
    for (const command of [
      'find . -fprintf out %p',
      'find . -exec id {} +',
      "find . -name '*.ts' -exec grep -l class {} +",
      'rg --regex-size-limit 1G b a.txt',
      'grep -D read abc a.txt',
      'fd -HIxid',
    ]) {
      const { error, runs } = await extended.pipe(command);
      answers.set(command, runs ? error.suggestion : undefined);
    }

    expect(Object.fromEntries(answers)).toEqual({
      'find . -fprintf out %p': undefined,
      'find . -exec id {} +': undefined,
      "find . -name '*.ts' -exec grep -l class {} +": "rg -l class -g '*.ts'",
      'rg --regex-size-limit 1G b a.txt': 'rg b a.txt',
      'grep -D read abc a.txt': 'grep abc a.txt',
      'fd -HIxid': 'fd -HI',
    });
    expect((await extended.pipe('grep -c -f prog.awk a.txt')).stdout).toBe('0\n');
    expect((await extended.pipe('grep -f ../secret a.txt')).error.reason).toBe('PATH_ESCAPE');
    expect((await extended.pipe('find src -mtime -5 -type f | wc -l')).error).toBeUndefined();
    // Without the test it would find something else, so that is not suggested.
    const { error, runs } = await extended.pipe('find src -type x');
    expect({ reason: error.reason, runs }).toEqual({ reason: 'PARSE_ERROR', runs: false });
  } finally {
    await extended.close();
  }
});

test.each([
  ['fd . nosuch', 'fd: nosuch: No such file or directory'],
  ['ctree_generate nosuch', 'ctree_generate: nosuch: No such file or directory'],
  ['serena_find_symbol x nosuch', 'serena_find_symbol: nosuch: No such file or directory'],
  ['ctree_check', 'ctree_check: there is no outline in .ctree.'],
])("%s fails in the pipeline's own words", async (command, detail) => {
  const { error } = await world.pipe(command);

  expect(error).toMatchObject({
    code: 'STAGE_FAILED',
    reason: 'STAGE_FAILED',
    detail,
    suggestion: expect.any(String),
  });
});

test('jq takes an indent', async () => {
  expect((await world.pipe('jq --indent 1 .ok data.json')).stdout).toBe('true\n');
  expect((await world.pipe('jq --indent=1 .ok data.json')).stdout).toBe('true\n');
});
