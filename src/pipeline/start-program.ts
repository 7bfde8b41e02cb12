import { openSync } from 'node:fs';
import { openMemoryProgram } from '../command/child/memory-program.ts';
import { createDescriptorSet, type DescriptorSet, type MakePipe } from '../command/output/os-pipe.ts';
import { openKernel } from '../command/seccomp/kernel.ts';
import { compileReaderFilter } from '../command/seccomp/seccomp.ts';
import type { ProgramWork, StagePlan, StageWalls } from '../contract/capabilities/pipeline.ts';
import { createConstants } from '../ground/machine/elf.ts';
import { compileProgram } from '../ground/machine/static-program.ts';
import { defer } from '../ground/waiting/defer.ts';
import { watchChild } from './ends.ts';
import type { ResolvedStage } from './operands.ts';
import { readPort } from './ports.ts';
import type { FoundProgram } from './programs.ts';
import { firstOpenDescriptor, readStatus, stageArguments } from './stage-shell.ts';

export type Running = Awaited<ReturnType<typeof startProgram>>;

export interface ProgramStart {
  readonly work: ProgramWork;
  readonly program: FoundProgram;
  readonly stage: ResolvedStage;
  /** Descriptors of the pipes on both sides. The caller closes them when all have started. */
  readonly input: number;
  readonly output: number;
  readonly walls: StageWalls;
  readonly readable: readonly string[];
  readonly temporaryFolder: string;
  readonly descriptors: DescriptorSet;
  readonly makePipe: MakePipe;
  readonly now: () => number;
  /** The bytes that starting a process writes by itself; undefined if its count is unreadable. */
  readonly startingBytes: number | undefined;
}

export async function startProgram(plan: StagePlan, start: ProgramStart) {
  const { work, program, stage, walls, descriptors, now } = start;
  const errors = start.makePipe();
  const status = start.makePipe();
  const go = start.makePipe();
  for (const pipe of [errors, status, go]) {
    descriptors.hold(pipe.read);
    descriptors.hold(pipe.write);
  }
  const startedAt = now();
  const reader = readers.has(work.program)
    ? descriptors.hold(await openReaderProgram(program.path))
    : undefined;
  const open = [...stage.open, ...(reader === undefined ? [] : [reader])];
  const name = `/proc/self/fd/${firstOpenDescriptor + stage.open.length}`;
  const child = await walls.spawn({
    program: '/bin/sh',
    args:
      reader === undefined
        ? stageArguments(program.path, stage.args)
        : stageArguments(name, [program.path, ...stage.args]),
    environment: keepsFiles.has(work.program)
      ? { ...stageEnvironment, TMPDIR: start.temporaryFolder }
      : stageEnvironment,
    workingFolder: stage.workingFolder,
    descriptors: [start.input, start.output, errors.write, status.write, go.read, ...open],
    readable: start.readable,
    writable: [start.temporaryFolder],
  });
  for (const fd of [errors.write, status.write, go.read, ...open]) descriptors.close(fd);
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

/** Starts only `true`, to measure what starting alone writes, which differs between sandboxes. */
export async function measureStart(
  walls: StageWalls,
  { makePipe, readable, temporaryFolder }: Pick<ProgramStart, 'makePipe' | 'readable' | 'temporaryFolder'>,
): Promise<number | undefined> {
  // With bubblewrap, our child is bubblewrap itself; its shell can see its own count instead.
  if (walls.sandbox === 'bubblewrap') return undefined;
  const descriptors = createDescriptorSet();
  using _ = defer(() => descriptors.closeAll());
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
}

/** Programs whose arguments are programs that could write files and start others. */
const readers = new Set<string>(['awk', 'sed']);

/** Programs with temporary files; others need not know the folder. */
const keepsFiles = new Set<string>(['sort', 'tac']);

/** The whole environment of a stage. */
const stageEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };

/**
 * Opens a program that loads a filter and becomes `next`, which can then read, compute and print, but start no other
 * program, write no file and open no socket, whatever its own text says. Its arguments begin with `next`'s own name.
 * Throws if the machine has no such filter.
 */
export async function openReaderProgram(next: string): Promise<number> {
  const filter = compileReaderFilter();
  const { put, putText, bytes } = createConstants();
  putText(next);
  // struct sock_fprog
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(BigInt(put(filter)), 8);
  const loaded = put(program);
  const steps = [
    { call: 'prctl', args: [noNewPrivileges, 1, 0, 0, 0] },
    { call: 'seccomp', args: [setFilter, 0, loaded] },
  ] as const;
  return openMemoryProgram(await openKernel(), compileProgram(steps, bytes()));
}

const noNewPrivileges = 38;
const setFilter = 1;
