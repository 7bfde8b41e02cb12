import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';
import { fill, positions, spellings, wrappers } from './corpus.ts';
import { bashisms, soup } from './soup.ts';

// Scripts are run by a real bash in which `zap` and `zip` only write down that they were started, and with what.
// Whatever was started must be among the commands that the judge found, or the judge must have refused the script.

const bash = '/bin/bash';
const dash = '/bin/dash';
const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));
/** Where a machine has no bash, one of these is its sh. */
const shells = [
  { name: 'dash', command: existsSync(dash) ? dash : undefined },
  { name: 'busybox sh', command: busybox && `${busybox} sh` },
];
const has = existsSync(bash) && existsSync('/proc/self/fd');
const hammer = Boolean(process.env.SEKISHO_HAMMER);
const folder = mkdtempSync(join(tmpdir(), 'sekisho-differential-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const judge = createCommandJudge();
const realPrograms = [
  'bash',
  'sh',
  'dash',
  'env',
  'nice',
  'nohup',
  'timeout',
  'stdbuf',
  'setsid',
  'xargs',
  'find',
  'cat',
  'busybox',
  'flock',
  'time',
];

type Argv = readonly (string | null)[];

test.skipIf(!has)(
  'what a real bash starts is what the judge saw: commands in wrappers and places (skipped: no bash)',
  () => {
    const runs = hammer ? 4000 : 250;
    const usable = wrappers.filter((template) => {
      const [program = ''] = template.replace(/^\\/, '').split(' ');
      return (
        [...realPrograms, 'command', 'builtin', 'exec', 'eval', 'trap', 'time'].includes(program) &&
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
    const { missed, started, seen } = compare(fc.sample(script, { seed: 3, numRuns: runs }));
    expect(missed).toEqual([]);
    expect(started).toBeGreaterThan(runs / 4);
    expect(seen).toBeGreaterThan(runs / 10);
  },
  600_000,
);

test.skipIf(!has)(
  'what a real bash starts is what the judge saw: any order of shell words (skipped: no bash)',
  () => {
    const runs = hammer ? 12_000 : 400;
    const { missed, started } = compare(fc.sample(soup(), { seed: 4, numRuns: runs }));
    expect(missed).toEqual([]);
    expect(started).toBeGreaterThan(0);
  },
  600_000,
);

test.skipIf(!has)(
  'data that bash would evaluate as code does not pass (skipped: no bash)',
  () => {
    const scripts = readFileSync(new URL('./evaluated.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const { missed, started } = compare(scripts);
    expect(missed).toEqual([]);
    expect(started).toBeGreaterThan(scripts.length / 2);
  },
  600_000,
);

describe.each(shells)('a script for sh, run by a real $name', ({ command }) => {
  const shTest = test.skipIf(!has || command === undefined);

  shTest(
    'starts what the judge saw: any order of shell words (skipped: no such shell)',
    () => {
      const { missed, started, seen } = compare(
        fc.sample(soup(), { seed: 6, numRuns: hammer ? 12_000 : 200 }),
        command,
      );
      expect(missed).toEqual([]);
      expect(started).toBeGreaterThan(0);
      expect(seen).toBeGreaterThan(0);
    },
    600_000,
  );

  shTest(
    'starts what the judge saw: what bash and sh read differently (skipped: no such shell)',
    () => {
      const { missed, started, seen } = compare(
        fc.sample(bashisms(), { seed: 7, numRuns: hammer ? 8000 : 150 }),
        command,
      );
      expect(missed).toEqual([]);
      expect(started).toBeGreaterThan(0);
      expect(seen).toBeGreaterThan(0);
    },
    600_000,
  );

  shTest(
    'starts what the judge saw: data that would become code (skipped: no such shell)',
    () => {
      const scripts = readFileSync(new URL('./evaluated.txt', import.meta.url), 'utf8')
        .trim()
        .split('\n');
      expect(compare(scripts, command).missed).toEqual([]);
    },
    600_000,
  );
});

/** Without a shell of its own the script is bash's. */
function compare(scripts: readonly string[], sh?: string) {
  const shell = sh === undefined ? 'bash' : 'sh';
  const logs = runAll(scripts, sh ?? `${bash} --norc --noprofile`);
  const missed: string[] = [];
  let started = 0;
  let seen = 0;
  for (const [at, script] of scripts.entries()) {
    const ran = logs.get(at) ?? [];
    if (ran.length > 0) started++;
    const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;
    const { decision, commands = [] } = judge.judge({ kind: 'script', script, shell }, context);
    if (decision === 'deny') continue;
    if (ran.length > 0) seen++;
    for (const argv of ran) {
      if (!commands.some((found) => unify(found, argv)))
        missed.push(`${JSON.stringify(script)} ran ${JSON.stringify(argv)}`);
    }
  }
  return { missed, started, seen };
}

/** A word that is not known stands for any number of words. */
function unify(found: Argv, argv: readonly string[]): boolean {
  const [first, ...rest] = found;
  if (first === undefined) return argv.length === 0;
  if (first === null) return argv.some((_, at) => unify(rest, argv.slice(at))) || unify(rest, []);
  return first === argv[0] && unify(rest, argv.slice(1));
}

/** Runs each script with stubs of its own, since what it leaves in the background may start them later. */
function runAll(scripts: readonly string[], shell: string): Map<number, string[][]> {
  const round = mkdtempSync(join(folder, 'round-'));
  const [real, work, stub] = [join(round, 'real'), join(round, 'work'), join(round, 'stub')];
  for (const path of [real, work]) mkdirSync(path);
  for (const name of ['a', 'b', 'f']) writeFileSync(join(work, name), 'x\n');
  const text = `#!/bin/sh\n{ printf '%s\\037' "\${0##*/}" "$@"; printf '\\036'; } >> "\${0%/*}/log"\n`;
  writeFileSync(stub, text, { mode: 0o755 });
  for (const program of realPrograms) {
    const found = ['/usr/bin', '/bin'].map((path) => join(path, program)).find((path) => existsSync(path));
    if (found) symlinkSync(found, join(real, program));
  }
  for (const at of scripts.keys()) {
    mkdirSync(join(round, `${at}`));
    for (const name of ['zap', 'zip']) symlinkSync(stub, join(round, `${at}`, name));
  }
  writeFileSync(join(round, 'scripts'), scripts.map((script) => `${script}\0`).join(''));
  const driver = `i=0; cd '${work}'; while IFS= read -r -d '' s; do
    timeout -k 1 1 env -i PATH="${round}/$i:${real}" HOME='${work}' ${shell} -c "$s" < /dev/null > /dev/null 2>&1
    i=$((i + 1)); done < '${join(round, 'scripts')}'`;
  execFileSync(bash, ['--norc', '--noprofile', '-c', driver], { stdio: 'ignore', timeout: 580_000 });
  const started = new Map<number, string[][]>();
  for (const at of scripts.keys()) {
    const log = join(round, `${at}`, 'log');
    if (!existsSync(log)) continue;
    const entries = readFileSync(log, 'utf8')
      .split('\x1e')
      .filter((entry) => entry !== '');
    started.set(
      at,
      entries.map((entry) => entry.split('\x1f').slice(0, -1)),
    );
  }
  return started;
}
