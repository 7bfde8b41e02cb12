import { expect, test } from 'vitest';
import { createCommandJudge } from '../judge.ts';

const judge = createCommandJudge();
const context = { dialect: 'listed', roots: ['/w'], workingFolder: '/w' } as const;
const judged = (script: string, shell: 'sh' | 'bash') =>
  judge.judge({ kind: 'script', script, shell }, context);

test.each([
  ['[[ -n a ]] && ls', '`[[ … ]]`'],
  ['(( 1 ))', '`(( … ))`'],
  ['for ((i=0; i<2; i++)); do ls; done', '`for (( … ))`'],
  ['select x in a; do ls; done', '`select`'],
  ['coproc ls', '`coproc`'],
  ['cat <(ls)', 'process substitution <(…)'],
  ['ls > >(cat)', 'process substitution >(…)'],
  ['ls {a,b}', 'brace expansion {a,b}'],
  ['ls {1..3}', 'brace expansion {a,b}'],
  ["ls $'a'", "`$'…'`"],
  ['ls $"a"', '`$"…"`'],
  ['cat <<< a', 'the here-string <<<'],
  ['a=(b c)', 'an array'],
  ['a[0]=b', 'an array'],
  ['ls "${a[0]}"', 'an array'],
  ['a+=b', '`+=`'],
  ['ls {x}> o', '`{x}>`'],
  ['ls 10> o', 'descriptor 10'],
  ['ls &> o', '`&>`'],
  ['ls &>> o', '`&>>`'],
  ['ls >& o', '`>&`'],
  ['ls |& cat', '`|&`'],
  ['echo $[1+1]', '`$[ … ]`'],
  ['function f { ls; }', '`function`'],
  ['function f() { ls; }', '`function`'],
  ['case a in a) ls ;& b) ls ;; esac', '`;&`'],
  ['echo "${a/b/c}"', '`${a/b/c}`'],
  ['echo "${a:1:2}"', '`${a:1:2}`'],
  ['echo "${a^^}"', '`${a^^}`'],
  ['time -f x ls', '`time`'],
  ['time -o x ls', '`time`'],
  ['x=1; export y=$x', 'a value without quotes after `export`'],
])('%s is refused in a script for sh, and named', (script, name) => {
  expect(judged(script, 'sh')).toMatchObject({
    decision: 'deny',
    rule: 'not-posix',
    because: { en: `${name}: a plain \`sh\` reads this differently than bash does` },
  });
  expect(judged(script, 'bash').rule).not.toBe('not-posix');
});

test.each([
  '[ -n a ] && ls',
  'ls > o 2>&1 <&- 3>&1',
  'f() { ls; }; f',
  'time ls',
  'time -p ls | cat',
  '! ls',
  'x=1; export y="$x" z=a; ls "${x:-b}" "${x%.c}" "${#x}"',
  'find . -name a -exec ls {} +',
  'echo $((1 + 2)) {} {a} a,b',
  'cat <<E\nx\nE',
  'for x in a b; do ls "$x"; done; while ls; do break; done',
  'case a in (a|b) ls;; *) ls;; esac',
  'if ls; then ls; elif ls; then ls; else ls; fi',
  '(ls; ls) && { ls; }',
])('%s is for every sh', (script) => {
  expect(judged(script, 'sh').decision).toBe(judged(script, 'bash').decision);
  expect(judged(script, 'sh').rule).not.toBe('not-posix');
});
