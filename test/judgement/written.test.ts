import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'unbash';
import { describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';
import { linux, needs, programs } from '../support/needs.ts';
import { createGrammar } from './grammar.ts';
import { type Ran, runScripts, unseen } from './run-scripts.ts';

// What runs is what was judged: a script is written anew from what was read of it. Here scripts of every shape run as
// they were asked and as they were written, by real shells: the output must be the same, and nothing may start that
// the judge did not see.

const judge = createCommandJudge();
/** Reads the caller's own text, and lets that run. */
const withoutWriting = createCommandJudge({
  write: (source) => ({ text: source, script: parse(source), origins: () => undefined, steps: 0 }),
});
const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const has = existsSync('/bin/bash') && existsSync('/proc/self/fd');
const shells = [
  { name: 'bash', kind: 'bash', words: ['bash', '--norc', '--noprofile'], there: has },
  { name: 'dash', kind: 'sh', words: ['dash'], there: has && existsSync('/bin/dash') },
] as const;
type Shell = (typeof shells)[number];

/** Scripts made by the grammar, for bash; a tenth of it for dash. */
const inSuite = 400;
const made = Number(process.env.SEKISHO_SCRIPTS ?? inSuite);
const atOnce = 1000;

/** Read by the parser as words, and by bash as commands. */
const holes = [
  'echo 1<(zap)',
  'echo 2>(zap)',
  'true {fd}<(zap)',
  'echo 12<(zap a)b',
  'echo a<(zap)b',
  'x=<(zap)y; echo $x',
  "cat <<E\n${x:-'$(zap)'}\nE",
  "cat <<E\n${x-'`zap`'}\nE",
  "cat <<-E\n\t${x:-'$(zap)'}\n\tE",
  'a=(x)<(zap)',
  'a=([0]=$(zap))b',
  'echo $\\\n(zap)',
  'echo {a,$(zap),1<(zap)}',
  // In a substitution bash writes a list anew as well, and gives `$'…'` other quotes.
  String.raw`echo $(a=("x') ; a=(y\$'\$(zap) \$'\"\" \\'"); zip)`,
];

const everyday = readFileSync(new URL('./everyday.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
/** Each runs twice, in a process of its own: the suite takes every eighth of them in bash, and every 24th in dash. */
const everydayIn = (kind: Shell['kind']) =>
  everyday.filter(
    (script, at) =>
      !script.includes('RANDOM') &&
      (process.env.SEKISHO_HAMMER === '1' || at % (kind === 'bash' ? 8 : 24) === 0),
  );

test(
  'what a shell would read otherwise is refused, or runs as it was judged',
  needs(linux(), programs('bash')),
  async () => {
    const { missed } = await compare(holes, shells[0]);
    expect(missed).toEqual([]);
  },
);

test(
  'a shell reads all of its input before a command in it can read the rest',
  needs(linux(), programs('bash')),
  async () => {
    const texts = ["read x\ncat <<'F'\nzap\nF", "head -c 4\n: 'a\nzap '", 'cat > /dev/null; zip'];
    const scripts = texts.flatMap((text) => [`bash <<'E'\n${text}\nE`, `cat <<'E' | bash\n${text}\nE`]);
    const { missed, compared } = await compare(scripts, shells[0]);
    expect(compared).toBe(scripts.length);
    expect(missed).toEqual([]);
  },
);

test('as it was asked, the same would start what nobody saw', needs(linux(), programs('bash')), async () => {
  const { missed } = await compare(holes, shells[0], withoutWriting);
  expect(missed.length).toBeGreaterThan(3);
});

test('every everyday command can be written, on the same lines, and reads back as the same', () => {
  for (const script of everyday) {
    const written = judge.written({ kind: 'script', script, shell: 'bash' });
    expect(written, script).toBeDefined();
    if (written) expect(judge.written(written)).toEqual(written);
  }
});

test.each([
  ['a\nb', 'a\nb'],
  ['if a\nthen\n\n  b\nfi; c', 'if a; then\n\n\nb; fi; \\\nc'],
  ['cat <<E; a\nx $y\nE\nb', 'cat <<E; a\nx $y\nE\nb'],
  ['f() {\n a\n}; b', 'f() {\na; }; \\\nb'],
  ['a # comment\n\nb', 'a\n\nb'],
  ["x=$'a\\nb'\nc", "x=$'a\\nb'\nc"],
  ['echo "${v:+"$v"d}" "${v:+"$v"}d"', 'echo "${v:+${v}d}" "${v:+$v}d"'],
  ['let x=5*2 y+=1', "let 'x=5*2' y+=1"],
  ['sort --files0-from=<(ls "a") b', 'sort --files0-from=<(ls a) b'],
  ["tmux ls -F '#S'; tmux display -p '#{pane_id} #W'", "tmux ls -F '#S'; tmux display -p '#{pane_id} #W'"],
])('%j keeps its lines', (script, written) => {
  expect(judge.written({ kind: 'script', script, shell: 'bash' })).toMatchObject({ script: written });
});

test.each([
  ['ls ~/x[ab]*', 'ls ~/x[ab]*'],
  ['echo \\~a', "echo '~a'"],
  ['echo x[ab] a=~/x', "echo 'x'[ab] a=~/x"],
])('a tilde in %j stays what it is', (script, written) => {
  expect(judge.written({ kind: 'script', script, shell: 'bash' })).toMatchObject({ script: written });
});

test.each([
  String.raw`a=([2]="\\"$'\t'do [0]=x)`,
  '((( 1 ))\n)',
  'echo "$\\\n{x}"',
  'echo "$\\\n${x}"',
  'cat <<E\n$\\\n{x}\nE',
  'echo $(cat <<E |\nhi\nE\nenv; v=1 ls)',
  'echo "$({ cat <<E\nhi\nE\n} | cat; ls)"',
])('%j has no form that every reader takes alike', (script) => {
  expect(judge.written({ kind: 'script', script, shell: 'bash' })).toBeUndefined();
  expect(judge.judge({ kind: 'script', script, shell: 'bash' }, context)).toMatchObject({
    decision: 'deny',
    rule: 'unclear',
  });
});

test.each(['x=$(cat <<E | jq .\n{}\nE\n)', 'x=$(cat <<E | cat\nhi\nE\nls; ls)', 'cat <<E | cat; ls\nhi\nE'])(
  '%j is written, for nothing behind its here-document is lost',
  (script) => {
    expect(judge.written({ kind: 'script', script, shell: 'bash' })).toBeDefined();
  },
);

test.each([
  ["sh -c 'echo 1 >o'", "sh -c 'echo 1 > o'"],
  ['env -i bash -ec \'ls "a"\'', "env -i bash -ec 'ls a'"],
  ['watch --exec=\'ls "a"\' x', undefined],
  ['bash <<E\nls "a"\nE', "bash <<'E'\n{ ls a; }\nE\n"],
  ['sh -c \'sh -c "ls \\"a\\""\'', `sh -c 'sh -c '"'"'ls a'"'"''`],
  ["bash -c 'echo 1<(ls)'", undefined],
  ['echo \'ls "a"\' | bash', "echo '{ ls a; }' | bash"],
  ["printf '%s\\n' 'ls a' pwd | sh", "printf '%s\\n' '{ ls a\npwd; }' | sh"],
  ['cat <<"E" | bash -s x\nls "$1"\nE', 'cat <<\'E\' | bash -s x\n{ ls "$1"; }\nE\n'],
  ['CC=\'gcc "-O2"\' make', "CC='gcc -O2' make"],
  ['export CC=\'gcc "-O2"\'; make', "export CC='gcc -O2'; make"],
  ['env CC=\'gcc "-O2"\' make', "env 'CC=gcc -O2' make"],
  ["CC='echo 1<(ls)' make", undefined],
])('a script inside of %j is written anew as well', (script, written) => {
  const text = judge.written({ kind: 'script', script, shell: 'bash' });
  if (written !== undefined) expect(text).toMatchObject({ script: written });
  else if (text)
    expect(judge.judge({ kind: 'script', script, shell: 'bash' }, context).decision).toBe('allow');
});

test('the words of a program that is a shell are written anew', () => {
  expect(judge.written({ kind: 'program', program: 'bash', args: ['-c', 'ls "a"', 'x y'] })).toEqual({
    kind: 'program',
    program: 'bash',
    args: ['-c', 'ls a', 'x y'],
  });
  expect(judge.written({ kind: 'program', program: 'bash', args: ['-c', 'echo 1<(ls)'] })).toBeUndefined();
});

describe.each(shells)('run by a real $name', (shell) => {
  test('everyday commands do the same', {
    timeout: 600_000,
    ...needs(linux(), programs('bash', shell.name)),
  }, async () => {
    const lines = everydayIn(shell.kind);
    const { differing, compared } = await compare(lines, shell);
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(lines.length / 2);
  });

  test('scripts by the grammar do the same, and start what the judge saw', {
    timeout: 60 * 60_000,
    ...needs(linux(), programs('bash', shell.name)),
  }, async () => {
    const count = shell.kind === 'bash' ? made : made / 10;
    const grammar = createGrammar(made === inSuite ? 11 : Date.now(), shell.kind === 'sh');
    const missed: string[] = [];
    const differing: string[] = [];
    let seen = 0;
    for (let done = 0; done < count; done += atOnce) {
      const scripts = Array.from({ length: Math.min(atOnce, count - done) }, () => grammar.script());
      const found = await compare(scripts, shell);
      missed.push(...found.missed);
      differing.push(...found.differing);
      seen += found.seen;
    }
    expect(missed).toEqual([]);
    expect(differing).toEqual([]);
    expect(seen).toBeGreaterThan(count / 3);
  });
});

async function compare(scripts: readonly string[], shell: Shell, by = judge) {
  const rows = scripts.flatMap((script) => {
    const line = { kind: 'script', script, shell: shell.kind } as const;
    const { decision, commands = [] } = by.judge(line, context);
    const written = by.written(line);
    return written?.kind === 'script' && decision !== 'deny'
      ? [{ script, written: written.script, commands }]
      : [];
  });
  const ran = await runPairs(rows, shell);
  const missed: string[] = [];
  const unlike: typeof rows = [];
  let seen = 0;
  for (const [at, row] of rows.entries()) {
    const [asked, written] = ran[at] as readonly [Ran, Ran];
    if (written.started.length > 0) seen++;
    for (const argv of unseen(written.started, row.commands))
      missed.push(`${JSON.stringify(row.script)} ran ${argv}`);
    if (isSteady(row.script) && outcome(asked) !== outcome(written)) unlike.push(row);
  }
  return { missed, seen, compared: rows.length, differing: await stillUnlike(unlike, shell) };
}

/** Of commands beside each other now one is first and now the other: what differs is tried again. */
async function stillUnlike(
  rows: readonly { script: string; written: string }[],
  shell: Shell,
): Promise<readonly string[]> {
  let left = rows;
  for (let round = 0; round < 3 && left.length > 0; round++) {
    const ran = await runPairs(left, shell);
    left = left.filter((_, at) => {
      const [asked, written] = ran[at] as readonly [Ran, Ran];
      return outcome(asked) !== outcome(written);
    });
  }
  return left
    .filter(({ script }) => isRead(script, shell))
    .map(({ script, written }) => `${JSON.stringify(script)} became ${JSON.stringify(written)}`);
}

/** Some of what is sound, bash itself cannot read, and what was written of it runs: `cat < <(a=("1 "\`))`. */
function isRead(script: string, { words: [program, ...args] }: Shell): boolean {
  return spawnSync(program, [...args, '-n', '-c', script]).status === 0;
}

async function runPairs(rows: readonly { script: string; written: string }[], shell: Shell) {
  const ran = await runScripts(
    rows.flatMap(({ script, written }) => [script, written]),
    shell.words,
  );
  return rows.map((_, at) => [ran[2 * at], ran[2 * at + 1]] as const);
}

/** Nothing in it runs beside another, where who comes first decides what is written; nor is a process's number in it. */
function isSteady(script: string): boolean {
  return !/>\(|[^&>|]&[^&>]|[^|]\|[^|]|coproc|\$\$/.test(script);
}

/** In whatever order the commands wrote. */
function outcome({ code, stdout }: Ran): string {
  const same = stdout.replace(/ran\/\d+\.log|(line|driver:) \d+:/g, '');
  return `${code} ${[...same].sort().join('')}`;
}
