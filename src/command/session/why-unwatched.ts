import type { CommandLine } from '../../contract/capabilities/process.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Backend } from '../child/child.ts';
import type { CommandsOptions } from '../commands-options.ts';

/** Why a command's changes in the folders themselves are not kept; undefined if they are. */
export async function whyUnwatched(
  backend: Backend,
  command: CommandLine,
  commandsIn: CommandsOptions['commandsIn'],
): Promise<Text | undefined> {
  if ((await backend.withoutWatching()) !== undefined) return cannotWatch;
  return backend.name === 'none' && process.getuid?.() !== 0 && changesUser(command, commandsIn)
    ? becomesAnother
    : undefined;
}

/** A watched command gains no rights from set-user-id programs, so such a program would not work. */
function changesUser(command: CommandLine, commandsIn: CommandsOptions['commandsIn']): boolean {
  const words = command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
  if (!anywhere.test(words)) return false;
  return (commandsIn?.(command) ?? []).some(([program]) => itself.test((program ?? '').replace(/.*\//, '')));
}

export const cannotWatch: Text = text(
  'as the kernel does not hand over the calls of commands here',
  'この環境では、カーネルがコマンドの呼び出しを引き渡さないため',
);

const becomesAnother: Text = text(
  'as it names a program that may become another user',
  'ほかのユーザーになる可能性のあるプログラムを含むため',
);

const names = 'sudo|sudoedit|su|doas|pkexec|run0|newgrp|sg|passwd|mount|umount|fusermount3?|ping|crontab|at';
const anywhere = new RegExp(`\\b(${names})\\b`);
const itself = new RegExp(`^(${names})$`);
