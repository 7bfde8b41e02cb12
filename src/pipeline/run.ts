import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createDescriptorSet, type MakePipe } from '../command/output/os-pipe.ts';
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
import { type Ended, hasFailed, reportOf, stageFailed, timeoutOf } from './ends.ts';
import { resolveStage } from './operands.ts';
import type { OutputShelf } from './output.ts';
import { type Builtin, type BuiltinEnd, readPort, writePort } from './ports.ts';
import type { Shelf } from './programs.ts';
import { type measureStart, type Running, startProgram } from './start-program.ts';

export interface RunnerOptions {
  readonly folder: Folder;
  readonly shelf: Shelf;
  readonly makePipe: () => Promise<MakePipe>;
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
  return new PipelineRun(request, options, await options.stages()).result();
}

/** One run; owns what it has opened and started. */
class PipelineRun {
  readonly #request: PipelineRequest;
  readonly #options: RunnerOptions;
  readonly #walls: StageWalls;
  readonly #descriptors = createDescriptorSet();
  readonly #names: string;
  readonly #stop = new AbortController();
  /** All that was started so far, to be stopped. */
  readonly #started = new Set<Running>();
  #timedOut = false;
  #failure: unknown;
  #tee: WriteRecord | undefined;

  constructor(request: PipelineRequest, options: RunnerOptions, walls: StageWalls) {
    this.#request = request;
    this.#options = options;
    this.#walls = walls;
    this.#names = join(options.nameFolder, randomUUID());
  }

  async result(): Promise<PipelineResult> {
    const { signal, timeoutMs } = this.#request;
    const stopAll = () => this.#stopAll();
    const timer = setTimeout(() => {
      this.#timedOut = true;
      stopAll();
    }, timeoutMs);
    signal.addEventListener('abort', stopAll, { once: true });
    try {
      // It may have been cancelled while the sandbox opened.
      if (signal.aborted) throw cancelled('pipeline');
      const running = await this.#start();
      return await this.#collect(running);
    } catch (error) {
      stopAll();
      const ends = await Promise.allSettled([...this.#started].map((stage) => stage.ended));
      if (signal.aborted) throw cancelled('pipeline');
      if (!this.#timedOut) throw error;
      throw timeoutOf(
        this.#request,
        ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])),
      );
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopAll);
      this.#descriptors.closeAll();
      rmSync(this.#names, { recursive: true, force: true });
    }
  }

  #stopAll(): void {
    this.#stop.abort();
    for (const stage of this.#started) void stage.kill();
  }

  /** Opens and checks everything before anything starts, so that a refusal leaves nothing half done. */
  async #start() {
    const { folder, shelf, nameFolder, temporaryFolder, now } = this.#options;
    const { stages, folder: from } = this.#request;
    const descriptors = this.#descriptors;
    const found = await Promise.all(
      stages.map(({ work }) => (work.kind === 'program' ? shelf.find(work.program) : undefined)),
    );
    const makePipe = await this.#options.makePipe();
    // The same sandbox for every stage and pipeline: each configuration costs a thread.
    const ripgrep = await shelf.find('rg').catch(() => undefined);
    const readable = [
      ...folder.roots.map((root) => root.hostPath),
      nameFolder,
      ...(ripgrep ? [ripgrep.path] : []),
    ];
    const resolved = stages.map(({ work }, index) =>
      work.kind === 'program'
        ? resolveStage(work, {
            folder,
            cwd: from.path,
            nameFolder: join(this.#names, String(index)),
            descriptors,
          })
        : undefined,
    );
    for (const path of [nameFolder, temporaryFolder]) mkdirSync(path, { recursive: true, mode: 0o700 });
    const none = descriptors.hold(openSync('/dev/null', 'r'));
    const pipes = stages.map(() => {
      const { read, write } = makePipe();
      return { read: descriptors.hold(read), write: descriptors.hold(write) };
    });
    const walls = this.#walls;
    const common = { walls, readable, descriptors, makePipe, temporaryFolder, now };
    const startingBytes = await this.#options.startingBytes(walls, common);
    const portsOf = (index: number) => ({
      input: pipes[index - 1]?.read ?? none,
      output: pipes[index]?.write ?? none,
    });
    // In parallel, because each start waits for the sandbox.
    const starts = await Promise.allSettled(
      stages.map(async (plan, index) => {
        const [stage, program] = [resolved[index], found[index]];
        if (plan.work.kind !== 'program' || !stage || !program) return undefined;
        const given = { ...common, ...portsOf(index), work: plan.work, program, stage, startingBytes };
        const started = await startProgram(plan, given);
        this.#started.add(started);
        return started;
      }),
    );
    const notStarted = starts.find((start) => start.status === 'rejected');
    if (notStarted) throw notStarted.reason;
    if (this.#stop.signal.aborted) throw new Error('stopped while it started');

    const running: Running[] = [];
    for (const [index, plan] of stages.entries()) {
      const start = starts[index];
      const program = start?.status === 'fulfilled' ? start.value : undefined;
      const { input, output } = portsOf(index);
      if (program) {
        running.push(program);
        if (index > 0) descriptors.close(input);
        descriptors.close(output);
      } else if (plan.work.kind !== 'program') {
        const port = index === 0 ? undefined : readPort(descriptors.giveAway(input));
        running.push(this.#builtin(plan, plan.work, port, descriptors.giveAway(output), [...running]));
      }
    }
    return { running, output: readPort(descriptors.giveAway(pipes.at(-1)?.read ?? -1)) };
  }

  #builtin(
    plan: StagePlan,
    work: BuiltinWork,
    input: AsyncIterable<Buffer> | undefined,
    output: number,
    earlier: readonly Running[],
  ): Running {
    const builtin = this.#options.builtin(work, this.#request, (record) => {
      this.#tee = record;
    });
    const started = startBuiltin(plan, builtin, {
      input,
      output: writePort(output),
      earlier,
      signal: this.#stop.signal,
      now: this.#options.now,
      failed: (error) => {
        this.#failure ??= error;
        this.#stopAll();
      },
    });
    this.#started.add(started);
    return started;
  }

  async #collect({ running, output }: { running: readonly Running[]; output: AsyncIterable<Buffer> }) {
    const { shownBytes, signal } = this.#request;
    const collected = await this.#options.outputs.collect(output, shownBytes);
    // Enough output: the remaining stages would only write more.
    if (collected.stopped) this.#stopAll();
    const ends = await Promise.all(running.map((stage) => stage.ended));

    const failure = this.#failure;
    if (failure !== undefined && (!collected.stopped || failure instanceof ToolError)) throw failure;
    if (this.#timedOut) throw timeoutOf(this.#request, ends);
    if (signal.aborted) throw cancelled('pipeline');
    const steps = running.map(({ plan }, index) => {
      const end = withoutSpill(plan, ends[index] as Ended, ends[index - 1]);
      return reportOf(plan, end, index === running.length - 1 ? collected : undefined);
    });
    const at = collected.stopped
      ? -1
      : running.findIndex(({ plan }, index) => hasFailed(plan, ends[index] as Ended));
    const failed = running[at];
    if (failed) throw stageFailed(failed.plan, ends[at] as Ended, at, steps, collected.text);
    return {
      stdout: collected.text,
      truncated: collected.truncated,
      nextCursor: collected.nextCursor,
      steps,
      tee: this.#tee,
      sandbox: this.#walls.sandbox,
    };
  }
}

/** sort's temporary files are counted as its output; cap the count at the size of its input. */
function withoutSpill({ work }: StagePlan, end: Ended, before: Ended | undefined): Ended {
  const isSort = work.kind === 'program' && work.program === 'sort';
  const fromPipe = isSort && work.args.every((arg) => typeof arg === 'string');
  if (!fromPipe || end.outputBytes === undefined || before?.outputBytes === undefined) return end;
  return { ...end, outputBytes: Math.min(end.outputBytes, before.outputBytes + 1) };
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
  const endOf = ({ exitCode, stderr = '' }: BuiltinEnd): Ended => ({
    exitCode,
    stderr,
    outputBytes: start.output.bytes(),
    durationMs: Math.round(start.now() - startedAt),
  });
  const work = async (): Promise<Ended> => {
    try {
      const end = await builtin({
        input: start.input,
        write: start.output.write,
        signal: start.signal,
        async earlierEnded() {
          const ends = await Promise.all(start.earlier.map((stage) => stage.ended));
          const failed = start.earlier.some(({ plan: other }, at) => hasFailed(other, ends[at] as Ended));
          return !start.signal.aborted && !failed;
        },
      });
      return endOf(end);
    } catch (error) {
      start.failed(error);
      return endOf({ exitCode: 1 });
    } finally {
      await start.output.end();
    }
  };
  return { plan, kill: async () => start.output.cut(), ended: work() };
}
