import type { CommandLine } from '../../../contract/capabilities/process.ts';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import type { CommandsOptions } from '../commands-options.ts';

/** What was judged of a command, which is what runs. Throws `denied` where it cannot. */
export function writtenBy({ written }: CommandsOptions, asked: CommandLine): CommandLine {
  const command = written ? written(asked) : asked;
  if (command) return command;
  throw new ToolError(
    'denied',
    text('The command cannot be written as it was judged.', 'コマンドを判定どおりに書き直せません。'),
  );
}

/** What runs, where it differs in more than quotes, blanks and separators from what was asked. */
export function differing(asked: CommandLine, written: CommandLine): string | undefined {
  const ran = commandText(written);
  return bareText(ran) === bareText(commandText(asked)) ? undefined : ran;
}

export function commandText(command: CommandLine): string {
  return command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
}

function bareText(text: string): string {
  return text.replace(/['"\\\s;]/g, '');
}
