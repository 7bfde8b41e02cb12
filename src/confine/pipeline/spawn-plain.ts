import { spawn } from 'node:child_process';
import type { StageSpawn } from '../../contract/pipeline.ts';
import type { ConfinedChild } from '../../contract/process.ts';

/** Starts a stage with all that the server may do: only where the operator switched the sandbox off. */
export const spawnPlain: StageSpawn = ({ program, args, environment, workingFolder, descriptors }) =>
  childOf(
    spawn(program, [...args], {
      cwd: workingFolder,
      env: { ...environment },
      stdio: [...descriptors],
      detached: true,
    }),
  );

/** A child process as the pipeline knows it. Its group dies with it. */
export function childOf(child: ReturnType<typeof spawn>): ConfinedChild {
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? 0,
    stdin: null,
    stdout: null,
    stderr: null,
    ended,
    async kill() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          child.kill('SIGKILL');
        }
      }
      await ended;
    },
  };
}
