import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { orElse } from '../../ground/or-else.ts';
import { stageOf, startedByNode } from '../child/adopt.ts';
import type { Backend } from '../child/child.ts';
import { openStarter, type StartChild, startByNode, startTagged } from '../child/start-child.ts';
import { signal } from '../child/tree.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { createLauncher, tryWatching } from '../watched/launch.ts';

/** No sandbox, as the operator chose. The environment, the limits and the end of the process tree still apply. */
export async function openUnconfined(): Promise<Backend> {
  const isLinux = process.platform === 'linux';
  // Without koffi, or elsewhere, a variable marks the processes, which a child can clear.
  const kernel = isLinux ? await openKernel().catch(() => undefined) : undefined;
  const start = isLinux ? inPlace(await openStarter()) : startByNode;
  const launch = kernel && createLauncher(kernel, open);
  const backend: Backend = {
    name: 'none',
    withoutWatching: launch
      ? tryWatching((spawnOptions) => backend.spawn(spawnOptions))
      : async () => 'koffi is missing, or the processor is not known',
    home: process.env.HOME ?? '/nonexistent',
    temporary: tmpdir(),
    // All share the machine's own files and its loopback.
    openRoom: async () => ({ ...backend, close: async () => {} }),
    spawn(spawnOptions) {
      const mark = randomUUID();
      const environment = { ...spawnOptions.environment, [markName]: mark };
      const isMarked = (pid: number) =>
        orElse(() => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${markName}=${mark}`), false);
      return startTagged({ kernel, start, launch, reach: 'all', isMarked }, { ...spawnOptions, environment });
    },
    async spawnStage({ program, args, environment, workingFolder, descriptors }) {
      const child = spawn(program, args, {
        cwd: workingFolder,
        env: { ...environment },
        stdio: [...descriptors],
        detached: true,
      });
      return stageOf(await startedByNode(child), (pid) => signal(-pid, 'SIGKILL'));
    },
    async close() {},
  };
  return backend;
}

/** Refuses a folder that was replaced by a link since it was looked at, which without walls would lead anywhere. */
function inPlace(start: StartChild): StartChild {
  return (asked) =>
    start({
      ...asked,
      held(pid) {
        const folder = orElse(() => readlinkSync(`/proc/${pid}/cwd`), undefined);
        if (folder !== undefined && folder === (asked.workingFolder ?? '/')) return asked.held?.(pid);
        process.kill(pid, 'SIGKILL');
        throw new Error(`it would have begun in ${folder}`);
      },
    });
}

const open = { sockets: 'private', signals: true, tracing: true, isOpen: true } as const;
const markName = 'SEKISHO_COMMAND';
