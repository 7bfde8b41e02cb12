import type { ChildProcess } from 'node:child_process';
import type { ConfinedChild } from '../../contract/capabilities/process.ts';
import type { Exit, Started } from './child.ts';

/** The pipes and the exit of a child process of Node's. Throws if it could not be started. */
export async function startedByNode(child: ChildProcess): Promise<Started> {
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  const { pid, stdout, stderr } = child;
  if (pid === undefined || !stdout || !stderr) {
    throw await new Promise((resolve) => child.once('error', resolve));
  }
  // Ignore errors of a signal or a write to a child that has just exited.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  return { pid, stdin: child.stdin ?? undefined, stdout, stderr, exited };
}

/** Adapts a child of Node's to a stage of a pipeline: its streams are descriptors that others own. */
export async function adoptStage(
  child: ChildProcess,
  destroy: (pid: number) => void,
): Promise<ConfinedChild> {
  let running = true;
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => {
      running = false;
      resolve({ code, signal });
    });
  });
  const { pid } = child;
  if (pid === undefined) throw await new Promise((resolve) => child.once('error', resolve));
  child.on('error', () => {});
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
