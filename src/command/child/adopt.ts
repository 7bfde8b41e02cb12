import type { ChildProcess } from 'node:child_process';
import type { ConfinedChild, Exit } from '../../contract/capabilities/process.ts';
import type { Started } from './child.ts';

/** The pipes and the exit of a child process of Node's. Throws if it could not be started. */
export async function startedByNode(child: ChildProcess): Promise<Omit<Started, 'stdout' | 'stderr'>> {
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  const { pid } = child;
  if (pid === undefined) throw await new Promise((resolve) => child.once('error', resolve));
  // Ignore errors of a signal or a write to a child that has just exited.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  return { pid, stdin: child.stdin ?? undefined, exited };
}

/** Makes a stage of a pipeline: its streams are descriptors that others own. */
export function stageOf(
  { pid, exited }: Pick<Started, 'pid' | 'exited'>,
  destroy: (pid: number) => void,
): ConfinedChild {
  let running = true;
  const ended = exited.finally(() => {
    running = false;
  });
  return {
    pid,
    stdin: null,
    stdout: null,
    stderr: null,
    ended,
    async kill() {
      if (running) destroy(pid);
      await ended;
    },
  };
}
