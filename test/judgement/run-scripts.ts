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

/** Runs scripts by a real shell, each in the same small folder, where `zap` and `zip` only note their words. */
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

async function runHalf(scripts: readonly string[], shell: readonly string[]): Promise<readonly Ran[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-scripts-'));
  try {
    for (const name of ['bin', 'work', 'ran']) mkdirSync(join(folder, name));
    for (const name of ['zap', 'zip']) writeFileSync(join(folder, 'bin', name), stub, { mode: 0o755 });
    for (const name of programs) {
      const found = ['/usr/bin', '/bin'].map((path) => join(path, name)).find((path) => existsSync(path));
      if (found) symlinkSync(found, join(folder, 'bin', name));
    }
    writeFileSync(join(folder, 'scripts'), scripts.map((script) => `${script}\0`).join(''));
    await drive(folder, shell);
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

function drive(folder: string, shell: readonly string[]): Promise<void> {
  const driver = `cd work; i=0
    while IFS= read -r -d '' s; do
      printf 'x\\n' > a; printf 'y\\n' > b; printf '1 2\\n' > f; : > o
      ZAPPED=../ran/$i.log timeout -k 1 2 ${shell.join(' ')} -c "$s" < /dev/null > ../ran/$i.out 2> /dev/null
      echo $? > ../ran/$i.code; i=$((i + 1))
    done < ../scripts
    sleep 0.3`;
  const env = { PATH: join(folder, 'bin'), HOME: '/h', ZAPPED: '/dev/null' };
  const child = spawn('/bin/bash', ['--norc', '--noprofile', '-c', driver], {
    cwd: folder,
    env,
    stdio: 'ignore',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve());
  });
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
