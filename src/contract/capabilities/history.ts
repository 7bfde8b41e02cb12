import type { Text } from '../text/text.ts';
import type { Folder } from './files.ts';

/**
 * The state of a path. A file without a digest was too large to keep. If a large file only grew, nothing is copied: the
 * old state is its first `bytes` (`isStart`), and the new state ends with `tail`.
 */
export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly bytes: number;
      /** Undefined if the system chose it for a new file. */
      readonly mode?: number | undefined;
      readonly digest?: string | undefined;
      readonly isStart?: boolean | undefined;
      readonly tail?: { readonly bytes: number; readonly digest: string } | undefined;
    }
  | { readonly kind: 'folder'; readonly mode?: number | undefined }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'other' };

export type HistoryAction = 'create' | 'replace' | 'append' | 'remove' | 'move' | 'command' | 'undo';

/** The caller that made a change, and the call. */
export interface Attribution {
  readonly principal: string;
  readonly sessionId: string;
  readonly tool: string;
  /** The id of the call's audit entry. */
  readonly auditId: string;
}

/** One change of one path. */
export interface HistoryEntry extends Attribution {
  readonly id: string;
  /** Order of the changes: microseconds since 1970, rising within a server. */
  readonly seq: number;
  readonly atMs: number;
  /** Host path of the root. */
  readonly root: string;
  readonly path: string;
  readonly action: HistoryAction;
  readonly before: FileState;
  readonly after: FileState;
  /** The entry that this one undid. */
  readonly undoes?: string | undefined;
  /** The entry that undid this one. */
  readonly undoneBy?: string | undefined;
}

export type NewHistoryEntry = Omit<HistoryEntry, 'undoneBy'>;

export interface HistoryQuery {
  /** Changes at this path and below it. */
  readonly at?: { readonly root: string; readonly path: string } | undefined;
  readonly sessionId?: string | undefined;
  readonly auditId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly beforeSeq?: number | undefined;
  /** Leave out undone changes. */
  readonly standing?: boolean | undefined;
  readonly limit: number;
}

/** Former contents of files, in the store that servers on several machines share. */
export interface SharedContents {
  /** Whether it is separate from the database, so that calls continue while it is slow or down. */
  readonly isFar?: boolean | undefined;
  /** Resolves when it would survive a power cut. Existing content is unchanged. */
  put(digest: string, parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  read(digest: string): Promise<Buffer | undefined>;
  /** Every content with its size and the time when it was stored. */
  all(): Promise<readonly { readonly digest: string; readonly bytes: number; readonly modifiedMs: number }[]>;
  /** Removes those stored before this time; one that was stored again since then stays. */
  remove(digests: readonly string[], beforeMs: number): Promise<void>;
}

/** The entries of the history; on one machine, contents are stored beside the store. */
export interface HistoryStore {
  /** Undefined if contents are only in a folder of this machine. */
  readonly contents?: SharedContents | undefined;
  /** The other servers that serve this root now, as `host` and address. */
  readonly servedBy?: ((root: string) => Promise<readonly string[]>) | undefined;
  /** Adds entries in order; existing ones are unchanged. */
  add(entries: readonly NewHistoryEntry[]): Promise<void>;
  get(id: string): Promise<HistoryEntry | undefined>;
  /** Newest first. */
  list(query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  /** The digests that entries need for undoing, newest entry first, a page at a time. */
  digests(
    beforeSeq: number | undefined,
    limit: number,
  ): Promise<readonly { readonly seq: number; readonly digest: string | undefined }[]>;
  /** Forgets entries up to this number, or older than this time. */
  forget(bound: { readonly upToSeq?: number; readonly beforeMs?: number }): Promise<number>;
}

/** The changes to undo, newest first. */
export type UndoSelection =
  | { readonly id: string }
  | { readonly sessionId: string }
  /** All changes of one call, or none if one path cannot be undone. */
  | { readonly auditId: string }
  | { readonly sinceMs: number };

export type UndoStep =
  | { readonly entry: HistoryEntry; readonly outcome: 'undone' | 'already' }
  /** A created folder that now contains files of others. It is removed once they are gone. */
  | { readonly entry: HistoryEntry; readonly outcome: 'stays' }
  | {
      readonly entry: HistoryEntry;
      readonly outcome: 'conflict';
      readonly found: FileState;
      /** Why undoing is impossible, if the current state of the path is not the reason. */
      readonly because?: Text;
    }
  | { readonly entry: HistoryEntry; readonly outcome: 'lost' };

export interface Undoing {
  /** Undoes the selected changes, newest first. Stops at the first that would lose a later change, unless `force`. */
  undo(
    selection: UndoSelection,
    options: {
      readonly folders: readonly Folder[];
      readonly who: Attribution;
      readonly force: boolean;
      readonly tell?: ((step: UndoStep) => void) | undefined;
    },
  ): Promise<readonly UndoStep[]>;
}
