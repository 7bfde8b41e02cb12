import type { Buffer } from 'node:buffer';
import { mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../../contract/clean-text.ts';
import { ToolError } from '../../contract/error.ts';
import type { Folder } from '../../contract/files.ts';
import type {
  BuiltinWork,
  PipelineOrder,
  PipelineResult,
  StagePlan,
  StageSpawn,
  StepReport,
  WriteRecord,
} from '../../contract/pipeline.ts';
import type { ConfinedChild, SandboxName } from '../../contract/process.ts';
import { text } from '../../contract/text.ts';
import type { Builtin } from './builtin.ts';
import { resolveStage } from './operands.ts';
import type { OutputShelf } from './output.ts';
import { createDescriptorSet, type DescriptorSet, type MakePipe } from './pipe.ts';
import { readPort, writePort } from './ports.ts';
import type { Shelf } from './programs.ts';
import { writtenBytes } from './written-bytes.ts';

export interface RunnerOptions {
  readonly folder: Folder;
  readonly shelf: Shelf;
  readonly makePipe: () => MakePipe;
  readonly spawn: () => Promise<{ readonly spawn: StageSpawn; readonly sandbox: SandboxName }>;
  readonly scratchFolder: () => string;
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

interface Ended {
  readonly exitCode: number;
  readonly signal?: string | undefined;
  readonly stderr: string;
  readonly outputBytes?: number | undefined;
  readonly durationMs: number;
}

/** Runs the stages side by side, joined by the system's pipes; resolves when the last process has ended. */
export async function runPipeline(order: PipelineOrder, options: RunnerOptions): Promise<PipelineResult> {
  order.signal.throwIfAborted();
  const { spawn, sandbox } = await options.spawn();
  const programs = await Promise.all(
    order.stages.map(({ work }) => (work.kind === 'program' ? options.shelf.find(work.program) : undefined)),
  );
  const makePipe = options.makePipe();
  const descriptors = createDescriptorSet();
  const scratch = options.scratchFolder();
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
            nameFolder: join(scratch, String(index)),
            descriptors,
          })
        : undefined,
    );
    mkdirSync(join(scratch, 'tmp'), { recursive: true, mode: 0o700 });
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
        const child = await spawn({
          program: program.path,
          args: [...(sandboxed ? ['--sandbox'] : []), ...stage.args],
          environment: { ...stageEnvironment, TMPDIR: join(scratch, 'tmp') },
          workingFolder: stage.workingFolder,
          descriptors: [input, output, errors.write, ...stage.open],
          readable: [...options.folder.roots.map((root) => root.hostPath), scratch],
          writable: [join(scratch, 'tmp')],
        });
        descriptors.close(errors.write);
        running.push({
          plan,
          kill: () => child.kill(),
          ended: watch(child, readPort(descriptors.giveAway(errors.read)), startedAt, options.now),
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
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** All that a stage sees of the world's settings. */
const stageEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' };

const stderrBytes = 4096;

function holdPipe({ read, write }: ReturnType<MakePipe>, descriptors: DescriptorSet) {
  return { read: descriptors.hold(read), write: descriptors.hold(write) };
}

async function watch(
  child: ConfinedChild,
  errors: AsyncIterable<Buffer>,
  startedAt: number,
  now: () => number,
): Promise<Ended> {
  let stderr = '';
  let bytes = 0;
  for await (const chunk of errors) {
    if (bytes < stderrBytes) stderr += chunk.toString('utf8', 0, stderrBytes - bytes);
    bytes += chunk.length;
  }
  // Its last descriptor is closed and it is not yet collected: the kernel still knows what it wrote.
  const outputBytes = writtenBytes(child.pid, bytes);
  const { code, signal } = await child.ended;
  return {
    exitCode: code ?? 128 + (signalNumbers[signal ?? ''] ?? 9),
    ...(signal === null ? {} : { signal }),
    stderr: cleanText(stderr),
    ...(outputBytes === undefined ? {} : { outputBytes }),
    durationMs: Math.round(now() - startedAt),
  };
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGPIPE: 13,
  SIGTERM: 15,
  SIGKILL: 9,
  SIGXCPU: 24,
  SIGSEGV: 11,
};

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

function hasFailed({ work }: StagePlan, end: Ended): boolean {
  // A stage whose reader has enough is ended by the pipe.
  if (end.exitCode === 141 || end.signal === 'SIGPIPE') return false;
  if (work.kind === 'program') return !work.answers.includes(end.exitCode);
  return end.exitCode !== 0 && work.kind !== 'outline-check';
}

function reportOf(
  plan: StagePlan,
  end: Ended,
  last: { readonly bytes: number; readonly truncated: boolean } | undefined,
): StepReport {
  const outputBytes = last ? last.bytes : end.outputBytes;
  return {
    command: plan.shown,
    ...(outputBytes === undefined ? {} : { outputBytes }),
    truncated: last?.truncated ?? false,
    durationMs: end.durationMs,
    exitCode: end.exitCode,
    ...(end.stderr === '' ? {} : { stderr: end.stderr }),
  };
}

function stageFailed(
  plan: StagePlan,
  end: Ended,
  at: number,
  steps: readonly StepReport[],
  stdout: string,
): ToolError {
  const excerpt = end.stderr.trim().split('\n').slice(0, 5).join('\n');
  const detail = `Stage ${at + 1} (${plan.shown}) ended with ${end.exitCode}${excerpt === '' ? '.' : `: ${excerpt}`}`;
  return new ToolError(
    'STAGE_FAILED',
    text(detail, `${at + 1} 段目 (${plan.shown}) が終了コード ${end.exitCode} で失敗しました。${excerpt}`),
    {
      suggestion: text('Mend this stage and send the pipeline again.', 'この段を直して送り直してください。'),
      wire: {
        code: 'STAGE_FAILED',
        reason: 'STAGE_FAILED',
        detail,
        suggestion: 'Mend this stage and send the pipeline again.',
        stage: at + 1,
        command: plan.shown,
        exit_code: end.exitCode,
        stderr: end.stderr,
        ...(stdout === '' ? {} : { stdout: stdout.slice(0, 4000) }),
        steps: steps.length,
      },
    },
  );
}

function timeoutOf(order: PipelineOrder, ends: readonly Ended[]): ToolError {
  const seconds = order.timeoutMs / 1000;
  const at = Math.max(
    0,
    ends.findIndex((end) => end.signal !== undefined && end.signal !== 'SIGPIPE'),
  );
  const detail = `The pipeline took longer than ${seconds} s and was stopped.`;
  const suggestion = 'Narrow the input (a folder, a glob, head) or raise timeout_ms, up to 120000.';
  return new ToolError('TIMEOUT', text(detail, `パイプラインが ${seconds} 秒を超えたため停止しました。`), {
    suggestion: text(
      suggestion,
      '入力を絞る (フォルダー、ワイルドカード、head) か、timeout_ms を最大 120000 まで上げてください。',
    ),
    wire: { code: 'TIMEOUT', reason: 'TIMEOUT', detail, suggestion, stage: at + 1 },
  });
}

function cancelled(): ToolError {
  return new ToolError('cancelled', text('The pipeline was cancelled.', 'パイプラインは取り消されました。'));
}
