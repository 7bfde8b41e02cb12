import type { Text } from '../text/text.ts';
import type { CommandLine } from './process.ts';

export type DecisionKind = 'allow' | 'ask' | 'deny';

/** What a judge or the policy says of a call, and why. */
export interface Judgement {
  readonly decision: DecisionKind;
  /** Id of the rule that decided, e.g. `rm-recursive-force`. */
  readonly rule: string;
  readonly because: Text;
  readonly suggestion?: Text | undefined;
  /** Where in the command, as the caller wrote it. */
  readonly excerpt?: string | undefined;
  /**
   * Commands found in it, unwrapped, as argv: what operator rules are matched with. A word that is not known before
   * it runs is null.
   */
  readonly commands?: readonly (readonly (string | null)[])[] | undefined;
  /** With `ask`: the commands that a built-in rule asks about. */
  readonly asked?: readonly (readonly (string | null)[])[] | undefined;
  /** With `ask`: variables that say where its commands send, or where they take from. */
  readonly steeredBy?: readonly Steering[] | undefined;
  /** A layer would contain some of what was found. */
  readonly contained?: boolean | undefined;
  /** With `ask`: approving it would not help, since the sandbox lacks what it needs. */
  readonly lack?: { readonly rule: string; readonly because: Text; readonly suggestion: Text } | undefined;
}

/** A variable that leads a command elsewhere, with what it may hold; no values where that is not known. */
export interface Steering {
  readonly name: string;
  readonly values?: readonly string[] | undefined;
}

/** Parses a command and judges it. Never throws: what cannot be read is denied. */
export interface CommandJudge {
  judge(command: CommandLine, context: JudgeContext): Judgement;
  /** May a command leave this variable to the session's next ones? Not if it could not be assigned in a command. */
  mayKeep(name: string, value: string, base: KeepBase): boolean;
}

/** What a shell that leaves variables began with. */
export interface KeepBase {
  readonly path: string;
  readonly home: string;
  readonly roots: readonly string[];
}

/** Writes a command as it was judged, so that this is what runs. */
export interface CommandWriter {
  /** The same command, each script in it printed from its syntax tree; undefined where one cannot be printed. */
  written(command: CommandLine): CommandLine | undefined;
  /**
   * The changes of a repository's remotes that the command spells out: the judge asks about those, so an approval
   * covers them.
   */
  remoteChanges(command: CommandLine): RemoteChanges;
  /** The commands found in it, as `Judgement` lists them. */
  commandsIn(command: CommandLine): NonNullable<Judgement['commands']>;
}

/** Existing remotes of git that get another address or are removed, and the new addresses. */
export interface RemoteChanges {
  readonly remotes: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * How much is refused for the way it is written, each including the one before. `plain`: what cannot be told beforehand,
 * or must not happen. `listed`: the words that `agent-cli` lists as well, `rm -rf` and `kill` whatever they are given.
 * `strict`: substitutions, eval, exec and base64 -d too, as the assistant's own folder asks.
 */
export type Dialect = 'plain' | 'listed' | 'strict';

export interface JudgeContext {
  readonly dialect: Dialect;
  readonly roots: readonly string[];
  readonly workingFolder: string;
  /** Variables that earlier commands chose and this one begins with. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** It runs on a layer: what that contains is no reason to ask or refuse. */
  readonly onLayer?: boolean | undefined;
  /** The sandbox that it runs in; absent where there is none. */
  readonly confinement?: Confinement | undefined;
}

/** What commands reach in a sandbox, in which there is no other user, no service and no daemon of the system. */
export interface Confinement {
  /** Hosts that commands reach, as the operator lists them. */
  readonly network: readonly string[];
}
