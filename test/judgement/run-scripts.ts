import { spawn } from 'node:child_process';
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
import { quoted } from '../../src/confine/judgement/print/quote.ts';

/** What came of a script. */
export interface Ran {
  /** `zap` and `zip` as they were started, with their words. */
  readonly started: readonly (readonly string[])[];
  readonly stdout: string;
  readonly code: number;
}

/** What a script finds on its PATH, beside the two. */
export const programs =
  'bash sh dash env nice nohup timeout stdbuf setsid xargs find cat busybox flock time sort sleep grep sed head'.split(
    ' ',
  );

/**
 * Runs scripts by a real shell, each in the same small folder, where `zap` and `zip` only note their words. One process
 * of the shell evaluates many, each in a subshell of its own: to start a shell costs ten times what most of them do.
 */
export async function runScripts(
  scripts: readonly string[],
  shell: readonly string[],
): Promise<readonly Ran[]> {
  const halves = [
    scripts.slice(0, Math.ceil(scripts.length / 2)),
    scripts.slice(Math.ceil(scripts.length / 2)),
  ];
  return (await Promise.all(halves.map((half) => runHalf(half, shell)))).flat();
}

/** On a disk, each file that is emptied waits for it. */
const memory = '/dev/shm';

async function runHalf(scripts: readonly string[], shell: readonly string[]): Promise<readonly Ran[]> {
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'sekisho-scripts-'));
  try {
    for (const name of ['bin', 'work', 'ran']) mkdirSync(join(folder, name));
    for (const name of ['zap', 'zip']) writeFileSync(join(folder, 'bin', name), stub, { mode: 0o755 });
    for (const name of programs) {
      const found = ['/usr/bin', '/bin'].map((path) => join(path, name)).find((path) => existsSync(path));
      if (found) symlinkSync(found, join(folder, 'bin', name));
    }
    for (let at = 0; at < scripts.length; at = await drive(folder, shell, scripts, at));
    return scripts.map((_, at) => ran(join(folder, 'ran', `${at}`)));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Every word ends with a unit separator and the last is a record separator, in one write: others write as well. */
const stub = `#!/bin/dash
printf '%s\\037' "\${0##*/}" "$@" "${'\x1e'}" >> "$ZAPPED"
case "$0" in *zap) echo "z:$#";; esac
`;

/** How long a script may take, and how long what the last one left behind may still write. */
const hangsAfterMs = 3000;
const lingersSeconds = 0.3;

/** Runs them from `first` on; returns the number of the first that was not run, as the one before it hung. */
function drive(
  folder: string,
  shell: readonly string[],
  scripts: readonly string[],
  first: number,
): Promise<number> {
  writeFileSync(
    join(folder, 'driver'),
    [
      ...scripts.slice(first).map((script, at) => driven(script, first + at)),
      `sleep ${lingersSeconds}\n`,
    ].join(''),
  );
  const [program = '', ...args] = shell;
  const child = spawn(program, [...args, '../driver'], {
    cwd: join(folder, 'work'),
    env: { PATH: join(folder, 'bin'), HOME: '/h', ZAPPED: '/dev/null' },
    stdio: 'ignore',
    detached: true,
  });
  const isDone = (at: number) => existsSync(join(folder, 'ran', `${at}.code`));
  return new Promise((resolve, reject) => {
    let next = first;
    let sinceMs = Date.now();
    const watch = setInterval(() => {
      const before = next;
      while (isDone(next)) next++;
      if (next > before) sinceMs = Date.now();
      if (next === scripts.length || Date.now() - sinceMs < hangsAfterMs) return;
      endAll(child.pid);
    }, 200);
    child.on('error', reject);
    child.on('exit', () => {
      clearInterval(watch);
      // A function that calls itself in the background goes on without end.
      endAll(child.pid);
      while (isDone(next)) next++;
      // One that hung or ended the shell counts as run.
      resolve(next < scripts.length ? next + 1 : next);
    });
  });
}

/** The whole process group; what left it goes on. */
function endAll(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What a shell is told to run one script, on lines of its own. */
function driven(script: string, at: number): string {
  return `printf 'x\\n' > a; printf 'y\\n' > b; printf '1 2\\n' > f; : > o
(ZAPPED=../ran/${at}.log; eval ${quoted(script)}) < /dev/null > ../ran/${at}.out 2> /dev/null
echo $? > ../ran/${at}.code
`;
}

function ran(path: string): Ran {
  const read = (kind: string) =>
    existsSync(`${path}.${kind}`) ? readFileSync(`${path}.${kind}`, 'latin1') : '';
  const started = read('log')
    .split('\x1e\x1f')
    .filter((entry) => entry !== '')
    .map((entry) => Buffer.from(entry, 'latin1').toString().split('\x1f').slice(0, -1));
  return { started, stdout: read('out'), code: Number(read('code')) };
}

type Argv = readonly (string | null)[];

/** The commands that ran and are not among those that were found; a word that is not known stands for any number. */
export function unseen(started: Ran['started'], found: readonly Argv[]): readonly string[] {
  return started.filter((argv) => !found.some((one) => unify(one, argv))).map((argv) => JSON.stringify(argv));
}

function unify(found: Argv, argv: readonly string[]): boolean {
  const [first, ...rest] = found;
  if (first === undefined) return argv.length === 0;
  if (first === null) return argv.some((_, at) => unify(rest, argv.slice(at))) || unify(rest, []);
  return first === argv[0] && unify(rest, argv.slice(1));
}
