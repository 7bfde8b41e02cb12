import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { createCollector } from '../output/collect.ts';
import { limitedArguments } from '../prelude.ts';
import { type Kernel, openKernel } from '../seccomp/kernel.ts';
import type { OpenLaunch } from '../watched/launch.ts';
import { startedByNode } from './adopt.ts';
import type { Child, SpawnOptions, Started } from './child.ts';
import { openPipes } from './pipes.ts';
import { openPosixSpawn, type PosixSpawnOptions } from './posix-spawn.ts';
import { applyTag, createTag, hasTag } from './tag.ts';
import { destroyGroup, findMembers } from './tree.ts';

export interface StartOptions extends Omit<PosixSpawnOptions, 'workingFolder' | 'descriptors'> {
  readonly workingFolder?: string | undefined;
  readonly stdin: 'null' | 'pipe';
  /** They become descriptors 3, 4 and so on, after the following two. */
  readonly extra: readonly number[];
  /** Descriptor 3 is a pipe on which the child waits until this was called. */
  readonly held?: ((pid: number) => void) | undefined;
  /** The next descriptor is a pipe, from which the child's `report` is read. Only of a held child. */
  readonly reports?: boolean | undefined;
}

/** Starts a child with pipes, in its own session. */
export type StartChild = (spawnOptions: StartOptions) => Promise<Started>;

/** A child without pipes of ours. */
export type Reaped = Pick<Started, 'pid' | 'exited'>;

/** Starts a child with descriptors, from some thread. */
export type StartWith = (spawnOptions: PosixSpawnOptions) => Promise<Reaped>;

/** Uses posix_spawn if koffi is there: forking a large server blocks its event loop for milliseconds. */
export async function openStarter(): Promise<StartChild> {
  try {
    const kernel = await openKernel();
    const { apart } = await openPosixSpawn();
    const collector = createCollector(kernel);
    return startWithPipes(kernel, async (spawnOptions) => {
      const pid = await apart(spawnOptions);
      return { pid, exited: collector.wait(pid) };
    });
  } catch {
    // Without koffi, Node starts it, which takes longer.
    return startByNode;
  }
}

export function startWithPipes(kernel: Kernel, start: StartWith): StartChild {
  return async ({ stdin, extra, held, reports, workingFolder = '/', ...program }) => {
    const pipes = openPipes(kernel, stdin, reports);
    const { stdin: input, stdout, stderr, report } = pipes;
    try {
      const descriptors = [...pipes.childEnds.slice(0, held ? undefined : 3), ...extra];
      const { pid, exited } = await start({ ...program, workingFolder, descriptors });
      held?.(pid);
      if (held) writeSync(pipes.go, '\n');
      return { pid, stdin: input, stdout, stderr, report, exited };
    } catch (error) {
      for (const stream of [input, stdout, stderr, report]) stream?.destroy();
      throw error;
    } finally {
      for (const fd of [...pipes.childEnds, pipes.go]) closeSync(fd);
    }
  };
}

/** Starts it with `node:child_process`, for use without koffi. */
export async function startByNode({
  program,
  args,
  environment,
  workingFolder = '/',
  stdin,
  extra,
  held,
  reports,
}: StartOptions): Promise<Started> {
  const child = spawn(program, args, {
    env: environment,
    cwd: workingFolder,
    stdio: [
      stdin === 'pipe' ? 'pipe' : 'ignore',
      'pipe',
      'pipe',
      ...(held ? ['pipe' as const] : []),
      ...(reports ? ['pipe' as const] : []),
      ...extra,
    ],
    detached: true,
  });
  const started = await startedByNode(child);
  held?.(started.pid);
  const go = held && (child.stdio[3] as Writable);
  go?.on('error', () => {});
  go?.end('\n');
  const [, stdout, stderr, , report] = child.stdio as [Writable, Readable, Readable, unknown, Readable];
  return { ...started, stdout, stderr, report: reports ? report : undefined };
}

/** How commands without a process namespace of their own are started. */
export interface TaggedMeans {
  /** Undefined without koffi: commands are then neither tagged nor watched. */
  readonly kernel: Kernel | undefined;
  readonly start: StartChild;
  readonly launch: OpenLaunch | undefined;
  /** The paths that it may write. */
  readonly reach: Parameters<OpenLaunch>[1]['reach'];
  /** Another sign of its processes than their tag. */
  readonly isMarked?: ((pid: number) => boolean) | undefined;
}

/** Starts a command that shares the machine's processes: its own are found by a tag that they inherit. */
export async function startTagged(
  { kernel, start, launch, reach, isMarked }: TaggedMeans,
  { command, limits, workingFolder, environment, stdin, reports, watched }: SpawnOptions,
): Promise<Child> {
  const launched = watched && launch?.(watched, { at: reports ? 5 : 4, reach });
  const [program = '', ...args] = limitedArguments(command, limits, {
    waits: true,
    reportAt: reports ? 4 : undefined,
  });
  const tag = createTag();
  const isTagged = (other: number) => hasTag(other, tag) || isMarked?.(other) === true;
  try {
    const started = await start({
      program: launched?.program ?? program,
      args: launched ? [program, ...args] : args,
      environment,
      workingFolder,
      stdin,
      extra: launched?.descriptors ?? [],
      // The main thread applies the tag: if a confined one could, its children could too.
      held: (pid) => void (kernel && applyTag(kernel, pid, tag)),
      reports,
    });
    const { pid } = started;
    let running = true;
    const exited = started.exited.finally(() => {
      running = false;
    });
    const child: Child = {
      ...started,
      exited,
      members: () => [
        ...(running ? [pid] : []),
        ...findMembers({ pid, isTagged }).map((member) => member.pid),
      ],
      destroy: () => destroyGroup({ pid, isTagged }, running),
    };
    return launched ? launched.recording.follow(child) : child;
  } catch (error) {
    launched?.recording.close();
    throw error;
  } finally {
    launched?.close();
  }
}
