import {
  type PipelineRequest,
  type StagePlan,
  type StepReport,
  stageError,
} from '../contract/capabilities/pipeline.ts';
import type { ConfinedChild } from '../contract/capabilities/process.ts';
import { ToolError } from '../contract/error.ts';
import { cleanText } from '../contract/text/clean-text.ts';
import { text } from '../contract/text/text.ts';
import type { StageStatus } from './stage-shell.ts';

export interface Ended {
  readonly exitCode: number;
  readonly signal?: string | undefined;
  readonly stderr: string;
  readonly outputBytes?: number | undefined;
  readonly durationMs: number;
}

const stderrBytes = 4096;

export interface Watching {
  /** Lines to put before the program's own errors. */
  readonly notes: readonly string[];
  readonly errors: AsyncIterable<Buffer>;
  /** The status from the program's shell; resolves before the child ends. */
  readonly status: Promise<StageStatus | undefined>;
  readonly startedAt: number;
  readonly now: () => number;
}

/** Collects a program's errors, and its end. */
export async function watchChild(
  child: ConfinedChild,
  { notes, errors, status, startedAt, now }: Watching,
): Promise<Ended> {
  let stderr = '';
  let bytes = 0;
  for await (const chunk of errors) {
    if (bytes < stderrBytes) stderr += chunk.toString('utf8', 0, stderrBytes - bytes);
    bytes += chunk.length;
  }
  const told = await status;
  const { code, signal } = await child.ended;
  return {
    exitCode: told?.exitCode ?? code ?? 128 + (signalNumbers[signal ?? ''] ?? 9),
    ...(signal === undefined || told ? {} : { signal }),
    stderr: cleanText(
      notes
        .map((note) => `${note}\n`)
        .join('')
        .slice(0, stderrBytes) + stderr,
    ),
    ...(told?.writtenBytes === undefined ? {} : { outputBytes: Math.max(0, told.writtenBytes - bytes) }),
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

export function hasFailed({ work }: StagePlan, end: Ended): boolean {
  // A stage whose reader has enough is ended by SIGPIPE.
  if (end.exitCode === 141 || end.signal === 'SIGPIPE') return false;
  if (work.kind === 'program')
    return !work.answers.includes(end.exitCode) && !(work.minor && isMinor(end.stderr, work.minor));
  return end.exitCode !== 0 && work.kind !== 'outline-check';
}

/** Whether every collected line is a minor one. The last may have been cut. */
function isMinor(stderr: string, minor: RegExp): boolean {
  const lines = stderr.split('\n');
  const last = lines.pop() ?? '';
  return (
    lines.length > 0 &&
    lines.every((line) => minor.test(line)) &&
    (last === '' || stderr.length >= stderrBytes / 4)
  );
}

export function reportOf(
  plan: StagePlan,
  end: Ended,
  last: { readonly bytes: number; readonly truncated: boolean } | undefined,
): StepReport {
  const outputBytes = last ? last.bytes : end.outputBytes;
  return {
    command: plan.shown,
    ...(outputBytes === undefined ? {} : { output_size: outputBytes }),
    truncated: last?.truncated ?? false,
    execution_time_ms: end.durationMs,
    exit_code: end.exitCode,
    ...(end.stderr === '' ? {} : { stderr: end.stderr }),
  };
}

export function stageFailed(
  plan: StagePlan,
  end: Ended,
  at: number,
  steps: readonly StepReport[],
  stdout: string,
): ToolError {
  const excerpt = end.stderr.trim().split('\n').slice(0, 5).join('\n');
  const detail = `Stage ${at + 1} (${plan.shown}) ended with ${end.exitCode}${excerpt === '' ? '.' : `: ${excerpt}`}`;
  return stageError(
    text(
      detail,
      `ステージ ${at + 1} (${plan.shown}) が終了コード ${end.exitCode} で失敗しました。${excerpt}`,
    ),
    text(
      'Fix this stage and send the pipeline again.',
      'このステージを修正して、パイプラインを送り直してください。',
    ),
    {
      stage: at + 1,
      command: plan.shown,
      exit_code: end.exitCode,
      stderr: end.stderr,
      ...(stdout === '' ? {} : { stdout: stdout.slice(0, 4000) }),
      steps: steps.length,
    },
  );
}

export function timeoutOf(request: PipelineRequest, ends: readonly Ended[]): ToolError {
  const seconds = request.timeoutMs / 1000;
  const at = Math.max(
    0,
    ends.findIndex((end) => end.signal !== undefined && end.signal !== 'SIGPIPE'),
  );
  const detail = `The pipeline took longer than ${seconds} s and was stopped.`;
  const suggestion = 'Narrow the input (a folder, a glob, head) or raise timeout_ms, up to 120000.';
  return new ToolError('TIMEOUT', detail, `パイプラインが ${seconds} 秒を超えたため停止しました。`, {
    suggestion: text(
      suggestion,
      '入力を絞る (フォルダー、ワイルドカード、head) か、timeout_ms を最大 120000 まで上げてください。',
    ),
    wire: { code: 'TIMEOUT', reason: 'TIMEOUT', detail, suggestion, stage: at + 1 },
  });
}
