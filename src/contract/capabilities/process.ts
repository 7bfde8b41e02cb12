import type { Readable, Writable } from 'node:stream';
import type { EffectsJudge, EffectVerdict } from '../effects.ts';
import type { Text } from '../text/text.ts';
import type { DryRun } from './dry-run.ts';
import type { LandingKeeper } from './landing.ts';

/** A command. The shell that its dialect names runs a script; a program is found on the child's PATH. */
export type CommandLine =
  | { readonly kind: 'program'; readonly program: string; readonly args: readonly string[] }
  | { readonly kind: 'script'; readonly script: string; readonly shell: 'sh' | 'bash' };

export interface RunOptions {
  /** Host path of the working folder; must be in a root. */
  readonly workingFolder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly maxStreamBytes?: number | undefined;
  /** Variables for the child in addition to the allow-listed ones. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Host paths that the command may write; default: the writable roots. An empty list means none. */
  readonly writable?: readonly string[] | undefined;
  /** Host paths that the command may not see, except for writable paths in them. */
  readonly covered?: readonly string[] | undefined;
  /**
   * Shares `/tmp`, HOME and the loopback with the session's other commands of this kind; the folder and exported
   * variables that a script leaves are kept for the next. Default: isolated.
   */
  readonly inSession?: boolean | undefined;
  /**
   * Runs it on a copy-on-write layer that is discarded; the result lists the changes that it would have made. It has a
   * separate /tmp, and leaves nothing to the session.
   */
  readonly dryRun?: boolean | undefined;
  /** The fate of its writes if it fails, is stopped or is cancelled. Default: they stay, as with any shell. */
  readonly onFailure?: OnFailure | undefined;
  /**
   * Runs it on a copy-on-write layer and puts the changes in place when it ends. Only if `whyDirect` returns undefined.
   */
  readonly landing?: { readonly keeper?: LandingKeeper | undefined } | undefined;
  /** For a run directly on the folders: keeps what it destroys. */
  readonly watched?: WatchedRun | undefined;
  /** For a run on a layer: judges the effects before they land. */
  readonly effects?: EffectsJudge | undefined;
  /**
   * Takes the layer of a command that outlasted its call and may not land yet; the returned text is shown with the
   * output.
   */
  readonly onHeld?: ((layer: HeldLayer, result: RunResult) => Promise<string>) | undefined;
  /** For a run directly on the folders: asked when it passes the limit of a rule; it is paused meanwhile. */
  readonly onWatchedHold?: OnWatchedHold | undefined;
  /** Called with the reason if it runs directly on the folders and not on a layer. */
  readonly onDirect?: ((why: Text) => void) | undefined;
  /** Called as output arrives, for progress. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', bytes: number) => void) | undefined;
}

/** Decides whether a paused command on the folders themselves may continue, from what it has done so far. */
export type OnWatchedHold = (soFar: DryRun, signal: AbortSignal) => Promise<boolean>;

/** How to keep what a command destroys in the folders themselves. */
export interface WatchedRun {
  /** Host path of a separate folder for the copies. */
  readonly folder: string;
  /** Names of folders whose contents are not kept. */
  readonly ignore: readonly string[];
  readonly isOurs: LandingKeeper['isOurs'];
  readonly mostBytes: LandingKeeper['mostBytes'];
  /** Called when a limit pauses it, and when it continues. If it ends while paused, its changes are undone. */
  readonly onHeld: (isHeld: boolean) => void;
}

export interface RunResult {
  /** 128 + signal for a killed command, never 0. */
  readonly exitCode: number;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  /** Cleaned of escapes and hidden characters; cut in the middle if too long. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly sandbox: SandboxName;
  /** Hosts that it reached or tried to reach through the proxy; undefined if it tried none. */
  readonly network?: readonly NetworkContact[] | undefined;
  /** With `dryRun`. */
  readonly dryRun?: DryRun | undefined;
  /** If it ran on a layer that landed. */
  readonly tried?: Tried | undefined;
  /** With `landing`: whether its changes are in place, and which differ from what the command left. */
  readonly landed?: LandedOutcome | undefined;
  /** With `dryRun`: the decision of the rules about effects. */
  readonly verdict?: EffectVerdict | undefined;
}

/** The layer of a command that has ended; it exists until it lands or is discarded. */
export interface HeldLayer {
  readonly effects: DryRun;
  /** Puts the changes in place. */
  land(keeper?: LandingKeeper): Promise<Landed>;
  discard(): Promise<void>;
}

export type OnFailure = 'keep' | 'discard';

/**
 * `unfit`: the command cannot run on a layer, kept nothing and reached no host, so it can run again without one.
 * `discarded`: it failed, and `onFailure` discards its changes. `held`: its effects may not land yet.
 */
export type LandedOutcome =
  | { readonly kind: 'landed'; readonly conflicts: readonly string[]; readonly refused: readonly string[] }
  | { readonly kind: 'discarded' }
  | { readonly kind: 'held'; readonly layer: HeldLayer }
  /** `isPassing`: another program was in the way for the moment, so a second run on a layer may work. */
  | { readonly kind: 'unfit'; readonly because: string; readonly isPassing: boolean };

/** The paths that differ from the layer after landing. */
export interface Landed {
  /** Changed by another program in between, and overwritten. */
  readonly conflicts: readonly string[];
  /** Not written, because no tool may write it. */
  readonly refused: readonly string[];
  /** Lines that the reply must show beside the output. */
  readonly notes: readonly string[];
}

/** The changes of a command that ran on a layer and has landed. */
export interface Tried extends Omit<Landed, 'notes'> {
  readonly effects: DryRun;
}

/**
 * `unlisted`: not in the operator's list. `inner`: leads to a non-public address. `misnamed`: the TLS greeting named
 * another host, or hid its name. `failed`: allowed, but did not answer.
 */
export type ContactOutcome = 'reached' | 'unlisted' | 'inner' | 'misnamed' | 'failed';

/** One host on the network, and the outcome of contacting it. */
export interface NetworkContact {
  /** With its port, e.g. "registry.npmjs.org:443"; `*` stands for those beyond the limit of the list. */
  readonly host: string;
  readonly outcome: ContactOutcome;
  readonly times: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export type SandboxName = 'bubblewrap' | 'landlock' | 'none';

/** Shell state that commands of a session leave for those that follow. */
export interface KeptState {
  /** Host path; undefined while no command has left the folder in which calls begin. */
  readonly folder?: string | undefined;
  /** Exported variables, each judged like an assignment. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A command that has ended, or that continues in the background because its caller could not wait longer. */
export type Attended =
  | { readonly kind: 'ended'; readonly result: RunResult }
  | { readonly kind: 'going'; readonly command: BackgroundCommand };

/** The capability `commands`: runs judged commands in the sandbox, in the background too. */
export interface Commands {
  /** The shell that runs scripts here: name it in the `CommandLine`, so that the judge reads what will run. */
  readonly shell: 'sh' | 'bash';
  /** The longest time that a command of a session may take, set by the operator. */
  readonly maxTimeoutMs: number;
  /** Throws `unavailable` with installation advice if no sandbox works. Never throws `timed_out`: see `timedOut`. */
  run(command: CommandLine, options: RunOptions): Promise<RunResult>;
  /** Like `run`, but after `handOverMs` the command continues in the background, still limited by `timeoutMs`. */
  attend(command: CommandLine, options: RunOptions & { readonly handOverMs: number }): Promise<Attended>;
  /** Why this command must run on the folders themselves and not on a layer; undefined if it can use one. */
  whyDirect(
    command: CommandLine,
    options: RunOptions & { readonly handOverMs?: number | undefined },
  ): Promise<Text | undefined>;
  /** Why `watched` does not keep what a command destroys in the folders themselves; undefined if it does. */
  whyUnwatched(command: CommandLine): Promise<Text | undefined>;
  /** The shell state with which a call that is `inSession` begins. */
  kept(): KeptState;
  start(
    command: CommandLine,
    options: Omit<RunOptions, 'timeoutMs' | 'signal' | 'dryRun'>,
  ): Promise<BackgroundCommand>;
  /** Keeps an output that is too long for a reply and returns an id for reading it; undefined if there is no room. */
  keep(command: CommandLine, output: string, exitCode: number): string | undefined;
  background(id: string): BackgroundCommand | undefined;
  backgrounds(): readonly BackgroundCommand[];
}

/** A command that outlasts the call that started it; belongs to a session and ends with it. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
  status(): {
    readonly running: boolean;
    readonly exitCode?: number;
    readonly signal?: string;
    /** It was stopped after `timeoutMs`. */
    readonly timedOut?: boolean;
  };
  /** Cleaned output after `cursor` (a byte count from the start); says if bytes before it were dropped. */
  read(
    cursor?: number,
    maxBytes?: number,
  ): {
    readonly text: string;
    readonly nextCursor: number;
    readonly droppedBytes: number;
    /** There was more than `maxBytes`. */
    readonly more: boolean;
  };
  /** Hosts that it has reached or tried to reach so far. */
  network(): readonly NetworkContact[];
  write(input: string): Promise<void>;
  /** Sends SIGINT to every process of the command, as a terminal does; no effect on a command that has ended. */
  interrupt(): void;
  kill(): Promise<void>;
  /** Resolves when the command has ended, after `timeoutMs`, or when the signal aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

/** Whether a sandbox works here, as `doctor` shows it and commands use it. */
export interface SandboxStatus {
  readonly name: SandboxName;
  readonly works: boolean;
  readonly problem?: Text | undefined;
  /** The command that installs what is missing. */
  readonly remedy?: Text | undefined;
  /** Why dry runs do not work in it. */
  readonly withoutDryRun?: Text | undefined;
  /** Why commands in it reach no host although the operator listed some. */
  readonly withoutNetwork?: Text | undefined;
  /** Why nothing records what commands change in the folders themselves. */
  readonly withoutRecording?: Text | undefined;
  /** Why commands in it have no Unix sockets except socket pairs. */
  readonly withoutSockets?: Text | undefined;
}

/** A bare sandboxed child for pipeline stages; the caller owns the pipes. */
export interface ConfinedChild {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  kill(): Promise<void>;
}
