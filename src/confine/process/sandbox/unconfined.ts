import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Writable } from 'node:stream';
import { adopt, adoptStage } from '../child/adopt.ts';
import type { Backend, SpawnOptions } from '../child/child.ts';
import { applyTag, createTag, hasTag } from '../child/tag.ts';
import { destroyGroup, findMembers, signal } from '../child/tree.ts';
import { limitedArguments } from '../prelude.ts';
import { openKernel } from '../seccomp/kernel.ts';

/** No sandbox: what the operator chose by `--sandbox off`. Environment, limits and the end of the tree still hold. */
export async function openUnconfined(): Promise<Backend> {
  // Without koffi the mark is a variable alone, which a child can clear.
  const kernel = await openKernel().catch(() => undefined);
  const backend: Backend = {
    name: 'none',
    home: process.env.HOME ?? '/nonexistent',
    temporary: tmpdir(),
    // All share the machine's own files and its loopback.
    openRoom: async () => ({ ...backend, close: async () => {} }),
    async spawn({ command, limits, environment, workingFolder, stdin, reports }: SpawnOptions) {
      const mark = randomUUID();
      const [program = '', ...rest] = limitedArguments(command, limits, {
        waits: true,
        reportAt: reports ? 4 : undefined,
      });
      const child = spawn(program, rest, {
        cwd: workingFolder,
        env: { ...environment, [markName]: mark },
        stdio: [
          stdin === 'pipe' ? 'pipe' : 'ignore',
          'pipe',
          'pipe',
          'pipe',
          ...(reports ? (['pipe'] as const) : []),
        ],
        detached: true,
      });
      const tag = createTag();
      if (kernel && child.pid !== undefined) applyTag(kernel, child.pid, tag);
      const go = child.stdio[3] as Writable;
      go.on('error', () => {});
      go.end('\n');
      const isTagged = (pid: number) => hasTag(pid, tag) || hasMark(pid, mark);
      return adopt(child, {
        members: (pid) => [
          ...(child.exitCode === null && child.signalCode === null ? [pid] : []),
          ...findMembers({ pid, isTagged }).map((member) => member.pid),
        ],
        destroy: (pid) =>
          destroyGroup({ pid, isTagged }, child.exitCode === null && child.signalCode === null),
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
  return backend;
}

const markName = 'SEKISHO_COMMAND';

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markName}=${mark}`);
  } catch {
    return false;
  }
}
