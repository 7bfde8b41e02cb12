import type { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Folder } from '../../contract/files.ts';
import type {
  BuiltinWork,
  PipelineOrder,
  PipelineResult,
  StagePlan,
  StageWalls,
  WriteRecord,
} from '../../contract/pipeline.ts';
import type { Builtin } from './builtin.ts';
import { cancelled, type Ended, hasFailed, reportOf, stageFailed, timeoutOf, watchChild } from './ends.ts';
import { resolveStage } from './operands.ts';
import type { OutputShelf } from './output.ts';
import { createDescriptorSet, type DescriptorSet, type MakePipe } from './pipe.ts';
import { readPort, writePort } from './ports.ts';
import type { Shelf } from './programs.ts';
import { readStatus, stageArguments } from './stage-shell.ts';

export interface RunnerOptions {
  readonly folder: Folder;
  readonly shelf: Shelf;
  readonly makePipe: () => MakePipe;
  readonly stages: () => Promise<StageWalls>;
  /** Holds, for each pipeline, the names that its operands were handed over by. */
  readonly nameFolder: string;
  /** Where sort keeps what does not fit into memory; the only folder that a stage writes. */
  readonly temporaryFolder: string;
  readonly outputs: OutputShelf;
  readonly now: () => number;
  /** What the work of a stage that is done here is. */
  readonly builtin: (
    work: BuiltinWork,
    order: PipelineOrder,
    wrote: (record: WriteRecord) => void,
  ) => Builtin;
}

/** A stage under way. */
interface Running {
  readonly plan: StagePlan;
  readonly kill: () => Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Runs the stages side by side, joined by the system's pipes; resolves when the last process has ended. */
export async function runPipeline(order: PipelineOrder, options: RunnerOptions): Promise<PipelineResult> {
  order.signal.throwIfAborted();
  const { spawn, sandbox } = await options.stages();
  const programs = await Promise.all(
    order.stages.map(({ work }) => (work.kind === 'program' ? options.shelf.find(work.program) : undefined)),
  );
  const makePipe = options.makePipe();
  // The same walls for every stage and pipeline: each set costs a thread.
  const ripgrep = await options.shelf.find('rg').catch(() => undefined);
  const descriptors = createDescriptorSet();
  const names = join(options.nameFolder, randomUUID());
  const stop = new AbortController();
  const running: Running[] = [];
  let tee: WriteRecord | undefined;
  let timedOut = false;
  let failure: unknown;

  const stopAll = (): void => {
    stop.abort();
    for (const stage of running) void stage.kill();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stopAll();
  }, order.timeoutMs);
  order.signal.addEventListener('abort', stopAll, { once: true });

  try {
    // Everything is opened and judged before anything starts: a refusal leaves nothing half done.
    const resolved = order.stages.map(({ work }, index) =>
      work.kind === 'program'
        ? resolveStage(work, {
            folder: options.folder,
            cwd: order.folder.path,
            nameFolder: join(names, String(index)),
            descriptors,
          })
        : undefined,
    );
    for (const folder of [options.nameFolder, options.temporaryFolder])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    const none = descriptors.hold(openSync('/dev/null', 'r'));
    const pipes = order.stages.map(() => holdPipe(makePipe(), descriptors));

    for (const [index, plan] of order.stages.entries()) {
      if (stop.signal.aborted) break;
      const input = index === 0 ? none : (pipes[index - 1]?.read ?? none);
      const output = pipes[index]?.write ?? none;
      const { work } = plan;
      if (work.kind === 'program') {
        const stage = resolved[index];
        const program = programs[index];
        if (!stage || !program) continue;
        const errors = holdPipe(makePipe(), descriptors);
        const sandboxed = work.program === 'awk' && program.flavour === 'gawk' && work.reads.length === 0;
        const startedAt = options.now();
        const status = holdPipe(makePipe(), descriptors);
        const go = holdPipe(makePipe(), descriptors);
        const child = await spawn({
          program: '/bin/sh',
          args: stageArguments(program.path, [...(sandboxed ? ['--sandbox'] : []), ...stage.args]),
          environment: { ...stageEnvironment, TMPDIR: options.temporaryFolder },
          workingFolder: stage.workingFolder,
          descriptors: [input, output, errors.write, status.write, go.read, ...stage.open],
          readable: [
            ...options.folder.roots.map((root) => root.hostPath),
            options.nameFolder,
            ...(ripgrep ? [ripgrep.path] : []),
          ],
          writable: [options.temporaryFolder],
        });
        for (const fd of [errors.write, status.write, go.read]) descriptors.close(fd);
        running.push({
          plan,
          kill: () => child.kill(),
          ended: watchChild(child, {
            errors: readPort(descriptors.giveAway(errors.read)),
            status: readStatus(
              readPort(descriptors.giveAway(status.read)),
              child.pid,
              sandbox !== 'bubblewrap',
            ).finally(() => descriptors.close(go.write)),
            startedAt,
            now: options.now,
          }),
        });
        for (const fd of stage.open) descriptors.close(fd);
        if (input !== none) descriptors.close(input);
        descriptors.close(output);
      } else {
        const earlier = running.slice();
        const builtin = options.builtin(work, order, (record) => {
          tee = record;
        });
        running.push(
          startBuiltin(plan, builtin, {
            input: input === none ? undefined : readPort(descriptors.giveAway(input)),
            output: writePort(descriptors.giveAway(output)),
            earlier,
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
    const collected = await options.outputs.collect(readPort(descriptors.giveAway(last?.read ?? -1)));
    if (collected.stopped) stop.abort();
    const ends = await Promise.all(running.map((stage) => stage.ended));

    if (failure !== undefined) throw failure;
    if (timedOut) throw timeoutOf(order, ends);
    order.signal.throwIfAborted();
    const steps = running.map(({ plan }, index) =>
      reportOf(plan, ends[index] as Ended, index === running.length - 1 ? collected : undefined),
    );
    const at = running.findIndex(({ plan }, index) => hasFailed(plan, ends[index] as Ended));
    const failed = running[at];
    if (failed) throw stageFailed(failed.plan, ends[at] as Ended, at, steps, collected.text);
    return {
      stdout: collected.text,
      truncated: collected.truncated,
      ...(collected.nextCursor === undefined ? {} : { nextCursor: collected.nextCursor }),
      steps,
      ...(tee === undefined ? {} : { tee }),
      sandbox,
    };
  } catch (error) {
    stopAll();
    await Promise.allSettled(running.map((stage) => stage.ended));
    if (order.signal.aborted) throw cancelled();
    throw error;
  } finally {
    clearTimeout(timer);
    order.signal.removeEventListener('abort', stopAll);
    descriptors.closeAll();
    rmSync(names, { recursive: true, force: true });
  }
}

/** All that a stage sees of the world's settings. */
const stageEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };

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
