import { describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';
import { print } from '../../src/confine/judgement/print/print.ts';

const judge = createCommandJudge();
const context = { dialect: 'listed', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const judged = (script: string) => judge.judge({ kind: 'script', script, shell: 'bash' }, context);

describe('text that is not what it seems is refused, or is data to the last character', () => {
  test.each([
    ['NUL', 'echo a\0b', 'too-long'],
    ['half of a character', 'echo \ud800', 'unclear'],
    ['a carriage return in a name', 'ls\r\npwd', 'odd-name'],
    ['a blank beyond ASCII in a name', 'rm\u00a0-r x', 'look-alike'],
    ['an ideographic space in a name', 'rm\u3000-r x', 'look-alike'],
    ['nothing that is seen in a name', 'r\u200bm x', 'look-alike'],
    ['substitutions in each other', `echo ${'$('.repeat(60)}ls${')'.repeat(60)}`, 'too-deep'],
    ['brackets in each other', `${'( '.repeat(90)}ls${' )'.repeat(90)}`, 'too-deep'],
    ['an end that does not come', 'cat <(ls', 'parse-error'],
  ])('%s', (_, script, rule) => {
    expect(judged(script)).toMatchObject({ decision: 'deny', rule });
    expect(judged(`true; ${script}`).decision).toBe('deny');
  });

  test.each(['\r', '\u00a0', '\u3000', '\u200b', '\u0085', '\t', '日本', 'e\u0301'])(
    'data with %j',
    (odd) => {
      for (const script of [`printf %s 'a${odd}b'`, `printf %s "a${odd}b"`]) {
        expect(judge.written({ kind: 'script', script, shell: 'bash' })).toMatchObject({
          script: `printf %s 'a${odd}b'`,
        });
        expect(judged(script).decision).toBe('allow');
      }
    },
  );
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

test('reading takes steps in proportion to the length, whatever is repeated', () => {
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
  const steep = shapes.filter((shape) => {
    const [few, many] = [stepsOf(shape(8)), stepsOf(shape(32))];
    return few === undefined || many === undefined || many > 4.2 * few + 8;
  });
  expect(steep.map((shape) => shape(1))).toEqual([]);
});

function filled(shape: string, command: string): string {
  return shape.replaceAll('C', () => command);
}

/** Parts that were written, with a command at the end, as `|` needs one; undefined where it was refused. */
function stepsOf(script: string): number | undefined {
  try {
    return print(`${script}a`).steps;
  } catch {
    return undefined;
  }
}
