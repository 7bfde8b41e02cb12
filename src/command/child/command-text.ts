import type { CommandLine } from '../../contract/capabilities/process.ts';

/** Formats a command as one text for people. */
export function commandText(command: CommandLine): string {
  return command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
}
