import type { CommandLine } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { type Going, RunningCommand } from '../background.ts';
import { commandText } from '../commands-options.ts';
import type { Session } from './session.ts';

const backgroundsAtOnce = 16;

/** Can the session run one more? Forgets the oldest ended one. */
export function hasRoom({ backgrounds }: Session): boolean {
  if (backgrounds.size < backgroundsAtOnce) return true;
  const ended = [...backgrounds.values()].find((command) => !command.status().running);
  return ended !== undefined && backgrounds.delete(ended.id);
}

/** Refuses if all of them still run. */
export function assertRoom(session: Session): void {
  if (hasRoom(session)) return;
  throw new ToolError(
    'rate_limited',
    `${backgroundsAtOnce} background commands are running.`,
    `${backgroundsAtOnce} 件のバックグラウンドコマンドが実行中です。`,
    text('End one of them first.', '先にどれかを終了してください。'),
    { retry_after_ms: 1000 },
  );
}

export function addBackground(
  session: Session,
  command: CommandLine,
  startedAtMs: number,
  going: Going,
): RunningCommand {
  const identity = { id: nextId(session), command: commandText(command), startedAtMs };
  const background = new RunningCommand(identity, limits.streamBytes, going);
  session.backgrounds.set(background.id, background);
  return background;
}

/** Keeps a command's output for later reads; undefined if there is no room. */
export function keepOutput(
  session: Session,
  command: CommandLine,
  output: string,
  exitCode: number,
): string | undefined {
  if (!hasRoom(session)) return undefined;
  const identity = { id: nextId(session), command: commandText(command), startedAtMs: Date.now() };
  session.backgrounds.set(identity.id, RunningCommand.keep(identity, output, exitCode));
  return identity.id;
}

function nextId(session: Session): string {
  session.started++;
  return `p${session.started}`;
}
