import type { BackgroundCommand, CommandLine, Commands } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** The act that a call requests of a command that outlasted its own call. */
export interface Following {
  readonly act: 'wait' | 'kill' | 'interrupt';
  readonly id: string;
  readonly cursor: number;
}

/** `wait p3`, `wait p3 512`, `kill p3`, `kill -INT p3`: a shell's words, without another meaning in a sandbox. */
export function followingOf(line: CommandLine): Following | undefined {
  if (line.kind !== 'program') return undefined;
  const { program, args } = line;
  if (program === 'kill' && args.length === 2 && /^-(SIG)?INT$/.test(args[0] ?? '')) {
    const following = followingOf({ ...line, args: args.slice(1) });
    return following && { ...following, act: 'interrupt' };
  }
  const [id, cursor = '0', ...rest] = args;
  if (id === undefined || !/^p\d+$/.test(id) || !/^\d{1,15}$/.test(cursor) || rest.length > 0)
    return undefined;
  if (program === 'wait') return { act: 'wait', id, cursor: Number(cursor) };
  return program === 'kill' && args.length === 1 ? { act: 'kill', id, cursor: 0 } : undefined;
}

/** Waits for the command or ends it, and returns its state. */
export async function follow(
  { act, id, cursor }: Following,
  commands: Commands,
  { patienceMs, signal, replyBytes }: FollowContext,
) {
  const command = commands.background(id);
  if (!command)
    throw new ToolError(
      'not_found',
      `There is no running command ${id}.`,
      `${id} のコマンドはありません。`,
      text(
        'It ended with its session, or was never started; run it again.',
        'セッションとともに終了したか、開始されていません。もう一度実行してください。',
      ),
    );
  const { nextCursor } = command.read(Number.MAX_SAFE_INTEGER);
  if (act === 'interrupt') command.interrupt();
  if (act === 'kill') await command.kill();
  else await command.wait(act === 'wait' ? patienceMs : 1000, signal);
  return stateOf(command, act === 'wait' ? cursor : nextCursor, replyBytes);
}

interface FollowContext {
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  readonly replyBytes: number;
}

/** Both streams in the order of arrival, from the cursor on. */
export function stateOf(command: BackgroundCommand, cursor: number, maxBytes: number) {
  const { running, exitCode, signal, timedOut = false } = command.status();
  const { text: stdout, nextCursor, droppedBytes, more } = command.read(cursor, maxBytes);
  return {
    stdout,
    stderr: '',
    exitCode: running ? runningCode : (exitCode ?? 0),
    timed_out: timedOut,
    ...(signal !== undefined && { signal }),
    truncated: droppedBytes > 0,
    duration_ms: Date.now() - command.startedAtMs,
    ...((running || more) && { process_id: command.id, next_cursor: nextCursor }),
  };
}

/** Document 000 requires a number in every reply, and no program ends with this one. */
const runningCode = -1;
