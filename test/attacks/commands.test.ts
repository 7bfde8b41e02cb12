import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dialect } from '../../src/contract/capabilities/judgement.ts';
import { limits } from '../../src/contract/limits.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import {
  asked,
  dataPositions,
  denied,
  fill,
  names,
  positions,
  spellings,
  wrappers,
} from '../judgement/corpus.ts';

const everyday = readFileSync(new URL('../judgement/everyday.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');
/** The project has the tools that its everyday lines run. */
const tools = everyday.flatMap((line) =>
  [...line.matchAll(/\bnpx (?:--?\S+ )*([@\w/-]+)/g)].map(([, name]) => name),
);
const manifest = JSON.stringify({ devDependencies: Object.fromEntries(tools.map((name) => [name, '*'])) });
const judge = createCommandJudge({
  read: (path) => (path === '/workspace/package.json' ? manifest : undefined),
});
const strictness = { allow: 0, ask: 1, deny: 2 } as const;

function decide(script: string, dialect: Dialect = 'listed', shell: 'sh' | 'bash' = 'bash') {
  return judge.judge(
    { kind: 'script', script, shell },
    { dialect, roots: ['/workspace'], workingFolder: '/workspace' },
  );
}

/** Those that are decided more mildly than they must be. */
function tooMild(scripts: Iterable<string>, least: 'ask' | 'deny'): string[] {
  const mild: string[] = [];
  for (const script of scripts) {
    for (const dialect of ['listed', 'strict'] as const) {
      const { decision, rule, unread } = decide(script, dialect);
      // What cannot be read runs in smaller walls.
      if (unread === undefined && strictness[decision] < strictness[least])
        mild.push(`${dialect} ${rule}: ${script}`);
    }
  }
  return mild;
}

function* spelled(command: string): Generator<string> {
  const words = command.split(' ');
  for (const [at, word] of words.entries()) {
    // Quotes take their meaning from a wildcard or tilde: that is another command, not another spelling.
    if (/[*~]/.test(word)) continue;
    // Braces, wildcards and substitutions make another word of an argument; in a name they are not read.
    for (const spell of at > 0 ? spellings.slice(0, 11) : spellings) {
      yield [...words.slice(0, at), spell(word), ...words.slice(at + 1)].join(' ');
    }
  }
  for (const rename of names) yield [rename(words[0] ?? ''), ...words.slice(1)].join(' ');
}

test.each([
  ['deny', denied],
  ['ask', asked],
] as const)('a command to %s stays so in whatever starts it and wherever it stands', (least, commands) => {
  for (const command of commands) {
    const scripts = [...wrappers, ...positions].map((template) => fill(template, command));
    expect(tooMild(scripts, least)).toEqual([]);
  }
});

test.each([
  ['deny', denied],
  ['ask', asked],
] as const)('a command to %s stays so however it is spelled, or is not read', (least, commands) => {
  for (const command of commands) expect(tooMild(spelled(command), least)).toEqual([]);
});

test('wrappers inside wrappers inside positions hide nothing', () => {
  const all = fc.constantFrom(...wrappers.filter((template) => !/\n|<<</.test(template)));
  fc.assert(
    fc.property(
      fc.constantFrom(...denied),
      all,
      all,
      fc.constantFrom(...positions),
      (command, inner, outer, place) => {
        // These join words with spaces, so the quotes of an inner command are gone: that is another command.
        fc.pre(!/^(watch|eval|parallel|ssh)\b.* C\b/.test(outer) || !/[Q\\']/.test(inner));
        // An inner `;` would end the command of fd.
        fc.pre(!outer.startsWith('fd') || !inner.includes(';'));
        const script = fill(place, fill(outer, fill(inner, command)));
        expect(tooMild([script], 'deny')).toEqual([]);
      },
    ),
    { seed: 11, numRuns: 3000 },
  );
});

test('the same words as data are left alone', () => {
  for (const command of [...denied, ...asked]) {
    const refused = dataPositions
      .map((template) => fill(template, command))
      .filter((script) => decide(script).decision !== 'allow');
    expect(refused).toEqual([]);
  }
});

const listed = readFileSync(new URL('../judgement/refused.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

test.each(listed)('a trick that was seen or thought of: %s', (line) => {
  const [, least, script] = /^(ask|deny) (.*)$/.exec(line) ?? [];
  expect(tooMild([JSON.parse(script ?? '')], least as 'ask' | 'deny')).toEqual([]);
});

test("a day's work of people and agents in their project runs without a question", () => {
  const lines = linesOf('everyday-work');
  expect(lines.length).toBeGreaterThan(400);
  expect(lines.filter((line) => decideInProject(line) !== 'allow')).toEqual([]);
});

test('nobody is asked about what agents run in a session, and none of it is refused', () => {
  const lines = linesOf('everyday-sessions');
  expect(lines.length).toBeGreaterThan(400);
  expect(lines.filter((line) => decideInProject(line) !== 'allow')).toEqual([]);
});

function linesOf(corpus: string): readonly string[] {
  return readFileSync(new URL(`../judgement/${corpus}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
}

function decideInProject(line: string): string {
  const script = line.replaceAll('⏎', '\n');
  const roots = ['/workspace'];
  return judge.judge(
    { kind: 'script', script, shell: 'bash' },
    { dialect: 'plain', roots, workingFolder: '/workspace', confinement: { network: [] } },
  ).decision;
}

test('everyday commands of software developers run without a question', () => {
  expect(everyday.length).toBeGreaterThan(300);
  // Without walls, these two download something new and run it.
  expect(everyday.filter((script) => decide(script).decision !== 'allow')).toEqual([
    'npx -y create-vite@latest my-app -- --template react-ts',
    'pnpm dlx degit user/repo dir',
  ]);
});

test.each([
  ['echo $(ls)', 'command-substitution', '$(ls)'],
  ['ls && echo `id`', 'command-substitution', '`id`'],
  ['cat <(ls)', 'process-substitution', '<(ls)'],
  ['a=1; eval ls', 'eval', 'eval ls'],
  ['exec ls', 'exec', 'exec ls'],
  ['base64 --decod x', 'decode', 'base64 --decod x'],
  ['base64 -D x | cat', 'decode', 'base64 -D x'],
  ['sudo ls', 'strict-superuser', 'sudo ls'],
  ['su - root', 'strict-superuser', 'su - root'],
  ['xxd -r -p x | bash', 'decode', 'xxd -r -p x'],
  ['gunzip -c x | python3', 'decode', 'python3'],
])("the assistant's bash refuses %j, naming the construct and its place", (script, rule, excerpt) => {
  expect(decide(script, 'strict')).toMatchObject({ decision: 'deny', rule, excerpt });
});

test.each([
  `sh -c '${'x'.repeat(limits.commandBytes)}'`,
  'rm'.padStart(limits.commandBytes + 1, ' '),
  'あ'.repeat(limits.commandBytes / 3 + 1),
])('a command over the limit is refused unread', (script) => {
  expect(decide(script)).toMatchObject({ decision: 'deny', rule: 'too-long' });
});

test('many harmless commands do not hide the one after them', () => {
  const script = `${'ls;'.repeat(8000)}reboot`;
  expect(decide(script)).toMatchObject({ decision: 'deny', rule: 'machine-stop' });
});

const half = limits.commandBytes / 2;
test.each(
  [
    '('.repeat(half),
    '$('.repeat(half),
    '`'.repeat(half),
    '"$('.repeat(half / 2),
    '{ '.repeat(half),
    '${x:-'.repeat(half / 3),
    '$((('.repeat(half / 3),
    '[['.repeat(half),
    'nice '.repeat(half / 3),
    'env -S '.repeat(half / 4),
    'sudo '.repeat(half / 3),
    'find -exec '.repeat(half / 8),
    'xargs -I{} '.repeat(half / 8),
    'sh -c '.repeat(half / 4),
    'ls|sh|'.repeat(half / 4),
    'f(){ '.repeat(half / 4),
    'f(){ f|f; };'.repeat(half / 8),
    '<<E '.repeat(half / 3),
    '{a,b}'.repeat(half / 3),
    '*'.repeat(half),
    `rm ${'-r '.repeat(half / 3)}`,
    `rm -r ${'*'.repeat(half)}`,
    `rm -r ${'$x'.repeat(half / 2)}`,
    `rm -r ${'a/../'.repeat(half / 4)}`,
    `${'x=a;'.repeat(half / 4)}rm "$x"`,
    `${'cd a;'.repeat(half / 4)}rm -r b`,
    `${'x=$x$x;'.repeat(half / 5)}echo "$x"`,
    `git ${'-c a '.repeat(half / 4)}`,
    `echo $((${'('.repeat(half / 2)}`,
    `echo $((${'a+'.repeat(half / 2)}1))`,
    `x[${'a['.repeat(half / 2)}`,
    `trap ${"'".repeat(half)} 0`,
    '\\'.repeat(half),
    '\u{1F600}'.repeat(half / 4),
    '\ud800'.repeat(half / 3),
  ].map((script) => [script.slice(0, 20), script] as const),
)('a hostile command comes to an answer: %j…', (_begin, script) => {
  for (const shell of ['sh', 'bash'] as const) {
    expect(['allow', 'ask', 'deny']).toContain(decide(script, 'strict', shell).decision);
    expect(['allow', 'ask', 'deny']).toContain(decide(script, 'plain', shell).decision);
  }
});

test('any text whatever comes to an answer', () => {
  const pieces = fc.constantFrom(
    ...[
      'rm',
      '-rf',
      ' ',
      ' ',
      '/',
      '"',
      "'",
      '\\',
      '$',
      '(',
      ')',
      '`',
      '{',
      '}',
      ';',
      '&',
      '|',
      '<',
      '>',
      '\n',
      '#',
      '*',
      '?',
    ],
    ...[
      '[',
      ']',
      '=',
      'x',
      '$x',
      '${',
      '$((',
      '))',
      '<<E',
      'E',
      'if',
      'then',
      'fi',
      'do',
      'done',
      'case',
      'in',
      'esac',
      'f()',
    ],
    ...['env', 'sh', '-c', 'find', '-exec', '\\;', 'xargs', '~', '!', '[[', ']]', 'é', '\u202e', '\0', ','],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (words) => {
      const { decision, because, excerpt } = decide(words.join(''), 'strict');
      expect(['allow', 'ask', 'deny']).toContain(decision);
      expect(because.en).not.toBe('');
      expect(excerpt ?? '').not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }),
    { seed: 5, numRuns: 5000 },
  );
});

test.each(['sudo ', 'env -S ', "env -S 'env -S' ", 'timeout 1 ', 'nice -n 5 ', 'xargs '])(
  'many %j in a row are read with bounded work and never allowed',
  (wrapper) => {
    for (const times of [39, Math.floor(32_000 / wrapper.length)]) {
      const { decision } = decide(`${wrapper.repeat(times)}rm -rf /`);
      expect(decision).not.toBe('allow');
    }
  },
);
