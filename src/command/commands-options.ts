import type { CommandJudge, CommandReader } from '../contract/capabilities/judgement.ts';
import type { CommandLine, OnFailure, RunOptions } from '../contract/capabilities/process.ts';
import type { PublishOptions } from '../network/publish/serving-command.ts';
import type { SandboxOptions } from './sandbox/sandbox-options.ts';

export interface CommandsOptions extends SandboxOptions {
  /** Names of the server's variables that commands may see, besides the built-in few. */
  readonly environment?: readonly string[] | undefined;
  /** Does a text hold the value of a credential that commands get only as a stand-in? Undefined: none does. */
  readonly isSecret?: ((text: string) => boolean) | undefined;
  /** The machine has a graphics processor that commands do not see, which one that looks for it is told. */
  readonly hidesGpu?: boolean | undefined;
  readonly commandsAtOnce?: number | undefined;
  readonly commandsWaiting?: number | undefined;
  readonly maxBackgroundMs?: number | undefined;
  readonly maxTimeoutMs?: number | undefined;
  /** Decides which variables a command may leave to later ones. Undefined: none. */
  readonly mayKeep?: CommandJudge['mayKeep'] | undefined;
  /** Are all programs that a command starts known? If not, it runs without hosts. Undefined: they are. */
  readonly isRead?: CommandReader['isRead'] | undefined;
  /** The addresses of remotes that were asked about. Undefined: none. */
  readonly remoteChanges?: CommandReader['remoteChanges'] | undefined;
  /** The commands in a line. Undefined: none is known. */
  readonly commandsIn?: CommandReader['commandsIn'] | undefined;
  /** Does a line start what runs until it is stopped? Undefined: none does. */
  readonly goesOn?: CommandReader['goesOn'] | undefined;
  /** Do commands run on layers that land, if possible? Default: yes. */
  readonly layer?: 'auto' | 'off' | undefined;
  /** Used if a call does not choose. Default: 'keep'. */
  readonly onFailure?: OnFailure | undefined;
  /** Which ports of commands appear on this machine's loopback. Undefined: none. */
  readonly publish?: PublishOptions | undefined;
  /** Called with a line about each hazard that a command planted in a repository and that was removed. */
  readonly onDisarmed?: ((line: string) => void) | undefined;
}

/** The options of a command, however it runs. */
export type CommandOptions = Omit<RunOptions, 'timeoutMs' | 'signal'>;

/** A command as one text. */
export function commandText(command: CommandLine): string {
  return command.kind === 'script' ? command.script : [command.program, ...command.args].join(' ');
}
