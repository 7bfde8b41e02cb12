import type { Text } from '../text/text.ts';
import type { CommandLine } from './process.ts';

export type DecisionKind = 'allow' | 'ask' | 'deny';

/** The decision of a judge or the policy on a call, and the reason. */
export interface Judgement {
  readonly decision: DecisionKind;
  /** Id of the rule that decided, e.g. `rm-recursive-force`. */
  readonly rule: string;
  readonly because: Text;
  readonly suggestion?: Text | undefined;
  /** The part of the command, as the caller wrote it. */
  readonly excerpt?: string | undefined;
  /** Commands found in it, unwrapped, as argv, which operator rules match. A word unknown before the run is null. */
  readonly commands?: readonly (readonly (string | null)[])[] | undefined;
  /** With `ask`: the commands that a built-in rule asks about. */
  readonly asked?: readonly (readonly (string | null)[])[] | undefined;
  /** With `ask`: variables that determine the destination or source of its commands. */
  readonly steeredBy?: readonly Steering[] | undefined;
  /** Some of the findings would be contained by a layer. */
  readonly contained?: boolean | undefined;
  /** A part that starts commands which are only known when it runs; undefined if all of it could be read. */
  readonly unread?: string | undefined;
}

/** A variable that redirects a command, with its possible values; undefined if they are unknown. */
export interface Steering {
  readonly name: string;
  readonly values?: readonly string[] | undefined;
}

/** Reads a command and judges it. Never throws. What cannot be read is not refused for that: it runs without hosts. */
export interface CommandJudge {
  judge(command: CommandLine, context: JudgeContext): Judgement;
  /** Whether a command may leave this variable to the session's next ones: only if a command could assign it. */
  mayKeep(name: string, value: string, base: KeepBase): boolean;
}

/** The initial environment of a shell whose variables are kept. */
export interface KeepBase {
  readonly path: string;
  readonly home: string;
  readonly roots: readonly string[];
}

/** What those who run a command ask about its text. */
export interface CommandReader {
  /** Whether all of its programs and scripts are known. If not, it runs without hosts. */
  isRead(command: CommandLine): boolean;
  /** Whether it starts a server or a file watcher, also by a script of the project; the folder is that in which it runs. */
  goesOn(command: CommandLine, workingFolder: string): boolean;
  /** The changes to remotes that the command spells out: the judge asks about them, so an approval covers them. */
  remoteChanges(command: CommandLine): RemoteChanges;
  /** The commands found in it, as `Judgement` lists them. */
  commandsIn(command: CommandLine): NonNullable<Judgement['commands']>;
}

/** Existing git remotes that get another address or are removed, and the new addresses. */
export interface RemoteChanges {
  readonly remotes: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Which forms are refused; each level includes the one before. `plain`: what must not happen. `listed`: also the words that `agent-cli` lists, `rm -rf` and `kill` with any argument. `strict`: also
 * substitutions, eval, exec and base64 -d, as the assistant's own folder requires.
 */
export type Dialect = 'plain' | 'listed' | 'strict';

export interface JudgeContext {
  readonly dialect: Dialect;
  readonly roots: readonly string[];
  readonly workingFolder: string;
  /** Variables that earlier commands set and this one inherits. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** It runs on a layer: effects that the layer contains are no reason to ask or refuse. */
  readonly onLayer?: boolean | undefined;
  /** The sandbox that it runs in; undefined if there is none. */
  readonly confinement?: Confinement | undefined;
}

/** The reach of commands in a sandbox that has no other users, services or system daemons. */
export interface Confinement {
  /** Hosts that the operator allows. */
  readonly network: readonly string[];
  /** Those that are passed on unread. To all others, requests that do more than read are held until a person agrees. */
  readonly tunnels?: readonly string[] | undefined;
}
