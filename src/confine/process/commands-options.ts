import type { CommandJudge, CommandReader } from '../../contract/capabilities/judgement.ts';
import type { RunOptions } from '../../contract/capabilities/process.ts';
import type { SandboxOptions } from './sandbox/sandbox-options.ts';

export interface CommandsOptions extends SandboxOptions {
  /** Names of the server's variables that commands may see, over the built-in few. */
  readonly environment?: readonly string[] | undefined;
  readonly commandsAtOnce?: number | undefined;
  readonly commandsWaiting?: number | undefined;
  readonly maxBackgroundMs?: number | undefined;
  readonly maxTimeoutMs?: number | undefined;
  /** Which variables a command may leave to those that follow it. Absent: none. */
  readonly mayKeep?: CommandJudge['mayKeep'] | undefined;
  /** Whether all that a command starts is known; if not, it runs without hosts. Absent: it is. */
  readonly isRead?: CommandReader['isRead'] | undefined;
  /** Which addresses of remotes it was asked about. Absent: none. */
  readonly remoteChanges?: CommandReader['remoteChanges'] | undefined;
  /** Which commands are in a line. Absent: none is known. */
  readonly commandsIn?: CommandReader['commandsIn'] | undefined;
  /** Do commands run on layers that land, where they can? Default: yes. */
  readonly layer?: 'auto' | 'off' | undefined;
  /** Told of what commands planted in repositories and was taken out again. */
  readonly onDisarmed?: ((line: string) => void) | undefined;
}

/** What is asked of a command, however it runs. */
export type CommandOptions = Omit<RunOptions, 'timeoutMs' | 'signal'>;
