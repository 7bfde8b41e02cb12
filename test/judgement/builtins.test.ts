import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCommandJudge } from '../../src/confine/judgement/judge.ts';
import { linux, needs, programs } from '../support/needs.ts';
import { runScripts, unseen } from './run-scripts.ts';

// Every builtin of bash and dash with hostile data: what a real shell starts of it the judge saw or refused, and what
// is data to the shell is no reason to refuse. `runs` rows must start `zap`, `inert` ones must not, and `kept` ones do
// it at a terminal, later, or in another release of the shell, so they are refused.

const judge = createCommandJudge();
const context = { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' } as const;
const shells = [
  { name: 'bash', kind: 'bash', words: ['bash', '--norc', '--noprofile'] },
  { name: 'dash', kind: 'sh', words: ['dash'] },
] as const;

describe.each(shells)('$name', ({ name, kind, words }) => {
  const rows = readFileSync(new URL(`./builtins.${name}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [, builtin = '', is = '', script = ''] = /^(\S+) (\w+) (.*)$/.exec(line) ?? [];
      return { builtin, is, script: script.replaceAll('⏎', '\n') };
    });
  const decide = (script: string) => judge.judge({ kind: 'script', script, shell: kind }, context);

  test('every builtin of it has its row', needs(linux(), programs(name)), () => {
    const listed = new Set(rows.map(({ builtin }) => builtin));
    expect(builtinsOf(name).filter((builtin) => !listed.has(builtin))).toEqual([]);
  });

  test('what it starts was seen or refused', needs(linux(), programs(name)), async () => {
    const wanted = rows.filter(({ is }) => is !== 'kept');
    const ran = await runScripts(
      wanted.map(({ script }) => script),
      words,
    );
    const starts = wanted.filter((_, at) => ran[at]?.started.some(([program]) => program === 'zap'));
    expect(starts).toEqual(wanted.filter(({ is }) => is === 'runs'));
    for (const [at, { script }] of wanted.entries()) {
      const { decision, commands = [] } = decide(script);
      if (decision !== 'deny') expect(unseen(ran[at]?.started ?? [], commands), script).toEqual([]);
    }
  });

  test('data that it does not evaluate is no reason to refuse, and what runs later is one', () => {
    const inert = rows.filter(({ is, script }) => is === 'inert' && decide(script).decision === 'deny');
    expect(inert.map(({ script }) => script)).toEqual([]);
    const kept = rows.filter(({ is, script }) => is === 'kept' && decide(script).decision === 'allow');
    expect(kept.map(({ script }) => script)).toEqual([]);
  });
});

/** Bash lists its own; of dash the manual's names are asked for, as its page may be absent. */
function builtinsOf(shell: string): readonly string[] {
  const ask = (script: string) => execFileSync(shell, ['-c', script], { encoding: 'utf8' }).split('\n');
  if (shell === 'bash') return ask('compgen -b').filter((name) => name !== '');
  const names =
    '. : [ alias bg break cd chdir command continue echo eval exec exit export false fc fg getopts hash jobs kill local ' +
    'printf pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait';
  return ask(`for name in ${names}; do type "$name"; done 2>/dev/null`).flatMap(
    (line) => /^(\S+) is a (?:special )?shell builtin$/.exec(line)?.[1] ?? [],
  );
}
