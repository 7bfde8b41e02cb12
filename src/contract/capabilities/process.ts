import type { Readable, Writable } from 'node:stream';
import type { EffectVerdict, RequestKind } from '../effects.ts';
import type { Text } from '../text/text.ts';
import type { DryRun } from './dry-run.ts';

/** A command. The shell that its dialect names runs a script; a program is found on the child's PATH. */
export type CommandLine =
  | { readonly kind: 'program'; readonly program: string; readonly args: readonly string[] }
  | { readonly kind: 'script'; readonly script: string; readonly shell: 'sh' | 'bash' };

export interface RunOptions {
  /** Host path of the working folder; must be in a root. */
  readonly workingFolder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Variables for the child in addition to the allow-listed ones. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Default: it may write the writable roots, and sees all of them. */
  readonly reach?: Reach | undefined;
  /**
   * Shares `/tmp`, HOME and the loopback with the session's other commands of this kind; the folder and exported
   * variables that a script leaves are kept for the next. Default: isolated.
   */
  readonly inSession?: boolean | undefined;
  /**
   * Decides what becomes of its writes. `dry-run`: they are made on a copy-on-write layer and discarded; the result lists them, and
   * it has a separate /tmp and leaves nothing to the session. Otherwise for the case that it fails, is stopped or is
   * cancelled; default: the operator's choice.
   */
  readonly fate?: OnFailure | 'dry-run' | undefined;
  /** Runs it without a sandbox and with exactly these variables, as a person has agreed. */
  readonly outside?: Readonly<Record<string, string>> | undefined;
  /** Called as output arrives, for progress. */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', bytes: number) => void) | undefined;
}

/** Host paths. */
export interface Reach {
  /** The paths that the command may write. An empty list means none. */
  readonly writable: readonly string[];
  /** Paths that it may not see, except for writable paths in them. */
  readonly covered?: readonly string[] | undefined;
}

/** Whether a held request may leave. */
export type RequestAnswer =
  | { readonly isAllowed: true; readonly by: string }
  /** `isOpen`: a later answer lets the same request pass. */
  | { readonly isAllowed: false; readonly because: Text; readonly isOpen?: boolean | undefined };

/**
 * A request to an inspected host, of which nothing has left yet; `tcp`: in a protocol that is not looked into; `sign`: an
 * object of git that is to be signed outside.
 */
export interface HeldRequest extends Omit<SentRequest, 'allowedBy' | 'because'> {
  readonly scheme: 'https' | 'http' | 'tcp' | 'sign';
  /** With its port, if that is not the usual one. */
  readonly host: string;
  /** The paths that an approval for longer covers. */
  readonly pathPattern: string;
  readonly summary: Text;
  readonly notes: readonly Text[];
  /** As the program names itself. */
  readonly program: string | undefined;
  readonly bodyBytes: number | undefined;
  readonly bodyStart: Uint8Array;
  readonly isBodyWhole: boolean;
  /** Equal for the same request sent again. */
  readonly digest: string;
}

/** A request that did more than read. */
export interface SentRequest {
  readonly kind: RequestKind;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Undefined if it was not sent. */
  readonly allowedBy?: string | undefined;
  /** The reason why it was not sent. */
  readonly because?: string | undefined;
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
  /** Of a dry run. */
  readonly dryRun?: DryRun | undefined;
  /** What landed of its layer. */
  readonly tried?: DryRun | undefined;
  /** If it ran on a layer: whether its changes are in place, and which differ from what the command left. */
  readonly landed?: LandedOutcome | undefined;
  /** Of a dry run: the decision of the rules about effects. */
  readonly verdict?: EffectVerdict | undefined;
}

/** The layer of a command that has ended; it exists until it lands or is discarded. */
export interface HeldLayer {
  readonly effects: DryRun;
  /** Puts the changes in place. */
  land(): Promise<Landed>;
  discard(): Promise<void>;
}

export type OnFailure = 'keep' | 'discard';

/** `discarded`: it failed, and its changes were not to be kept then. */
export type LandedOutcome =
  | { readonly kind: 'landed'; readonly conflicts: readonly string[]; readonly refused: readonly string[] }
  | { readonly kind: 'discarded' };

/** The paths that differ from the layer after landing. */
export interface Landed {
  /** Changed by another program in between, and overwritten. */
  readonly conflicts: readonly string[];
  /** Not written, because no tool may write it. */
  readonly refused: readonly string[];
  /** Lines that the reply must show beside the output. */
  readonly notes: readonly string[];
}

/**
 * `unlisted`: not in the operator's list. `inner`: leads to a non-public address. `misnamed`: the TLS greeting named
 * another host, or hid its name. `failed`: allowed, but did not answer. Of inspected hosts: `refused`: a request did more
 * than read, and nobody agreed; `untrusted`: the program did not trust Sekisho's certificate; `unverified`: Sekisho did
 * not trust the host's.
 */
export type ContactOutcome =
  | 'reached'
  | 'unlisted'
  | 'inner'
  | 'misnamed'
  | 'failed'
  | 'refused'
  | 'untrusted'
  | 'unverified';

/** One host on the network, and the outcome of contacting it. */
export interface NetworkContact {
  /** With its port, e.g. "registry.npmjs.org:443"; `*` stands for those beyond the limit of the list. */
  readonly host: string;
  readonly outcome: ContactOutcome;
  readonly times: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** It was passed on without being looked into. */
  readonly isTunnel?: true | undefined;
  /** To an inspected host: the requests that did more than read, as far as the list reaches. */
  readonly requests?: readonly SentRequest[] | undefined;
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
  /** The variables of a command outside the sandbox. */
  outsideVariables(): Readonly<Record<string, string>>;
  /** The shell state with which a call that is `inSession` begins. */
  kept(): KeptState;
  start(
    command: CommandLine,
    options: Omit<RunOptions, 'timeoutMs' | 'signal' | 'fate'>,
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

/** A port of a session's command that is published on this machine's loopback. */
export interface PublishedPort {
  readonly sessionId: string;
  readonly url: string;
  /** The command's own. */
  readonly port: number;
  readonly command: string;
  readonly sinceMs: number;
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
  /** Why no port of its commands can be published. */
  readonly withoutPublishing?: Text | undefined;
}

/** A bare sandboxed child for pipeline stages; the caller owns the pipes. */
export interface ConfinedChild {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly ended: Promise<Exit>;
  kill(): Promise<void>;
}

export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** The program of a proxied server. */
export interface ServerProcess extends ConfinedChild {
  /** The memory of all its processes, in bytes. */
  memory(): Promise<number>;
}
