import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';
import { linux, needs, programs } from '../support/needs.ts';
import { fill, positions, spellings, wrappers } from './corpus.ts';
import { programs as harmless, runScripts, unseen } from './run-scripts.ts';
import { bashisms, soup } from './soup.ts';

// Scripts are run by a real bash in which `zap` and `zip` only write down that they were started, and with what.
// Whatever was started must be among the commands that the judge found, or the judge must have refused the script.

const bash = ['bash', '--norc', '--noprofile'];
/** Where a machine has no bash, one of these is its sh. */
const shells = [
  { name: 'dash', command: 'dash', lack: programs('dash') },
  { name: 'busybox sh', command: 'busybox sh', lack: programs('busybox') },
];
const hammer = Boolean(process.env.SEKISHO_HAMMER);

const judge = createCommandJudge();
const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;

test('what a real bash starts is what the judge saw: commands in wrappers and places', {
  timeout: 600_000,
  ...needs(linux(), programs('bash')),
}, async () => {
  const runs = hammer ? 4000 : 120;
  const usable = wrappers.filter((template) => {
    const [program = ''] = template.replace(/^\\/, '').split(' ');
    return (
      [...harmless, 'command', 'builtin', 'exec', 'eval', 'trap', 'time'].includes(program) &&
      !template.includes('/')
    );
  });
  const places = positions.filter((template) => !/while :|for \(\(;;|until C/.test(template));
  const word = fc.constantFrom(
    ...[
      'a',
      '"b c"',
      "'d'",
      '\\e',
      '-f',
      '--',
      '{g,h}',
      '*',
      '$v',
      '"$v"',
      '$(echo i)',
      "$'\\x6a'",
      '~',
      '""',
      'k=l',
      '#m',
      '"$@"',
    ],
  );
  const name = fc
    .constantFrom('zap', 'zip')
    .chain((plain) => fc.constantFrom(plain, plain, ...spellings.map((spell) => spell(plain))));
  const command = fc
    .tuple(name, fc.array(word, { maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest].join(' '));
  const script = fc
    .tuple(
      command,
      fc.constantFrom('C', ...usable),
      fc.constantFrom('C', ...usable),
      fc.constantFrom(...places),
      fc.boolean(),
    )
    .map(([inner, first, second, place, assigned]) => {
      const made = fill(place, fill(second, fill(first, inner)));
      return assigned ? `v='x y'; ${made}` : made;
    });
  const { missed, started, seen } = await compare(fc.sample(script, { seed: 3, numRuns: runs }));
  expect(missed).toEqual([]);
  expect(started).toBeGreaterThan(runs / 4);
  expect(seen).toBeGreaterThan(runs / 10);
});

test('what a real bash starts is what the judge saw: any order of shell words', {
  timeout: 600_000,
  ...needs(linux(), programs('bash')),
}, async () => {
  const runs = hammer ? 12_000 : 200;
  const { missed, started } = await compare(fc.sample(soup(), { seed: 4, numRuns: runs }));
  expect(missed).toEqual([]);
  expect(started).toBeGreaterThan(0);
});

test('data that bash would evaluate as code does not pass', {
  timeout: 600_000,
  ...needs(linux(), programs('bash')),
}, async () => {
  const scripts = readFileSync(new URL('./evaluated.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const { missed, started } = await compare(scripts);
  expect(missed).toEqual([]);
  expect(started).toBeGreaterThan(scripts.length / 2);
});

describe.each(shells)('a script for sh, run by a real $name', ({ command, lack }) => {
  test('starts what the judge saw: any order of shell words', {
    timeout: 600_000,
    ...needs(linux(), lack),
  }, async () => {
    const { missed, started, seen } = await compare(
      fc.sample(soup(), { seed: 6, numRuns: hammer ? 12_000 : 100 }),
      command,
    );
    expect(missed).toEqual([]);
    expect(started).toBeGreaterThan(0);
    expect(seen).toBeGreaterThan(0);
  });

  test('starts what the judge saw: what bash and sh read differently', {
    timeout: 600_000,
    ...needs(linux(), lack),
  }, async () => {
    const { missed, started, seen } = await compare(
      fc.sample(bashisms(), { seed: 7, numRuns: hammer ? 8000 : 80 }),
      command,
    );
    expect(missed).toEqual([]);
    expect(started).toBeGreaterThan(0);
    expect(seen).toBeGreaterThan(0);
  });

  test('starts what the judge saw: data that would become code', {
    timeout: 600_000,
    ...needs(linux(), lack),
  }, async () => {
    const scripts = readFileSync(new URL('./evaluated.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    expect((await compare(scripts, command)).missed).toEqual([]);
  });
});

/**
 * Runs each script as it would run: as it was judged, or where it is denied as it is. Without a shell of its own it is
 * bash's.
 */
async function compare(scripts: readonly string[], sh?: string) {
  const shell = sh === undefined ? 'bash' : 'sh';
  const judged = scripts.map((script) => {
    const line = { kind: 'script', script, shell } as const;
    const { decision, commands = [] } = judge.judge(line, context);
    const written = judge.written(line);
    return {
      script: written?.kind === 'script' ? written.script : script,
      commands,
      denied: decision === 'deny',
    };
  });
  const all = await runScripts(
    judged.map(({ script }) => script),
    sh?.split(' ') ?? bash,
  );
  const missed = judged.flatMap(({ script, commands, denied }, at) =>
    denied
      ? []
      : unseen(all[at]?.started ?? [], commands).map((argv) => `${JSON.stringify(script)} ran ${argv}`),
  );
  const ran = judged.filter((_, at) => all[at]?.started.length);
  return { missed, started: ran.length, seen: ran.filter(({ denied }) => !denied).length };
}
