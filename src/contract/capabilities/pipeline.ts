import { ToolError } from '../error.ts';
import type { Text } from '../text/text.ts';
import type { ConfinedChild, SandboxName } from './process.ts';

/** The capability `pipelines`: runs judged pipelines and recorded writes in the caller's session. */
export interface Pipelines {
  /** The session's working folder relative to the root, `.` for the root, which is also used if the folder vanished. */
  workingFolder(cwd?: string): WorkingFolder;
  /** Names below the working folder that match a glob, sorted by code point; empty if none does. */
  expand(pattern: string, folder: WorkingFolder): readonly string[];
  /** A small program file of a stage (`awk -f`), read so that the judged text is what runs. */
  readProgram(path: string, folder: WorkingFolder): string;
  run(request: PipelineRequest): Promise<PipelineResult>;
  /** The next part of an output that was cut, by the cursor of its reply. */
  readOn(cursor: string, shownBytes: number): Promise<OutputPage>;
  /** Sets the session's working folder and returns it relative to the root. Throws if it is not a folder inside. */
  changeFolder(path: string | undefined, folder: WorkingFolder): string;
  write(request: WriteRequest): Promise<WriteRecord>;
  history(query: HistoryQuery): Promise<HistoryPage>;
  /** Restores the content that a record wrote, as a new record. */
  restore(recordId: string, options: RestoreOptions): Promise<WriteRecord>;
}

export interface WorkingFolder {
  /** Relative to the root, `.` for the root. */
  readonly path: string;
  /** The session's former folder, if it no longer exists. */
  readonly vanished?: string | undefined;
}

/** A pipeline that its grammar has judged: nothing in it is parsed as text again. */
export interface PipelineRequest {
  readonly stages: readonly StagePlan[];
  readonly folder: WorkingFolder;
  readonly timeoutMs: number;
  readonly confirmOversize: boolean;
  /** How many bytes of the output the result shows; `readOn` returns the rest. */
  readonly shownBytes: number;
  readonly signal: AbortSignal;
}

export interface StagePlan {
  /** As the caller wrote it, for `meta.steps`. */
  readonly shown: string;
  readonly work: ProgramWork | BuiltinWork;
}

/** A program of the pipeline shelf and its arguments. */
export interface ProgramWork {
  readonly kind: 'program';
  readonly program: ProgramName;
  readonly args: readonly StageArgument[];
  /** Files that the program's text reads by name (sed `r`, awk `getline <`). */
  readonly reads: readonly string[];
  /** Exit codes that are results and not failures, e.g. 1 of rg. */
  readonly answers: readonly number[];
  /** Error lines that do not make the result a failure, such as an unreadable folder among readable ones. */
  readonly minor?: RegExp | undefined;
}

/** Work that is done in this process, on descriptors. */
export type BuiltinWork =
  | {
      readonly kind: 'tee';
      readonly target: string;
      readonly append: boolean;
    }
  | { readonly kind: 'find-names'; readonly query: NameListQuery }
  | { readonly kind: 'outline'; readonly path: string }
  | { readonly kind: 'outline-check'; readonly file: string }
  | { readonly kind: 'symbols'; readonly query: SymbolQuery };

/**
 * A string is passed unchanged; `file` is a regular file that is opened inside the root and passed open; `path` is a
 * file or folder that is checked to be inside and then named. A `globbed` one that is neither is left out.
 */
export type StageArgument =
  | string
  | { readonly file: string; readonly globbed?: boolean | undefined }
  | { readonly path: string; readonly globbed?: boolean | undefined };

export const programNames =
  'rg awk sed jq head tail sort tr wc ls cat grep uniq cut nl tac paste comm join diff column find';

export type ProgramName = WordsOf<typeof programNames>;

type WordsOf<Line extends string> = Line extends `${infer First} ${infer Rest}`
  ? First | WordsOf<Rest>
  : Line;

/** The arguments of `fd`. Patterns are linear-time regular expressions. */
export interface NameListQuery {
  readonly pattern: string;
  readonly fixed: boolean;
  readonly glob: boolean;
  readonly ignoreCase: boolean | 'smart';
  readonly fullPath: boolean;
  readonly hidden: boolean;
  readonly noIgnore: boolean;
  readonly extensions: readonly string[];
  readonly kinds: readonly ('file' | 'folder' | 'symlink' | 'executable' | 'empty')[];
  readonly exclude: readonly string[];
  readonly minDepth: number;
  readonly maxDepth: number;
  readonly maxResults: number;
  /** Bounds of the size; for files only. */
  readonly leastBytes?: number | undefined;
  readonly mostBytes?: number | undefined;
  /** Bounds of the modification time, in milliseconds since 1970. */
  readonly changedAfterMs?: number | undefined;
  readonly changedBeforeMs?: number | undefined;
  readonly separator: '\n' | '\0';
  readonly below: readonly string[];
}

export interface SymbolQuery {
  /** `Class/method`; a leading `/` anchors it at the file. */
  readonly namePath: string;
  readonly below: string;
  readonly substring: boolean;
  readonly kinds: readonly string[];
  readonly body: boolean;
  readonly depth: number;
}

export interface PipelineResult {
  readonly stdout: string;
  readonly truncated: boolean;
  readonly nextCursor?: string | undefined;
  readonly steps: readonly StepReport[];
  readonly tee?: WriteRecord | undefined;
  readonly sandbox: SandboxName;
}

/** As the reply tells it. */
export interface StepReport {
  readonly command: string;
  /** Undefined if this kernel does not count the bytes that a process writes. */
  readonly output_size?: number | undefined;
  readonly truncated: boolean;
  readonly execution_time_ms: number;
  readonly exit_code: number;
  readonly stderr?: string | undefined;
}

export interface OutputPage {
  readonly text: string;
  readonly nextCursor?: string | undefined;
}

export interface WriteRequest {
  readonly path: string;
  readonly content: string;
  readonly mode: WriteMode;
  readonly folder: WorkingFolder;
  readonly confirmOversize: boolean;
  /** The command that wrote it, for the index. */
  readonly command: string;
  readonly signal: AbortSignal;
}

export type WriteMode = 'overwrite' | 'append' | 'create';

export interface WriteRecord {
  /** Nanoseconds as decimal digits: most readers would round a JSON number. */
  readonly recordId: string;
  readonly path: string;
  readonly bytes: number;
  readonly append: boolean;
  readonly mirror: string;
  readonly sha256: string;
  /** Its root on this machine. For the log only. */
  readonly root: string;
}

export interface HistoryQuery {
  readonly path?: string | undefined;
  readonly folder: WorkingFolder;
  readonly limit: number;
  /** Records older than this id. */
  readonly before?: string | undefined;
}

/** A record as its line of the index tells it. */
export interface HistoryEntry {
  readonly record_id: string;
  readonly ts: string;
  readonly path: string;
  readonly mode: WriteMode;
  readonly bytes: number;
  readonly sha256: string;
  readonly command: string;
  readonly session: string;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  readonly nextCursor?: string | undefined;
}

export interface RestoreOptions {
  readonly confirmOversize: boolean;
  readonly signal: AbortSignal;
}

/** Why a pipeline is refused; the codes of the source document. */
export type GuardReason =
  | 'DISALLOWED_CMD'
  | 'DISALLOWED_FLAG'
  | 'REDIRECT'
  | 'CHAINING'
  | 'SUBSTITUTION'
  | 'NAV_IN_PIPELINE'
  | 'PATH_ESCAPE'
  | 'SYMLINK_ESCAPE'
  | 'AWK_IO'
  | 'SED_WRITE'
  | 'SED_EXEC'
  | 'JQ_ENV'
  | 'TEE_TARGET'
  | 'RESERVED_PATH'
  | 'OVERSIZE_WRITE'
  | 'PARSE_ERROR'
  | 'EMPTY'
  | 'TOO_MANY_STAGES';

/** Starts one sandboxed stage: it reads `readable` and the system's programs, and writes only `writable`. */
export type StageSpawn = (request: StageSpawnRequest) => ConfinedChild | Promise<ConfinedChild>;

/** The sandbox of pipeline stages: how to start one, and its name. */
export interface StageWalls {
  readonly spawn: StageSpawn;
  readonly sandbox: SandboxName;
}

export interface StageSpawnRequest {
  /** Absolute host path. */
  readonly program: string;
  readonly args: readonly string[];
  /** The child's whole environment; nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  /** Open descriptors for 0, 1, 2, 3 … of the child, in order. The caller closes its copies. */
  readonly descriptors: readonly number[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** A program of the pipeline shelf, for `doctor`. */
export interface ShelfEntry {
  readonly name: string;
  readonly path?: string | undefined;
  readonly from: 'npm' | 'system' | 'missing';
  readonly version?: string | undefined;
  readonly remedy?: string | undefined;
}

/** The reply of the source document, `{code, reason, detail, suggestion}`. `runs`: the suggestion is a command. */
export function guardError(reason: GuardReason, detail: Text, suggestion: Text, runs: boolean): ToolError {
  return new ToolError('GUARD_VIOLATION', detail, {
    suggestion,
    details: { reason, suggestion_runs: runs },
    wire: { code: 'GUARD_VIOLATION', reason, detail: detail.en, suggestion: suggestion.en },
  });
}

/** The same reply of a stage that failed. */
export function stageError(
  message: Text,
  suggestion: Text,
  facts: Readonly<Record<string, unknown>> = {},
): ToolError {
  const code = 'STAGE_FAILED';
  const wire = { code, reason: code, detail: message.en, suggestion: suggestion.en, ...facts };
  return new ToolError(code, message, { suggestion, wire });
}
