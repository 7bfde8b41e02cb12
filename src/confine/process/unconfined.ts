import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { adopt, adoptStage } from './adopt.ts';
import type { Backend, SpawnOrder } from './child.ts';
import { defaultProcessLimits, limitedArguments } from './prelude.ts';
import { findMembers, signal } from './tree.ts';

/** No sandbox: what the operator chose by `--sandbox off`. Environment, limits and the end of the tree still hold. */
export function openUnconfined(): Backend {
  return {
    name: 'none',
    home: process.env.HOME ?? '/nonexistent',
    temporary: tmpdir(),
    limits: { ...defaultProcessLimits, processes: undefined },
    async spawn({ command, limits, environment, workingFolder, stdin }: SpawnOrder) {
      const mark = randomUUID();
      const [program = '', ...rest] = limitedArguments(command, limits);
      const child = spawn(program, rest, {
        cwd: workingFolder,
        env: { ...environment, [markName]: mark },
        stdio: [stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const isTagged = (pid: number) => hasMark(pid, mark);
      return adopt(child, {
        members: (pid) => [
          ...(child.exitCode === null && child.signalCode === null ? [pid] : []),
          ...findMembers({ pid, isTagged }).map((member) => member.pid),
        ],
        destroy(pid) {
          for (const member of findMembers({ pid, isTagged })) signal(member.pid, 'SIGKILL');
          if (child.exitCode === null && child.signalCode === null) signal(pid, 'SIGKILL');
        },
      });
    },
    async spawnStage({ program, args, environment, workingFolder, descriptors }) {
      const child = spawn(program, args, {
        cwd: workingFolder,
        env: { ...environment },
        stdio: [...descriptors],
        detached: true,
      });
      return adoptStage(child, (pid) => signal(-pid, 'SIGKILL'));
    },
    async close() {},
  };
}

const markName = 'SEKISHO_COMMAND';

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markName}=${mark}`);
  } catch {
    return false;
  }
}
