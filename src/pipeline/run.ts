import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createDescriptorSet, type DescriptorSet, type MakePipe } from '../command/output/os-pipe.ts';
import type { Folder } from '../contract/capabilities/files.ts';
import type {
  BuiltinWork,
  PipelineRequest,
  PipelineResult,
  StagePlan,
  StageWalls,
  WriteRecord,
} from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import type { Builtin } from './builtin.ts';
import { type Ended, hasFailed, reportOf, stageFailed, timeoutOf } from './ends.ts';
import { resolveStage } from './operands.ts';
import type { OutputShelf } from './output.ts';
import { readPort, writePort } from './ports.ts';
import type { Shelf } from './programs.ts';
import { type measureStart, type Running, startProgram } from './start-program.ts';

export interface RunnerOptions {
  readonly folder: Folder;
  readonly shelf: Shelf;
  readonly makePipe: () => MakePipe;
  readonly stages: () => Promise<StageWalls>;
  /** Measured once per kind of sandbox. */
  readonly startingBytes: typeof measureStart;
  /** Contains, for each pipeline, the names by which operands were passed. */
  readonly nameFolder: string;
  /** The folder for sort's temporary files; the only one that a stage writes. */
  readonly temporaryFolder: string;
  readonly outputs: OutputShelf;
  readonly now: () => number;
  /** Runs a stage that is done in this process. */
  readonly builtin: (
    work: BuiltinWork,
    request: PipelineRequest,
    wrote: (record: WriteRecord) => void,
  ) => Builtin;
}

/** Runs the stages in parallel, joined by pipes; resolves when the last process has ended. */
export async function runPipeline(request: PipelineRequest, options: RunnerOptions): Promise<PipelineResult> {
  if (request.signal.aborted) throw cancelled('pipeline');
  const walls = await options.stages();
  const programs = await Promise.all(
    request.stages.map(({ work }) =>
      work.kind === 'program' ? options.shelf.find(work.program) : undefined,
    ),
  );
  const makePipe = options.makePipe();
  // The same sandbox for every stage and pipeline: each configuration costs a thread.
  const ripgrep = await options.shelf.find('rg').catch(() => undefined);
  const descriptors = createDescriptorSet();
  const names = join(options.nameFolder, randomUUID());
  const stop = new AbortController();
  const programsUnderWay: Running[] = [];
  const running: Running[] = [];
  let tee: WriteRecord | undefined;
  let timedOut = false;
  let failure: unknown;

  const stopAll = (): void => {
    stop.abort();
    for (const stage of [...programsUnderWay, ...running]) void stage.kill();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stopAll();
  }, request.timeoutMs);
  request.signal.addEventListener('abort', stopAll, { once: true });
  // It may have been cancelled while the sandbox opened.
  if (request.signal.aborted) stopAll();

  try {
    if (stop.signal.aborted) throw cancelled('pipeline');
    // Opens and checks everything before anything starts, so that a refusal leaves nothing half done.
    const resolved = request.stages.map(({ work }, index) =>
      work.kind === 'program'
        ? resolveStage(work, {
            folder: options.folder,
            cwd: request.folder.path,
            nameFolder: join(names, String(index)),
            descriptors,
          })
        : undefined,
    );
    for (const folder of [options.nameFolder, options.temporaryFolder])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    const none = descriptors.hold(openSync('/dev/null', 'r'));
    const pipes = request.stages.map(() => holdPipe(makePipe(), descriptors));

    const inputOf = (index: number): number => (index === 0 ? none : (pipes[index - 1]?.read ?? none));
    const outputOf = (index: number): number => pipes[index]?.write ?? none;
    const readable = [
      ...options.folder.roots.map((root) => root.hostPath),
      options.nameFolder,
      ...(ripgrep ? [ripgrep.path] : []),
    ];

    const startingBytes = await options.startingBytes(walls, {
      makePipe,
      readable,
      temporaryFolder: options.temporaryFolder,
    });

    // In parallel, because each start waits for the sandbox.
    const starts = await Promise.allSettled(
      request.stages.map(async (plan, index) => {
        const [stage, program] = [resolved[index], programs[index]];
        if (plan.work.kind !== 'program' || !stage || !program) return undefined;
        const started = await startProgram(plan, {
          work: plan.work,
          program,
          stage,
          walls,
          readable,
          startingBytes,
          descriptors,
          makePipe,
          input: inputOf(index),
          output: outputOf(index),
          temporaryFolder: options.temporaryFolder,
          now: options.now,
        });
        programsUnderWay.push(started);
        return started;
      }),
    );
    const notStarted = starts.find((start) => start.status === 'rejected');
    if (notStarted) throw notStarted.reason;
    if (stop.signal.aborted) throw new Error('stopped while it started');

    for (const [index, plan] of request.stages.entries()) {
      const start = starts[index];
      const program = start?.status === 'fulfilled' ? start.value : undefined;
      const input = inputOf(index);
      if (program) {
        running.push(program);
        if (index > 0) descriptors.close(input);
        descriptors.close(outputOf(index));
      } else if (plan.work.kind !== 'program') {
        const builtin = options.builtin(plan.work, request, (record) => {
          tee = record;
        });
        running.push(
          startBuiltin(plan, builtin, {
            input: index === 0 ? undefined : readPort(descriptors.giveAway(input)),
            output: writePort(descriptors.giveAway(outputOf(index))),
            earlier: running.slice(),
            signal: stop.signal,
            now: options.now,
            failed: (error) => {
              failure ??= error;
              stopAll();
            },
          }),
        );
      }
    }
    const last = pipes.at(-1);
    const collected = await options.outputs.collect(
      readPort(descriptors.giveAway(last?.read ?? -1)),
      request.shownBytes,
    );
    // Enough output: the remaining stages would only write more.
    if (collected.stopped) stopAll();
    const ends = await Promise.all(running.map((stage) => stage.ended));

    if (failure !== undefined && (!collected.stopped || failure instanceof ToolError)) throw failure;
    if (timedOut) throw timeoutOf(request, ends);
    if (request.signal.aborted) throw cancelled('pipeline');
    const steps = running.map(({ plan }, index) =>
      reportOf(
        plan,
        withoutSpill(plan, ends[index] as Ended, ends[index - 1]),
        index === running.length - 1 ? collected : undefined,
      ),
    );
    const at = collected.stopped
      ? -1
      : running.findIndex(({ plan }, index) => hasFailed(plan, ends[index] as Ended));
    const failed = running[at];
    if (failed) throw stageFailed(failed.plan, ends[at] as Ended, at, steps, collected.text);
    return {
      stdout: collected.text,
      truncated: collected.truncated,
      ...(collected.nextCursor === undefined ? {} : { nextCursor: collected.nextCursor }),
      steps,
      ...(tee === undefined ? {} : { tee }),
      sandbox: walls.sandbox,
    };
  } catch (error) {
    stopAll();
    const ends = await Promise.allSettled([...programsUnderWay, ...running].map((stage) => stage.ended));
    if (request.signal.aborted) throw cancelled('pipeline');
    if (timedOut)
      throw timeoutOf(
        request,
        ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])),
      );
    throw error;
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', stopAll);
    descriptors.closeAll();
    rmSync(names, { recursive: true, force: true });
  }
}

/** sort's temporary files are counted as its output; cap the count at the size of its input. */
function withoutSpill({ work }: StagePlan, end: Ended, before: Ended | undefined): Ended {
  const isSort = work.kind === 'program' && work.program === 'sort';
  const fromPipe = isSort && work.args.every((arg) => typeof arg === 'string');
  if (!fromPipe || end.outputBytes === undefined || before?.outputBytes === undefined) return end;
  return { ...end, outputBytes: Math.min(end.outputBytes, before.outputBytes + 1) };
}

function holdPipe({ read, write }: ReturnType<MakePipe>, descriptors: DescriptorSet) {
  return { read: descriptors.hold(read), write: descriptors.hold(write) };
}

interface BuiltinStart {
  readonly input: AsyncIterable<Buffer> | undefined;
  readonly output: ReturnType<typeof writePort>;
  readonly earlier: readonly Running[];
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly failed: (error: unknown) => void;
}

function startBuiltin(plan: StagePlan, builtin: Builtin, start: BuiltinStart): Running {
  const startedAt = start.now();
  const work = async (): Promise<Ended> => {
    try {
      const end = await builtin({
        input: start.input,
        write: start.output.write,
        signal: start.signal,
        async earlierEnded() {
          const ends = await Promise.all(start.earlier.map((stage) => stage.ended));
          return (
            !start.signal.aborted &&
            !start.earlier.some(({ plan: other }, index) => hasFailed(other, ends[index] as Ended))
          );
        },
      });
      return {
        exitCode: end.exitCode,
        stderr: end.stderr ?? '',
        outputBytes: start.output.bytes(),
        durationMs: Math.round(start.now() - startedAt),
      };
    } catch (error) {
      start.failed(error);
      return {
        exitCode: 1,
        stderr: '',
        outputBytes: start.output.bytes(),
        durationMs: Math.round(start.now() - startedAt),
      };
    } finally {
      await start.output.end();
    }
  };
  return { plan, kill: async () => start.output.cut(), ended: work() };
}
