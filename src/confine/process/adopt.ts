import type { ChildProcess } from 'node:child_process';
import type { Child, Exit } from './child.ts';

/** A child process of Node's as the runner sees it. Throws if it could not be started. */
export async function adopt(
  child: ChildProcess,
  { members, destroy }: { members(pid: number): number[]; destroy(pid: number): void },
): Promise<Child> {
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
  });
  const { pid, stdout, stderr } = child;
  if (pid === undefined || !stdout || !stderr) {
    throw await new Promise((resolve) => child.once('error', resolve));
  }
  // A signal or a write to a child that has just gone.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  return {
    pid,
    stdin: child.stdin ?? undefined,
    stdout,
    stderr,
    exited,
    members: () => members(pid),
    destroy: () => destroy(pid),
  };
}
