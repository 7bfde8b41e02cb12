import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import type { World } from './world.ts';

/** What bash gives for each command, all in one run of it. */
export async function shellAnswers({ root, top }: World, commands: readonly string[]): Promise<string[]> {
  const out = join(top, 'shell');
  mkdirSync(out, { recursive: true });
  const runs = commands.map(
    (command, index) => `( ${command}\n) >${join(out, String(index))} 2>/dev/null </dev/null`,
  );
  const script = join(top, 'all.sh');
  writeFileSync(script, `cd ${root}\nrg() { ${rgPath} --no-config "$@"; }\n${runs.join('\n')}\n`);
  await promisify(execFile)('bash', ['--norc', '--noprofile', script], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' },
  }).catch(() => undefined);
  return commands.map((_, index) => readFileSync(join(out, String(index)), 'utf8'));
}
