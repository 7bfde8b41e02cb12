import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createCollector } from '../output/collect.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { startedByNode } from './adopt.ts';
import type { Started } from './child.ts';
import { openPipes } from './pipes.ts';
import { openPosixSpawn } from './posix-spawn.ts';

export interface StartOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: 'null' | 'pipe';
  /** They become descriptors 3, 4 and so on. */
  readonly extra: readonly number[];
}

/** Starts a child with pipes, in its own session and in `/`. */
export type StartChild = (spawnOptions: StartOptions) => Promise<Started>;

/** Uses posix_spawn if koffi is there: forking a large server blocks its event loop for milliseconds. */
export async function openStarter(): Promise<StartChild> {
  try {
    const kernel = await openKernel();
    const { apart } = await openPosixSpawn();
    const collector = createCollector(kernel);
    return async ({ program, args, environment, stdin, extra }) => {
      const pipes = openPipes(kernel, stdin);
      const [input = 0, output = 1, errors = 2] = pipes.childEnds;
      try {
        const descriptors = [input, output, errors, ...extra];
        const pid = await apart({ program, args, environment, workingFolder: '/', descriptors });
        const exited = collector
          .wait(pid)
          .then(({ code, signal }) => ({ code: code ?? undefined, signal: signal ?? undefined }));
        return { pid, stdin: pipes.stdin, stdout: pipes.stdout, stderr: pipes.stderr, exited };
      } catch (error) {
        for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr] as (Socket | undefined)[])
          stream?.destroy();
        throw error;
      } finally {
        for (const fd of [...pipes.childEnds, pipes.go]) closeSync(fd);
      }
    };
  } catch {
    // Without koffi, Node starts it, which takes longer.
    return startByNode;
  }
}

/** Starts it with `node:child_process`, for use without koffi. */
export async function startByNode({
  program,
  args,
  environment,
  stdin,
  extra,
}: StartOptions): Promise<Started> {
  const child = spawn(program, args, {
    env: environment,
    cwd: '/',
    stdio: [stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe', ...extra],
    detached: true,
  });
  return startedByNode(child);
}
