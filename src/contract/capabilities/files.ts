import type { Buffer } from 'node:buffer';

/** Folders that were lent, held open since start-up. The only way to a file is through `at`. */
export interface Folder {
  /**
   * The place that a path names, proven inside: relative paths from `base` (default: the first root), absolute
   * ones where they lie in a root. Throws `invalid_path`, `out_of_scope`, or `forbidden` for a symbolic link that
   * leads out, where this folder follows links; where it does not, the disk is not looked at.
   */
  at(path: string, options?: { readonly base?: string }): Place;
  /** A part of this folder as a folder of its own: paths are relative to it and cannot leave it. */
  sub(path: string): Folder;
  /** The roots as the caller may know them: label and whether they can be written. */
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
 * Which lines to read. A line ends at LF or at the end of the file; an empty file has one. Lines count from 1,
 * characters are code points. A negative `startLine` counts from the end: -1 is the last line.
 */
export interface TextRange {
  readonly startLine?: number | undefined;
  /** Characters (code points) of that line to skip. */
  readonly charOffset?: number | undefined;
  readonly endLine?: number | undefined;
  readonly maxChars?: number | undefined;
  /** The same as UTF-8, whatever the encoding of the file. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TextSlice {
  /** As in the file, line endings kept, BOM dropped. */
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Absent where the end was not reached and the file has no index yet. */
  readonly totalLines?: number | undefined;
  /** `maxChars` or `maxBytes` ended it before `endLine`. */
  readonly truncated: boolean;
  readonly nextStartLine?: number | undefined;
  /** The last line alone is longer than `maxChars`: it goes on at `nextStartLine` with `nextCharOffset`. */
  readonly cutInLine?: boolean | undefined;
  readonly nextCharOffset?: number | undefined;
  readonly encoding: TextEncoding;
  readonly hasBom: boolean;
}

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'shift_jis' | 'euc-jp';

export interface WholeText {
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly hasBom: boolean;
  readonly stat: FileStat;
}

export interface WriteOptions {
  readonly signal?: AbortSignal | undefined;
  /** Refuse (`conflict`) if the file is not the one that was read. */
  readonly expected?: FileStat | undefined;
  /** How a string is written; default: UTF-8 without a byte order mark. UTF-16 always begins with one. */
  readonly encoding?: TextEncoding | undefined;
  readonly withBom?: boolean | undefined;
}

export interface Written {
  readonly bytes: number;
  readonly created: boolean;
}

/**
 * A path that was proven inside its root. Every operation walks there by descriptors, follows no symbolic link at
 * any component, and opens regular files only. Errors: `not_found`, `forbidden` (a link on the way, a protected
 * name, a root that is not writable), `conflict`, `unsupported_type` (a folder, FIFO, socket or device),
 * `storage_full`, `too_large`, `cancelled`.
 */
export interface Place {
  /** Relative to its root, `/` between components, `.` for the root itself. Rules compare this. */
  readonly path: string;
  /** How the caller may be told of it: relative where it lies in the first root, else absolute as they wrote it. */
  readonly shown: string;
  readonly rootIndex: number;
  /** Absolute host path for a command's operand; hold it no longer than a call. */
  readonly hostPath: string;

  stat(): FileStat;
  exists(): boolean;
  readBytes(options?: { readonly maxBytes?: number; readonly signal?: AbortSignal }): Promise<Buffer>;
  /** A bounded part of a text of any size. `unsupported_encoding` for what is not text (`details.mime_type`). */
  readText(range?: TextRange): Promise<TextSlice>;
  /** All of a text up to `maxBytes` (default: `limits.writeBytes`). */
  readWhole(options?: { readonly maxBytes?: number; readonly signal?: AbortSignal }): Promise<WholeText>;
  /** MIME type by content, then by name. Reads the first 4 KiB. */
  mimeType(): Promise<{ readonly mime: string; readonly isText: boolean }>;
  /** Opens the regular file for reading; the caller closes the descriptor. */
  openRead(): number;
  /**
   * Runs work that reads a file and then changes it, through the place that it is given, while no other call and no
   * other server changes it. The work begins anew where the file appears while it is being made.
   */
  inTurn<T>(work: (held: Place) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** What is there under a name much like this one's, as a caller would write it. Errors of reading name it too. */
  lookalikes(): readonly string[];
  /** Children, unsorted, by one pass over the folder. */
  entries(): FolderEntry[];
  /** The same in portions, in no order, while others run: a folder may hold a million. */
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
 * Told before a file is changed or removed, while its former content can still be read. Undo is built on it. What
 * `beforeChange` throws refuses the change; a change that fails afterwards has no `afterChange`.
 */
export interface ChangeObserver {
  beforeChange(change: FileChange): void | Promise<void>;
  /** Resolves when something may be changed that no `beforeChange` tells of: a folder is made, or moved. */
  mayChange?(): Promise<void>;
  /** `durable` resolves when the change would survive a power cut: waited for here, or before the call's reply. */
  afterChange?(change: FileChange, durable: Promise<void>): void | Promise<void>;
  /** Told of a change that failed after `beforeChange` had agreed to it. */
  changeFailed?(change: FileChange): void;
  /** A folder was made on the way to a file, or for its own sake. */
  folderMade?(folder: Pick<FileChange, 'rootHostPath' | 'path'>): void;
}

export interface FileChange {
  readonly action: 'create' | 'replace' | 'append' | 'remove' | 'move';
  readonly rootHostPath: string;
  readonly path: string;
  /** What is there now. Its descriptor reads it, and stays open until the change is over. */
  readonly former?: FormerFile | undefined;
  readonly bytes?: number | undefined;
  /** The whole new content; with `growsInPlace` and for an append, what is added. */
  readonly content?: Uint8Array | undefined;
  /** The file keeps what it holds, and is not written anew. */
  readonly growsInPlace?: boolean | undefined;
  /** The file under its old name, which gets this one. */
  readonly movedFrom?: FormerFile | undefined;
}

export interface FormerFile {
  readonly stat: FileStat;
  /** All of it, however large it is. */
  readonly read: () => Buffer;
  /** -1 for a folder. */
  readonly descriptor: number;
}

/** Searching below a folder by ripgrep. */
export interface Search {
  names(query: NameQuery): Promise<NameMatches>;
  content(query: ContentQuery): Promise<ContentMatches>;
}

export interface NameQuery {
  readonly below: Place;
  /** `*` stays within a name, `**` crosses folders; braces and classes. */
  readonly pattern: string;
  readonly includeIgnored?: boolean | undefined;
  readonly newestFirst?: boolean | undefined;
  /** Paths below `below` that the caller may not know of. */
  readonly skip?: ((path: string) => boolean) | undefined;
  readonly limit: number;
  readonly offset?: number | undefined;
  /** A further page: it may be served from what the session's last look for the same gathered. */
  readonly continues?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface NameMatches {
  /** Relative to `below`. */
  readonly paths: readonly string[];
  readonly total: number;
  /** How many files there were to match. */
  readonly searched: number;
  /** How many more would match in folders below, where the pattern is but a name. */
  readonly deeper: number;
}

export interface ContentQuery {
  readonly below: Place;
  readonly pattern: string;
  readonly glob?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  readonly fixed?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  readonly includeIgnored?: boolean | undefined;
  readonly context?: number | undefined;
  readonly output: 'content' | 'files' | 'count';
  readonly skip?: ((path: string) => boolean) | undefined;
  /** Counts matching lines for `content`, files otherwise. */
  readonly limit: number;
  readonly offset?: number | undefined;
  /** A further page: it may be served from what the session's last look for the same gathered. */
  readonly continues?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface ContentMatches {
  /** By path, then by line; the lines around a match come with it. */
  readonly lines: readonly ContentLine[];
  /** `count` of matching lines where they were asked for. */
  readonly files: readonly { readonly path: string; readonly count?: number | undefined }[];
  /** Matching lines or files from the first to the last of this page: all that there are, unless there is more. */
  readonly seen: number;
  readonly more: boolean;
  /** How many files were looked into, where nothing was seen. */
  readonly searched?: number;
  /** Those that are not UTF-8 text, and could hold it all the same. */
  readonly unread?: readonly string[];
}

export interface ContentLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly isMatch: boolean;
}
