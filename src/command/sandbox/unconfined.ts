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
import { hasSeccomp } from '../seccomp/seccomp.ts';
import { createLauncher, tryWatching } from '../watched/launch.ts';

/**
 * No sandbox, as the operator chose with `--sandbox off`. The environment, the limits and the end of the process tree
 * still apply.
 */
export async function openUnconfined(): Promise<Backend> {
  // Without koffi the tag is only a variable, which a child can clear.
  const kernel = await openKernel().catch(() => undefined);
  const launch = kernel && hasSeccomp(process.arch) ? createLauncher(kernel, open) : undefined;
  const backend: Backend = {
    name: 'none',
    withoutWatching: launch
      ? tryWatching((spawnOptions) => backend.spawn(spawnOptions))
      : async () => 'koffi is missing, or the processor is not known',
    home: process.env.HOME ?? '/nonexistent',
    temporary: tmpdir(),
    // All share the machine's own files and its loopback.
    openRoom: async () => ({ ...backend, close: async () => {} }),
    async spawn({ command, limits, environment, workingFolder, stdin, reports, watched }: SpawnOptions) {
      const mark = randomUUID();
      const [program = '', ...rest] = limitedArguments(command, limits, {
        waits: true,
        reportAt: reports ? 4 : undefined,
      });
      let fault = () => {};
      const launched =
        watched && launch?.(watched, { at: reports ? 5 : 4, reach: 'all', onFault: () => fault() });
      const child = spawn(launched?.program ?? program, launched ? [program, ...rest] : rest, {
        cwd: workingFolder,
        env: { ...environment, [markName]: mark },
        stdio: [
          stdin === 'pipe' ? 'pipe' : 'ignore',
          'pipe',
          'pipe',
          'pipe',
          ...(reports ? (['pipe'] as const) : []),
          ...(launched?.descriptors ?? []),
        ],
        detached: true,
      });
      launched?.close();
      const tag = createTag();
      if (kernel && child.pid !== undefined) applyTag(kernel, child.pid, tag);
      const go = child.stdio[3] as Writable;
      go.on('error', () => {});
      go.end('\n');
      const isTagged = (pid: number) => hasTag(pid, tag) || hasMark(pid, mark);
      const adopted = await adopt(child, {
        members: (pid) => [
          ...(child.exitCode === null && child.signalCode === null ? [pid] : []),
          ...findMembers({ pid, isTagged }).map((member) => member.pid),
        ],
        destroy: (pid) =>
          destroyGroup({ pid, isTagged }, child.exitCode === null && child.signalCode === null),
      }).catch((error) => {
        launched?.recording.close();
        throw error;
      });
      fault = adopted.destroy;
      if (!launched) return adopted;
      const exited = adopted.exited.then(async (exit) => {
        // Processes that it left would stay watched.
        adopted.destroy();
        launched.recording.endCalls();
        await launched.recording.over;
        return exit;
      });
      return { ...adopted, exited };
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

const open = { sockets: 'private', signals: true, tracing: true, isOpen: true } as const;
const markName = 'SEKISHO_COMMAND';

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markName}=${mark}`);
  } catch {
    return false;
  }
}
