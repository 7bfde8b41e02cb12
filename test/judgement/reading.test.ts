import { expect, test } from 'vitest';
import { createCommandJudge } from '../../src/judgement/judge.ts';

const judge = createCommandJudge();
const context = { dialect: 'listed', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const judged = (script: string) => judge.judge({ kind: 'script', script, shell: 'bash' }, context);

test.each([
  ['substitutions in each other', `echo ${'$('.repeat(90)}ls${')'.repeat(90)}`],
  ['brackets in each other', `${'( '.repeat(90)}ls${' )'.repeat(90)}`],
  ['terms of one sum', `echo $((${'1+'.repeat(9000)}1))`],
  ['an end that does not come', 'cat <(ls'],
])('too much to read is not read: %s', (_, script) => {
  expect(judged(script)).toMatchObject({ decision: 'ask', rule: 'not-read' });
  expect(judged(`reboot; ${script}`).decision).not.toBe('allow');
});

test.each(['\r', '\u00a0', '\u3000', '\u200b', '\u0085', '\t', '日本', 'e\u0301'])('data with %j', (odd) => {
  for (const script of [`printf %s 'a${odd}b'`, `printf %s "a${odd}b"`])
    expect(judged(script).decision).toBe('allow');
});

/** What a reader could go through twice: openings, words, lines, and each of them in the others. */
const repeated = [
  ...[
    'a ',
    "'a' ",
    '"a" ',
    '"$x" ',
    '$x ',
    '${x} ',
    '${x:-a} ',
    '"${x:-a}" ',
    '$(a) ',
    '"$(a)" ',
    '`a` ',
    '$((1+x)) ',
  ],
  ...[
    '{a,b} ',
    '* ',
    '[ab] ',
    '\\; ',
    "$'a' ",
    '<(a) ',
    'a=b ',
    '~ ',
    'a$x"b" ',
    '${x/a/b} ',
    '${a[1]} ',
    '>o ',
    '2>&1 ',
  ],
];
const joined = [
  'C;',
  'C\n',
  'C|',
  'C&&',
  '(C);',
  '{ C;};',
  'f() { C;};',
  'if C;then C;fi;',
  'case a in a) C;;esac;',
  'C <<E\n$x\nE\n',
  "sh -c 'a';C;",
  '[[ a ]];C;',
  '((1));C;',
];

test('the commands that are found grow with the length, whatever is repeated', () => {
  const shapes: ((count: number) => string)[] = [
    ...repeated.flatMap((one) =>
      repeated.map((two) => (count: number) => `echo ${(one + two).repeat(count)}`),
    ),
    ...joined.flatMap((one) => joined.map((two) => (count: number) => filled(one + two, 'a').repeat(count))),
    ...joined.flatMap((one) =>
      repeated.map((two) => (count: number) => filled(one, `a ${two.repeat(4)}`).repeat(count)),
    ),
  ];
  expect(shapes.length).toBeGreaterThan(1000);
  const steep = shapes.filter((shape) => usesOf(shape(32)) > 4.2 * usesOf(shape(8)) + 8);
  expect(steep.map((shape) => shape(1))).toEqual([]);
});

function filled(shape: string, command: string): string {
  return shape.replaceAll('C', () => command);
}

function usesOf(script: string): number {
  return judge.commandsIn({ kind: 'script', script: `${script}a`, shell: 'bash' }).length;
}
