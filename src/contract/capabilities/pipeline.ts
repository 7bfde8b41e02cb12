import { ToolError } from '../error.ts';
import type { Text } from '../text/text.ts';
import type { ConfinedChild, SandboxName } from './process.ts';

/** The capability `pipelines`: runs judged pipelines and recorded writes in the caller's session. */
export interface Pipelines {
  /** The session's working folder relative to the root, `.` for the root. Falls back there if it vanished. */
  workingFolder(cwd?: string): WorkingFolder;
  /** Names below the working folder that a glob matches, sorted by code point; empty where none does. */
  expand(pattern: string, folder: WorkingFolder): readonly string[];
  /** A small text that a stage runs (`awk -f`), read to be judged and then passed on as it was judged. */
  readProgram(path: string, folder: WorkingFolder): string;
  run(request: PipelineRequest): Promise<PipelineResult>;
  /** More of an output that was cut, by the cursor of its reply. */
  readOn(cursor: string, shownBytes: number): Promise<OutputPage>;
  /** Sets the session's working folder; throws where it is not a folder inside. Returns it relative to the root. */
  changeFolder(path: string | undefined, folder: WorkingFolder): string;
  write(request: WriteRequest): Promise<WriteRecord>;
  history(query: HistoryQuery): Promise<HistoryPage>;
  /** Writes back what a record wrote, as a new record. */
  restore(recordId: string, options: RestoreOptions): Promise<WriteRecord>;
}

export interface WorkingFolder {
  /** Relative to the root, `.` for the root. */
  readonly path: string;
  /** The folder that was the session's and is gone. */
  readonly vanished?: string | undefined;
}

/** A pipeline after its grammar judged it: nothing in it is looked at again as text. */
export interface PipelineRequest {
  readonly stages: readonly StagePlan[];
  readonly folder: WorkingFolder;
  readonly timeoutMs: number;
  readonly confirmOversize: boolean;
  /** How much of the output the result shows; the rest is read on. */
  readonly shownBytes: number;
  readonly signal: AbortSignal;
}

export interface StagePlan {
  /** As the caller wrote it, for `meta.steps`. */
  readonly shown: string;
  readonly work: ProgramWork | BuiltinWork;
}

/** A program of the shelf and its arguments. */
export interface ProgramWork {
  readonly kind: 'program';
  readonly program: ProgramName;
  readonly args: readonly StageArgument[];
  /** Files that the program's text reads by name (sed `r`, awk `getline <`). */
  readonly reads: readonly string[];
  /** Exit codes that are an answer and not a failure, e.g. 1 of rg. */
  readonly answers: readonly number[];
  /** Lines of its errors that leave the answer one: a folder that may not be read, beside those that were. */
  readonly minor?: RegExp | undefined;
}

/** Work that is done here, over the walk. */
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
 * Text as it is; `file` a regular file that is opened inside and handed over open; `path` a file or folder that is
 * looked at inside and then named. One that is `globbed` is left out where it is neither, as others are there.
 */
export type StageArgument =
  | string
  | { readonly file: string; readonly globbed?: boolean | undefined }
  | { readonly path: string; readonly globbed?: boolean | undefined };

export type ProgramName =
  | 'rg'
  | 'awk'
  | 'sed'
  | 'tr'
  | 'jq'
  | 'wc'
  | 'head'
  | 'tail'
  | 'sort'
  | 'ls'
  | 'cat'
  | 'grep'
  | 'uniq'
  | 'cut'
  | 'nl'
  | 'tac'
  | 'paste'
  | 'comm'
  | 'join'
  | 'diff'
  | 'column'
  | 'find';

/** What `fd` was asked. Patterns are linear-time regular expressions. */
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
  /** Of files: so large at least, or at most. */
  readonly leastBytes?: number | undefined;
  readonly mostBytes?: number | undefined;
  /** Changed not before, or not after; milliseconds since 1970. */
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

export interface StepReport {
  readonly command: string;
  /** Absent where this kernel does not count what a process writes. */
  readonly outputBytes?: number | undefined;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly exitCode: number;
  readonly stderr?: string | undefined;
}

export interface OutputPage {
  readonly text: string;
  readonly nextCursor?: string | undefined;
}

export interface WriteRequest {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly mode: WriteMode;
  readonly folder: WorkingFolder;
  readonly confirmOversize: boolean;
  /** For the index: what made it. */
  readonly command: string;
  readonly signal: AbortSignal;
}

export type WriteMode = 'overwrite' | 'append' | 'create';

export interface WriteRecord {
  /** Nanoseconds as decimal digits: a JSON number would be rounded by most readers. */
  readonly recordId: string;
  readonly path: string;
  readonly bytes: number;
  readonly append: boolean;
  readonly mirror: string;
  readonly sha256: string;
  /** The root that it lies in, on this machine. For the log only. */
  readonly root: string;
}

export interface HistoryQuery {
  readonly path?: string | undefined;
  readonly folder: WorkingFolder;
  readonly limit: number;
  /** Records older than this id. */
  readonly before?: string | undefined;
}

export interface HistoryEntry {
  readonly recordId: string;
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

/** Why a pipeline is refused; the source's and the page's words. */
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

/** Starts one stage confined: it reads `readable` and the system's programs, and writes only `writable`. */
export type StageSpawn = (request: StageSpawnRequest) => ConfinedChild | Promise<ConfinedChild>;

/** What stages run in: the spawn, and the walls that it has. */
export interface StageWalls {
  readonly spawn: StageSpawn;
  readonly sandbox: SandboxName;
}

export interface StageSpawnRequest {
  /** Absolute host path. */
  readonly program: string;
  readonly args: readonly string[];
  /** All that the child sees; nothing of ours is added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  /** Open descriptors for 0, 1, 2, 3 … of the child, in order. The caller closes its own. */
  readonly descriptors: readonly number[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** A program of the shelf as `doctor` shows it. */
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
