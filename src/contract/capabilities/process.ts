import type { Readable, Writable } from 'node:stream';
import type { EffectsJudge, EffectVerdict } from '../effects.ts';
import type { Text } from '../text/text.ts';
import type { DryRun } from './dry-run.ts';
import type { LandingKeeper } from './landing.ts';

/** What to run. A script is run by the shell that its dialect names; a program is found on the child's PATH. */
export type CommandLine =
  | { readonly kind: 'program'; readonly program: string; readonly args: readonly string[] }
  | { readonly kind: 'script'; readonly script: string; readonly shell: 'sh' | 'bash' };

export interface RunOptions {
  /** Host path of the working folder; must lie in a root. */
  readonly workingFolder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly maxStreamBytes?: number | undefined;
  /** More variables for the child, over the allow-listed ones. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Host paths that the command may write; default: the writable roots. An empty list means none. */
  readonly writable?: readonly string[] | undefined;
  /** Host paths that the command may not see, but for what it may write in them. */
  readonly covered?: readonly string[] | undefined;
  /**
   * Shares `/tmp`, HOME and the loopback with the session's other commands of this kind, and what a script leaves
   * behind, folder and exported variables, is kept for the next. Default: each on its own.
   */
  readonly inSession?: boolean | undefined;
  /**
   * Runs it on a copy-on-write layer over what it may write, which is thrown away: what it would have changed is told in
   * its result. It has a /tmp of its own, and leaves nothing to the session.
   */
  readonly dryRun?: boolean | undefined;
  /** What becomes of what it wrote if it fails, is stopped or is cancelled. Default: it stays, as with any shell. */
  readonly onFailure?: OnFailure | undefined;
  /**
   * Runs it on a copy-on-write layer over what it may write, and puts what it did in place when it ends. Only where
   * `whyDirect` says nothing.
   */
  readonly landing?: { readonly keeper?: LandingKeeper | undefined } | undefined;
  /** Where it runs on the folders themselves: has what it destroys there kept first. */
  readonly watched?: WatchedRun | undefined;
  /** Judges what it did, where it runs on a layer, before that lands. */
  readonly effects?: EffectsJudge | undefined;
  /**
   * Takes the layer of a command that went on after its call and may not land as yet; what it returns is shown with
   * the output.
   */
  readonly onHeld?: ((layer: HeldLayer, result: RunResult) => Promise<string>) | undefined;
  /** Asked where it runs on the folders themselves and passes the limit of a rule; it waits meanwhile. */
  readonly onWatchedHold?: OnWatchedHold | undefined;
  /** Told why, where it runs on the folders themselves and not on a layer. */
  readonly onDirect?: ((why: Text) => void) | undefined;
  /** Told as output arrives, for progress. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', bytes: number) => void) | undefined;
}

/** What a command on the folders themselves has done so far, and which is held until somebody says whether it may go on. */
export type OnWatchedHold = (soFar: DryRun, signal: AbortSignal) => Promise<boolean>;

/** Where what a command destroys in the folders themselves is kept. */
export interface WatchedRun {
  /** Host path of a folder of its own. */
  readonly folder: string;
  /** Names of folders of which nothing is kept. */
  readonly ignore: readonly string[];
  readonly isOurs: LandingKeeper['isOurs'];
  readonly mostBytes: LandingKeeper['mostBytes'];
  /** It is held at a limit, or goes on. What is held when it ends is to be put back. */
  readonly onHeld: (isHeld: boolean) => void;
}

export interface RunResult {
  /** 128 + signal for a killed command, never 0. */
  readonly exitCode: number;
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  /** Cleaned of escapes and hidden characters; the middle is cut where it was too long. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly sandbox: SandboxName;
  /** What ran, if that differs from what was asked for in more than quoting. */
  readonly ran?: string | undefined;
  /** What it reached or tried to reach through the proxy; absent where it tried nothing. */
  readonly network?: readonly NetworkContact[] | undefined;
  /** With `dryRun`. */
  readonly dryRun?: DryRun | undefined;
  /** Where it ran on a layer, and that landed. */
  readonly tried?: Tried | undefined;
  /** With `landing`: whether what it wrote is in place, and what of it is not as the command left it. */
  readonly landed?: LandedOutcome | undefined;
  /** With `dryRun`: what the rules about effects would decide. */
  readonly verdict?: EffectVerdict | undefined;
}

/** The layer of a command that has ended, which is there until it lands or is discarded. */
export interface HeldLayer {
  readonly effects: DryRun;
  /** Puts what it did in place. */
  land(keeper?: LandingKeeper): Promise<Landed>;
  discard(): Promise<void>;
}

export type OnFailure = 'keep' | 'discard';

/**
 * `unfit`: it cannot run on a layer, nothing was kept, and it reached no host, so that it can run again without one.
 * `discarded`: it failed, and `onFailure` had nothing kept. `held`: its effects may not land as yet.
 */
export type LandedOutcome =
  | { readonly kind: 'landed'; readonly conflicts: readonly string[]; readonly refused: readonly string[] }
  | { readonly kind: 'discarded' }
  | { readonly kind: 'held'; readonly layer: HeldLayer }
  /** `isPassing`: another program was in its way for now, so that a second run on a layer may do. */
  | { readonly kind: 'unfit'; readonly because: string; readonly isPassing: boolean };

/** What did not land as it was on the layer, by path. */
export interface Landed {
  /** Changed by somebody else meanwhile, and overwritten. */
  readonly conflicts: readonly string[];
  /** Not written, as no tool may write it. */
  readonly refused: readonly string[];
  /** Lines that the reply has to show beside the output. */
  readonly notes: readonly string[];
}

/** What a command changed that was tried first and has landed. */
export interface Tried extends Omit<Landed, 'notes'> {
  readonly effects: DryRun;
}

/**
 * `unlisted`: the operator's list does not name it. `inner`: it leads to an address that is not public. `misnamed`: the
 * greeting of TLS was for another host, or hid its name. `failed`: allowed, and did not answer.
 */
export type ContactOutcome = 'reached' | 'unlisted' | 'inner' | 'misnamed' | 'failed';

/** One place on the network, and what came of asking for it. */
export interface NetworkContact {
  /** With its port, e.g. "registry.npmjs.org:443"; `*` stands for those that were too many to list. */
  readonly host: string;
  readonly outcome: ContactOutcome;
  readonly times: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export type SandboxName = 'bubblewrap' | 'landlock' | 'sandbox-exec' | 'none';

/** What commands of a session left for those that follow. */
export interface KeptState {
  /** Host path; absent while no command has left the folder that calls begin in. */
  readonly folder?: string | undefined;
  /** Exported variables, each judged like an assignment. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A command that has ended, or goes on in the background because it took longer than its caller could wait. */
export type Attended =
  | { readonly kind: 'ended'; readonly result: RunResult }
  | { readonly kind: 'going'; readonly command: BackgroundCommand };

/** The capability `commands`: runs what was judged, inside the sandbox, in the background too. */
export interface Commands {
  /** What runs a script here: name it in the `CommandLine`, so that the judge reads what will run. */
  readonly shell: 'sh' | 'bash';
  /** The longest that a command of a session may take, as the operator has it. */
  readonly maxTimeoutMs: number;
  /** Throws `unavailable` with what to install where no sandbox works, `timed_out` never: see `timedOut`. */
  run(command: CommandLine, options: RunOptions): Promise<RunResult>;
  /** The same, but after `handOverMs` the command goes on in the background; `timeoutMs` still holds for it. */
  attend(command: CommandLine, options: RunOptions & { readonly handOverMs: number }): Promise<Attended>;
  /** Why this command runs on the folders themselves and not on a layer that lands; undefined where it can. */
  whyDirect(
    command: CommandLine,
    options: RunOptions & { readonly handOverMs?: number | undefined },
  ): Promise<Text | undefined>;
  /** Is what a command destroys in the folders themselves kept, where `watched` asks for it? */
  watches(): Promise<boolean>;
  /** What a call that is `inSession` begins with. */
  kept(): KeptState;
  start(
    command: CommandLine,
    options: Omit<RunOptions, 'timeoutMs' | 'signal' | 'dryRun'>,
  ): Promise<BackgroundCommand>;
  /**
   * Keeps an output that is too long for a reply and returns the id under which it can be read on; undefined where
   * there is no room.
   */
  keep(command: CommandLine, output: string, exitCode: number): string | undefined;
  background(id: string): BackgroundCommand | undefined;
  backgrounds(): readonly BackgroundCommand[];
}

/** What a running command can be sent. */
export type CommandSignal = 'SIGINT' | 'SIGHUP' | 'SIGTERM';

/** A command that goes on after the call that started it; belongs to a session and dies with it. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** What runs, where that differs from what was asked in more than quoting. */
  readonly ran?: string | undefined;
  readonly startedAtMs: number;
  status(): {
    readonly running: boolean;
    readonly exitCode?: number;
    readonly signal?: string;
    /** It was stopped after `timeoutMs`. */
    readonly timedOut?: boolean;
  };
  /** Output after `cursor` (a byte count from the start), cleaned; says if bytes before it were dropped. */
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
  /** What it reached or tried to reach so far. */
  network(): readonly NetworkContact[];
  write(input: string): Promise<void>;
  /** Sends it to all of the command, as a terminal does; one that has ended takes none. */
  signal(name: CommandSignal): void;
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
  /** Why commands cannot be run dry in it. */
  readonly withoutDryRun?: Text | undefined;
  /** Why commands in it reach no host although the operator listed some. */
  readonly withoutNetwork?: Text | undefined;
  /** Why commands in it have no Unix sockets but pairs. */
  readonly withoutSockets?: Text | undefined;
}

/** A bare confined child, for the pipeline's stages: pipes are the caller's. */
export interface ConfinedChild {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  kill(): Promise<void>;
}
