import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { ToolError } from '../../contract/error.ts';
import type { StageSpawn } from '../../contract/pipeline.ts';
import type { SandboxName } from '../../contract/process.ts';
import { text } from '../../contract/text.ts';
import { createBubblewrapSpawn } from './spawn-bubblewrap.ts';
import { spawnPlain } from './spawn-plain.ts';

export interface Confinement {
  readonly spawn: StageSpawn;
  readonly sandbox: SandboxName;
}

/**
 * Chooses what stages run in, and proves it: a stage must not read a file outside what it was given, and must start
 * at all. Throws `unavailable` where nothing confines. Only `off`, the operator's word, goes without.
 */
export async function chooseConfinement(sandbox: 'required' | 'off'): Promise<Confinement> {
  if (sandbox === 'off') return { spawn: spawnPlain, sandbox: 'none' };
  const bwrap = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find(isExecutable);
  if (bwrap !== undefined) {
    const spawn = createBubblewrapSpawn(bwrap);
    if (
      (await exitOf(spawn, '/usr/bin/true', [])) === 0 &&
      (await exitOf(spawn, '/usr/bin/head', ['-c1', '/etc/passwd'])) === 1
    ) {
      return { spawn, sandbox: 'bubblewrap' };
    }
  }
  throw new ToolError(
    'unavailable',
    text(
      'No sandbox works on this machine, so pipelines are not run.',
      'このマシンで使えるサンドボックスがないため、パイプラインは実行されません。',
    ),
    {
      suggestion: text(
        'The operator can install one: apt-get install bubblewrap.',
        '管理者が導入できます: apt-get install bubblewrap',
      ),
    },
  );
}

async function exitOf(spawn: StageSpawn, program: string, args: readonly string[]): Promise<number | null> {
  const none = openSync('/dev/null', 'r+');
  try {
    const child = await spawn({
      program,
      args,
      environment: {},
      workingFolder: '/',
      descriptors: [none, none, none],
      readable: [],
      writable: [],
    });
    return (await child.ended).code;
  } finally {
    closeSync(none);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
