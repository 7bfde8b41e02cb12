/** Folders that a tool may use, open since start-up. Files are only reached through `at`. */
export interface Folder {
  /**
   * Proves that a path is inside and returns its place. Relative paths start at `base` (default: the first root);
   * absolute ones must be in a root. Throws `invalid_path`, `out_of_scope`, or, if this folder follows links,
   * `forbidden` for a symbolic link that leads out. Otherwise the disk is not accessed.
   */
  at(path: string, options?: { readonly base?: string }): Place;
  /** A subfolder as a separate folder: paths are relative to it and cannot leave it. */
  sub(path: string): Folder;
  /** The roots as the caller may know them: label and whether they are writable. */
  readonly roots: readonly FolderRoot[];
}

export interface FolderRoot {
  /** Absolute path on the host: for a command's working folder and the log, never for a reply. */
  readonly hostPath: string;
  readonly writable: boolean;
}

export type FileKind = 'file' | 'folder' | 'symlink' | 'other';

export interface FileStat {
  readonly kind: FileKind;
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
  readonly device: bigint;
  readonly inode: bigint;
  readonly links: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/**
 * The lines to read. A line ends at LF or at the end of the file; an empty file has one. Lines count from 1, characters
 * are code points. A negative `startLine` counts from the end: -1 is the last line.
 */
export interface TextRange {
  readonly startLine?: number | undefined;
  /** Characters (code points) of the first line to skip. */
  readonly charOffset?: number | undefined;
  readonly endLine?: number | undefined;
  readonly maxChars?: number | undefined;
  /** Like `maxChars`, in bytes of UTF-8 whatever the encoding of the file. */
  readonly maxBytes?: number | undefined;
  /** For files that are not Unicode. Default: detected. */
  readonly encoding?: TextEncoding | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TextSlice {
  /** As in the file, line endings kept, BOM dropped. */
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Undefined if the end was not reached and the file has no index yet. */
  readonly totalLines?: number | undefined;
  /** `maxChars` or `maxBytes` ended it before `endLine`. */
  readonly truncated: boolean;
  readonly nextStartLine?: number | undefined;
  /** The last line alone is longer than `maxChars`: it continues at `nextStartLine` with `nextCharOffset`. */
  readonly cutInLine?: boolean | undefined;
  readonly nextCharOffset?: number | undefined;
  readonly encoding: TextEncoding;
  /** It looks like this encoding, and could be in another. */
  readonly isGuess?: boolean | undefined;
  readonly hasBom: boolean;
  /** Taken before reading. */
  readonly stat: FileStat;
}

/** As the WHATWG Encoding Standard names it. */
export type TextEncoding = string;

export type WholeText = Pick<TextSlice, 'text' | 'encoding' | 'isGuess' | 'hasBom' | 'stat'>;

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined;
  /** Refuse (`conflict`) if the file is not the one that was read. */
  readonly expected?: FileStat | undefined;
  /** How a string is written; default: UTF-8 without a byte order mark. UTF-16 always begins with one. */
  readonly encoding?: TextEncoding | undefined;
  readonly withBom?: boolean | undefined;
  /** The writer has the file's content from an earlier call: a change by others since then is told. */
  readonly fromEarlier?: boolean | undefined;
}

export interface Written {
  readonly bytes: number;
  readonly created: boolean;
}

/**
 * A path that was proven to be inside its root. Every operation walks there by descriptors, follows no symbolic link at
 * any component, and opens regular files only. Errors: `not_found`, `forbidden` (a link on the way, a protected name, a
 * read-only root), `conflict`, `unsupported_type` (a folder, FIFO, socket or device), `storage_full`, `too_large`,
 * `cancelled`.
 */
export interface Place {
  /** Relative to its root, `/` between components, `.` for the root itself. Rules compare this form. */
  readonly path: string;
  /** The path to show the caller: relative in the first root, else absolute as they wrote it. */
  readonly shown: string;
  readonly rootIndex: number;
  /** Absolute host path for a command's operand; not to be kept beyond a call. */
  readonly hostPath: string;

  stat(): FileStat;
  exists(): boolean;
  readBytes(options?: { readonly maxBytes?: number; readonly signal?: AbortSignal }): Promise<Buffer>;
  /** A bounded part of a text of any size. `unsupported_encoding` if it is not text (`details.mime_type`). */
  readText(range?: TextRange): Promise<TextSlice>;
  /** The whole text, up to `maxBytes` (default: `limits.writeBytes`). */
  readWhole(options?: {
    readonly maxBytes?: number;
    readonly encoding?: TextEncoding | undefined;
    readonly signal?: AbortSignal;
  }): Promise<WholeText>;
  /** MIME type by content, then by name. Reads the first 4 KiB. */
  mimeType(): Promise<{ readonly mime: string; readonly isText: boolean }>;
  /** Opens the regular file for reading; the caller closes the descriptor. */
  openRead(): number;
  /**
   * Runs `work`, which reads a file and then changes it through the given place, while no other call or server changes
   * it. If the file appears while it is being created, the work starts again.
   */
  inTurn<T>(work: (held: Place) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Existing paths with a similar name, as a caller would write them. Read errors list them, too. */
  lookalikes(): readonly string[];
  /** Children, unsorted, by one pass over the folder. */
  entries(): FolderEntry[];
  /** The same in batches, unsorted, without blocking other work: a folder may have a million entries. */
  portions(signal?: AbortSignal): AsyncIterable<readonly FolderEntry[]>;

  /** Writes a new file, parents included. `conflict` if one is there. Durable when it returns. */
  create(content: string | Uint8Array, options?: WriteOptions): Promise<Written>;
  /** Creates, or replaces atomically keeping mode; the former content goes to the history first. */
  replace(content: string | Uint8Array, options?: WriteOptions): Promise<Written>;
  append(content: string | Uint8Array, options?: WriteOptions): Promise<Written>;
  makeFolder(): void;
  /** Removes a file or an empty folder. */
  remove(options?: WriteOptions): Promise<void>;
  move(target: Place, options?: WriteOptions): Promise<void>;
}

/**
 * Notified before a file is changed or removed, while its old content can still be read. Undo is built on it. If
 * `beforeChange` throws, the change is refused; a change that fails later has no `afterChange`.
 */
export interface ChangeObserver {
  beforeChange(change: FileChange): void | Promise<void>;
  /** Resolves when a change may happen that `beforeChange` does not report: creating or moving a folder. */
  mayChange?(): Promise<void>;
  /** `durable` resolves when the change would survive a power cut: awaited here, or before the call's reply. */
  afterChange?(change: FileChange, durable: Promise<void>): void | Promise<void>;
  /** Called if a change fails after `beforeChange` agreed to it. */
  changeFailed?(change: FileChange): void;
  /** A file was read through its open descriptor. */
  wasRead?(hostPath: string, descriptor: number, bytes: number): void;
  /** A folder was created, by itself or as a parent. */
  folderMade?(folder: Pick<FileChange, 'rootHostPath' | 'path'>): void;
}

export interface FileChange {
  readonly action: 'create' | 'replace' | 'append' | 'remove' | 'move';
  readonly rootHostPath: string;
  readonly path: string;
  /** The current file. Its descriptor can be read until the change is over. */
  readonly former?: FormerFile | undefined;
  readonly bytes?: number | undefined;
  /** The whole new content; with `growsInPlace` or for an append, the added part. */
  readonly content?: Uint8Array | undefined;
  /** Its writer has the file's content from an earlier call. */
  readonly fromEarlier?: boolean | undefined;
  /** The file keeps its content and is not rewritten. */
  readonly growsInPlace?: boolean | undefined;
  /** The file under its old name, before it gets this one. */
  readonly movedFrom?: FormerFile | undefined;
}

export interface FormerFile {
  readonly stat: FileStat;
  /** Reads the whole file, however large. */
  readonly read: () => Buffer;
  /** -1 for a folder. */
  readonly descriptor: number;
}

/** Searches below a folder with ripgrep. */
export interface Search {
  names(query: NameQuery): Promise<NameMatches>;
  content(query: ContentQuery): Promise<ContentMatches>;
}

export interface NameQuery {
  readonly below: Place;
  /** `*` matches within a name, `**` across folders; braces and classes work. */
  readonly pattern: string;
  readonly includeIgnored?: boolean | undefined;
  readonly newestFirst?: boolean | undefined;
  /** Whether to hide a path (relative to `below`) from the caller. */
  readonly skip?: ((path: string) => boolean) | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  /** A further page: it may come from the results that the session's last equal query gathered. */
  readonly continues?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface NameMatches {
  /** Relative to `below`. */
  readonly paths: readonly string[];
  readonly total: number;
  /** The number of files that were compared. */
  readonly searched: number;
  /** If the pattern is a bare name: how many files in deeper folders would match it. */
  readonly deeper: number;
}

export interface ContentQuery extends Omit<NameQuery, 'newestFirst'> {
  /** A regular expression. */
  readonly pattern: string;
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly fixed?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly context?: number | undefined;
  readonly output: 'content' | 'files' | 'count';
  /** Counts matching lines for `content`, files otherwise. */
  readonly limit: number;
}

export interface ContentMatches {
  /** By path, then by line; with context lines. */
  readonly lines: readonly ContentLine[];
  /** `count` of matching lines if requested. */
  readonly files: readonly { readonly path: string; readonly count?: number | undefined }[];
  /** Matching lines or files up to the end of this page; the total if there are no more. */
  readonly seen: number;
  readonly more: boolean;
  /** If there were no matches: the number of searched files. */
  readonly searched?: number;
  /** Files that cannot be read as text: without matches, those that may contain one all the same, else those that do. */
  readonly unread?: readonly string[];
}

export interface ContentLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly isMatch: boolean;
}
