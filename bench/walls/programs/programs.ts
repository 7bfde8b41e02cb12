import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attempt, Way } from '../attempt.ts';
import { createRandom, type Random } from './random.ts';

/** Operations of the four programs beside this file, which each harm what a glob names. */
const operations = [
  ...['delete', 'clear', 'empty', 'overwrite', 'patch', 'append', 'truncate', 'map'],
  ...['replace', 'link', 'hard', 'move', 'exchange'],
];

const targets = [
  ...['only/*', 'only/*', 'only/note1*.txt', '.env', 'src/*/*', 'docs/*', '*', 'README.md'],
  ...['.git', '.git/objects/*/*', '.git/objects', '.git/refs/heads/*', '.git/refs/*', '.git/logs/refs/*'],
  ...['.git/logs/*', '.git/HEAD', '.git/index', '.git/config', '.git/packed-refs', '.git/ORIG_HEAD'],
  ...['../documents/*', '../home/.ssh/*', '../home/.bashrc', '../state/*', '../sekisho.jsonc', '/etc/passwd'],
  ...['/proc/self/cwd/only/*', '/dev/fd/0/../only/*', 'only/../../documents/*', '/proc/1/root/home/*'],
];

const planted = [
  ...[
    '.git/hooks/pre-commit',
    '.git/config',
    '.git/info/attributes',
    '.envrc',
    '.mcp.json',
    '.husky/pre-commit',
  ],
  ...['.vscode/tasks.json', '.claude/settings.json', 'src/.envrc', 'only/.git/hooks/post-checkout'],
];

/** How the script starts its program, `P`. */
const starts = [
  ...[
    'P',
    'P',
    'P & wait',
    '(P &) ; sleep 0.4',
    'setsid -w P',
    'nohup P > /dev/null',
    'P & P & wait',
    'exec P',
  ],
  ...['env -i PATH="$PATH" P', 'trap "P" EXIT', 'P | cat', 'timeout -s KILL 0.3 P'],
];

const ways: readonly Way[] = ['run', 'run', 'run', 'background', 'beside', 'off'];

/**
 * Programs that delete, overwrite, truncate, rename over, link and plant, from several processes or threads at once, some
 * while one of them swaps the path; each a choice of `seed` and its number.
 */
export function programs(count: number, seed: number): readonly Attempt[] {
  const sources = sourcesOf();
  return Array.from({ length: count }, (_, n) => {
    const random = createRandom(seed + n);
    const [file, program, content] = random.of(sources);
    const words = [
      `${1 + random.below(6)}`,
      random.below(4) === 0 ? random.of(['only', 'src', 'docs']) : '-',
    ];
    const steps = Array.from({ length: 1 + random.below(4) }, () => stepOf(random)).flat();
    const line = [program, ...words, ...steps.map((word) => `'${word}'`)].join(' ');
    return {
      name: `program ${seed + n}`,
      script: random.of(starts).replaceAll(/\bP\b/g, line),
      way: random.of(ways),
      files: { [file]: content },
    };
  });
}

function stepOf(random: Random): readonly [string, string] {
  if (random.below(8) === 0) return ['plant', random.of(planted)];
  return [random.of(operations), random.of(targets)];
}

/** The name of a file, how it is started, and what is in it. */
function sourcesOf(): readonly (readonly [string, string, Uint8Array])[] {
  const source = (name: string) => readFileSync(join(import.meta.dirname, name));
  return [
    ['harm.py', 'python3 harm.py', source('program.py')],
    ['harm.sh', 'bash harm.sh', source('program.sh')],
    ['harm.mjs', 'node harm.mjs', source('program.mjs')],
    ['harm', './harm', compiled(join(import.meta.dirname, 'program.c'))],
  ];
}

function compiled(source: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-walls-c-'));
  try {
    execFileSync('gcc', ['-O1', '-o', join(folder, 'harm'), source]);
    return readFileSync(join(folder, 'harm'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
