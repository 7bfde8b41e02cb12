import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';
import { print } from '../../src/confine/judgement/print/print.ts';
import { needs, programs } from '../support/needs.ts';

// Arithmetic of bash evaluates what a variable holds: a subscript in it runs commands. Where the judge does not know a
// value to be a number, what runs is written so that it can be no more than one. Here real bash runs that.

const judge = createCommandJudge();
const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;

function lineOf(script: string, shell: 'bash' | 'sh' = 'bash') {
  return { kind: 'script', script, shell } as const;
}

function decide(script: string, shell: 'bash' | 'sh' = 'bash'): string {
  const { decision, rule } = judge.judge(lineOf(script, shell), context);
  return decision === 'allow' ? decision : `${decision} by ${rule}`;
}

function writtenOf(script: string): string {
  const written = judge.written(lineOf(script));
  if (written?.kind !== 'script') throw new Error(`${script} is not written`);
  return written.script;
}

/** Each prints what it made of `$given`. */
const uses = [
  'n=$(printf %s "$given"); echo $((n + 1))',
  'n=$(printf %s "$given"); echo $(($n + 1))',
  'n=$(printf %s "$given"); echo $(("$n" * 2))',
  'n=$(printf %s "$given"); echo $((10#$n))',
  'n=$(printf %s "$given"); (( n > 3 )) && echo more; echo "$?"',
  'n=$(printf %s "$given"); t=1; (( t += n )); echo "$t $?"',
  'n=$(printf %s "$given"); (( n == 4 ? 1 : 0 )); echo "$?"',
  'n=$(printf %s "$given"); for ((i = 0; i < n && i < 9; i++)); do echo "$i"; done',
  'n=$(printf %s "$given"); [[ $n -eq 4 ]]; echo "$?"',
  'n=$(printf %s "$given"); [[ "$n" -gt 2 && n -lt 7 ]]; echo "$?"',
  'n=$(printf %s "$given"); s=abcdefghij; echo "${s:$n:2}"',
  's=abcdefghij; n=$(printf %s "$given"); echo "${s:n}"',
  'echo $(($(printf %s "$given") + 1)) "$?"',
  '[[ $(printf %s "$given") -ge 4 ]]; echo "$?"',
  'x=$(( $(printf %s "$given"; exit 3) + 1 )); echo "$x $?"',
  'a=($(printf %s "$given") 7); echo $((a[0] + ${a[1]}))',
  'a=($(printf %s "$given") 7); i=1; echo $((${a[0]} + ${a[$i]} + a[i]))',
  'f() { echo $(( $1 + ${2:-3} )); }; f "$given"',
  'line="$given x"; echo $(( ${line%% *} + 1 ))',
  'read -r n <<< "$given"; echo $((-n))',
  'declare -A m; for w in $given b $given; do ((m[$w]++)); done; for k in "${!m[@]}"; do echo "$k ${m[$k]}"; done',
];

describe('what is not known to be a number is no more than one', needs(programs('bash')), () => {
  test.each(uses)('it runs, and reads back as it is written: %s', (script) => {
    expect(decide(script)).toBe('allow');
    const written = writtenOf(script);
    expect(written).not.toBe(script);
    expect(writtenOf(written)).toBe(written);
    expect(decide(written)).toBe('allow');
  });

  test('numbers give what bash makes of the script as it was asked', () => {
    for (const script of uses) expect(run(writtenOf(script)), script).toBe(run(script));
  });

  test('nothing else starts a command, changes a variable or is taken for a number', () => {
    const piece = fc.constantFrom(
      ...[
        'a[$(touch it)]',
        'a[`touch it`]',
        '$(touch it)',
        '[',
        ']',
        '(',
        ')',
        'x',
        'PATH',
        '=',
        '++',
        '/.',
        '\\',
      ],
      ...[
        '"',
        "'",
        '`',
        '$',
        '{',
        '}',
        '#',
        '!',
        '\n',
        '\t',
        ' ',
        '&',
        '|',
        ',',
        '?',
        ':',
        '0x',
        '9',
        '\u00e9',
        '１',
      ],
    );
    const given = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-guarded-'));
    try {
      // One bash runs every script on every value, each in a shell of its own; x is what a name would lead to.
      const values = [
        'a[$(touch it)]',
        'x',
        ...fc.sample(given, { seed: 5, numRuns: process.env.SEKISHO_HAMMER ? 400 : 16 }),
      ];
      for (const locale of ['C', 'C.UTF-8']) {
        for (const script of uses) {
          const all = `x='a[$(touch it)]'; for given; do ( ${writtenOf(script)}\n ) > out 2> /dev/null < /dev/null; done; ls`;
          const { stdout } = spawnSync('bash', ['--norc', '--noprofile', '-c', all, 'bash', ...values], {
            cwd: folder,
            encoding: 'utf8',
            env: { PATH: process.env.PATH, LC_ALL: locale },
          });
          expect(stdout, `${locale}: ${script}`).toBe('out\n');
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('as it was asked, the same would start one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-guarded-'));
    try {
      spawnSync('bash', ['-c', uses[0] ?? ''], {
        cwd: folder,
        env: { ...process.env, given: 'a[$(touch it)]' },
      });
      expect(existsSync(join(folder, 'it'))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test.each([
  "x='a[$(reboot)]'; echo $((x))",
  'x1=$(cat f); n=1; echo $((x$n))',
  'n=$(cat f); echo $((n++))',
  'n=$(cat f); declare -i m=$n',
  'read k; a[$k]=1',
  'read k; echo ${a[$k]}',
  'n=$(cat f); let "n > 3"',
  'printf() { cat f; }; echo $(( $(cat f) ))',
  'echo $(( ${n:=$(cat f)} ))',
  "sh -c 'n=$(cat f); echo $((n + 3))'",
])('where nothing guards it, it is refused: %s', (script) => {
  expect(decide(script)).toBe('deny by data-as-code');
});

test('what is guarded is judged again, and what stands around it is not', () => {
  const written: string[] = [];
  const noting = createCommandJudge({
    write: (source) => {
      written.push(source);
      return print(source);
    },
  });

  const { decision } = noting.judge(lineOf('ls; read n; echo a\nif ((n > 3)); then echo b; fi\nls'), context);

  expect(decision).toBe('allow');
  expect(written.slice(1)).toEqual(['if ((( ${n//[!0123456789[:blank:]+-]/.} + 0 ) > 3)); then echo b; fi']);
});

test('a script for sh has no words to guard it with', () => {
  expect(decide('n=$(cat f); echo $((n + 3))', 'sh')).toBe('deny by data-as-code');
});

test('what a substitution in arithmetic starts is asked about as ever', () => {
  expect(decide('echo $(( $(git push origin main) + 1 ))')).toMatch(/^ask/);
});

/** What it prints for each number, and its exit code, by one bash with a shell of its own for each. */
function run(script: string): string {
  const all = `for given; do ( ${script}\n ); echo "exit $?"; done`;
  const { stdout } = spawnSync('bash', ['--norc', '--noprofile', '-c', all, 'bash', ...numbers], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
  });
  expect(stdout.match(/^exit /gm)).toHaveLength(numbers.length);
  return stdout;
}

const numbers = ['4', '0', '12', ' 5', '5 ', '-3', '+7', '007', ''];
