import type { CommandLine } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { type BackgroundOptions, type RunningCommand, watchBackground } from '../background.ts';
import type { Child } from '../child/child.ts';
import { commandText } from '../child/command-text.ts';
import { keptOutput } from '../output/kept-output.ts';
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
    text(
      `${backgroundsAtOnce} background commands are running.`,
      `${backgroundsAtOnce} 件のバックグラウンドコマンドが実行中です。`,
    ),
    {
      suggestion: text('End one of them first.', '先にどれかを終了してください。'),
      details: { retry_after_ms: 1000 },
    },
  );
}

export function addBackground(
  session: Session,
  child: Child,
  given: Omit<BackgroundOptions, 'id' | 'command' | 'keepBytes'> & { readonly command: CommandLine },
): RunningCommand {
  const background = watchBackground(child, {
    ...given,
    id: nextId(session),
    command: commandText(given.command),
    keepBytes: limits.streamBytes,
  });
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
  const id = nextId(session);
  const startedAtMs = Date.now();
  session.backgrounds.set(
    id,
    keptOutput({ id, command: commandText(command), startedAtMs, output, exitCode }),
  );
  return id;
}

function nextId(session: Session): string {
  session.started++;
  return `p${session.started}`;
}
