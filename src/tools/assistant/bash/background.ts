import * as z from 'zod';
import type { BackgroundCommand, Commands } from '../../../contract/capabilities/process.ts';
import { ToolError } from '../../../contract/error.ts';
import { cleanLine } from '../../../contract/text/clean-text.ts';
import { text } from '../../../contract/text/text.ts';

/** Shared by the tools for background commands. */
export const processIdInput = z.string().min(1).max(100);

/** The caller's own background command. Another session's is not found. */
export function backgroundOf(commands: Commands, id: string): BackgroundCommand {
  const found = commands.background(id);
  if (found) return found;
  throw new ToolError(
    'not_found',
    text(
      `No background command ${cleanLine(id)}.`,
      `バックグラウンドのコマンド ${cleanLine(id)} はありません。`,
    ),
    { suggestion: text('bash_list lists them.', 'bash_list で一覧を確認できます。') },
  );
}

/** The command's state for a reply. */
export function stateOf(command: BackgroundCommand) {
  const { running, exitCode, signal, timedOut } = command.status();
  return {
    running,
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(signal !== undefined && { signal }),
    ...(timedOut && { timed_out: true }),
  };
}

/** The hosts that it reached or tried to reach so far, for the record. */
export function networkOf(command: BackgroundCommand) {
  const network = command.network();
  return network.length > 0 ? { network } : {};
}

export const stateOutput = {
  running: z.boolean(),
  exit_code: z.number().int().optional(),
  signal: z.string().optional(),
  timed_out: z.boolean().optional(),
};
