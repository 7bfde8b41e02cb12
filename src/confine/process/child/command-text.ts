import type { CommandLine } from '../../../contract/capabilities/process.ts';

/** A command as one text, for a person to read. */
export function commandText(command: CommandLine): string {
  return command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
}
