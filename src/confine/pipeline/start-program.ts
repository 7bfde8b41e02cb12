import { openSync } from 'node:fs';
import type { ProgramWork, StagePlan, StageWalls } from '../../contract/capabilities/pipeline.ts';
import { createDescriptorSet, type DescriptorSet, type MakePipe } from '../process/output/os-pipe.ts';
import { type Ended, watchChild } from './ends.ts';
import type { ResolvedStage } from './operands.ts';
import { readPort } from './ports.ts';
import type { FoundProgram } from './programs.ts';
import { readStatus, stageArguments } from './stage-shell.ts';

/** A stage under way. */
export interface Running {
  readonly plan: StagePlan;
  readonly kill: () => Promise<void>;
  readonly ended: Promise<Ended>;
}

export interface ProgramStart {
  readonly work: ProgramWork;
  readonly program: FoundProgram;
  readonly stage: ResolvedStage;
  /** Descriptors of the pipes on both sides. They are the caller's to close when all have started. */
  readonly input: number;
  readonly output: number;
  readonly walls: StageWalls;
  readonly readable: readonly string[];
  readonly temporaryFolder: string;
  readonly descriptors: DescriptorSet;
  readonly makePipe: MakePipe;
  readonly now: () => number;
  /** What starting a process writes by itself; absent where its count cannot be read. */
  readonly startingBytes: number | undefined;
}

/** Starts a stage that is a program. */
export async function startProgram(plan: StagePlan, start: ProgramStart): Promise<Running> {
  const { work, program, stage, walls, descriptors, now } = start;
  const errors = start.makePipe();
  const status = start.makePipe();
  const go = start.makePipe();
  for (const pipe of [errors, status, go]) {
    descriptors.hold(pipe.read);
    descriptors.hold(pipe.write);
  }
  const startedAt = now();
  // Some refuse files and commands by themselves; not where a file was handed over to be read.
  const own = program.ownSandbox && work.reads.length === 0 ? ['--sandbox'] : [];
  const child = await walls.spawn({
    program: '/bin/sh',
    args: stageArguments(program.path, [...own, ...stage.args]),
    environment: keepsFiles.has(work.program)
      ? { ...stageEnvironment, TMPDIR: start.temporaryFolder }
      : stageEnvironment,
    workingFolder: stage.workingFolder,
    descriptors: [start.input, start.output, errors.write, status.write, go.read, ...stage.open],
    readable: start.readable,
    writable: [start.temporaryFolder],
  });
  for (const fd of [errors.write, status.write, go.read, ...stage.open]) descriptors.close(fd);
  const told = readStatus(readPort(descriptors.giveAway(status.read)), child.pid, start.startingBytes);
  return {
    plan,
    kill: () => child.kill(),
    ended: watchChild(child, {
      notes: stage.notes,
      errors: readPort(descriptors.giveAway(errors.read)),
      status: told.finally(() => descriptors.close(go.write)),
      startedAt,
      now,
    }),
  };
}

/** Starts nothing but `true`, to see what starting alone writes: walls differ in it. */
export async function measureStart(
  walls: StageWalls,
  { makePipe, readable, temporaryFolder }: Pick<ProgramStart, 'makePipe' | 'readable' | 'temporaryFolder'>,
): Promise<number | undefined> {
  // The child that bubblewrap gives us is bubblewrap; its shell can see its own count instead.
  if (walls.sandbox === 'bubblewrap') return undefined;
  const descriptors = createDescriptorSet();
  try {
    const none = descriptors.hold(openSync('/dev/null', 'r+'));
    const [status, go] = [makePipe(), makePipe()];
    for (const pipe of [status, go]) {
      descriptors.hold(pipe.read);
      descriptors.hold(pipe.write);
    }
    const child = await walls.spawn({
      program: '/bin/sh',
      args: stageArguments('/usr/bin/true', []),
      environment: stageEnvironment,
      workingFolder: '/',
      descriptors: [none, none, none, status.write, go.read],
      readable,
      writable: [temporaryFolder],
    });
    for (const fd of [status.write, go.read]) descriptors.close(fd);
    const told = await readStatus(readPort(descriptors.giveAway(status.read)), child.pid, 0);
    descriptors.close(go.write);
    await child.ended;
    return told?.writtenBytes;
  } finally {
    descriptors.closeAll();
  }
}

/** Those that put what does not fit into memory beside it; others need not know where that is. */
const keepsFiles = new Set<string>(['sort', 'tac']);

/** All that a stage sees of the world's settings. */
const stageEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };
