import type { Text } from '../text/text.ts';
import type { Folder } from './files.ts';

/**
 * What was at a path. A file without a digest was too large to be kept. Where a large file only grew, nothing is
 * copied: the state before is the first `bytes` of it (`isStart`), the state after ends with `tail`.
 */
export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly bytes: number;
      /** Absent where the system chose it for a new file. */
      readonly mode?: number | undefined;
      readonly digest?: string | undefined;
      readonly isStart?: boolean | undefined;
      readonly tail?: { readonly bytes: number; readonly digest: string } | undefined;
    }
  | { readonly kind: 'folder'; readonly mode?: number | undefined }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'other' };

export type HistoryAction = 'create' | 'replace' | 'append' | 'remove' | 'move' | 'command' | 'undo';

/** Who made a change, and in which call. */
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
  /** The entry that this one took back. */
  readonly undoes?: string | undefined;
  /** The entry that took this one back. */
  readonly undoneBy?: string | undefined;
}

export type NewHistoryEntry = Omit<HistoryEntry, 'undoneBy'>;

export interface HistoryQuery {
  /** Changes at this path and below it. */
  readonly at?: { readonly root: string; readonly path: string } | undefined;
  readonly sessionId?: string | undefined;
  /** Of one call. */
  readonly auditId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly beforeSeq?: number | undefined;
  /** Leave out what was taken back. */
  readonly standing?: boolean | undefined;
  readonly limit: number;
}

/** What files held, in the store that servers on several machines share. */
export interface SharedContents {
  /** Is it no part of the database, so that calls go on while it is slow or away? */
  readonly isFar?: boolean | undefined;
  /** Resolves when it would survive a power cut. One that is there already stays. */
  put(digest: string, parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  read(digest: string): Promise<Buffer | undefined>;
  /** Every content with its size and when it came. */
  all(): Promise<readonly { readonly digest: string; readonly bytes: number; readonly modifiedMs: number }[]>;
  /** Removes those that came before; one that was put again since then stays. */
  remove(digests: readonly string[], beforeMs: number): Promise<void>;
}

/** The entries; on one machine their contents lie beside the store. */
export interface HistoryStore {
  /** Absent where a folder of this machine is all there is. */
  readonly contents?: SharedContents | undefined;
  /** Who else serves this root now, as `host` and address. */
  readonly servedBy?: ((root: string) => Promise<readonly string[]>) | undefined;
  /** Adds entries in their order; one that is there already stays as it is. */
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

/** Which changes to take back, newest first. */
export type UndoSelection =
  | { readonly id: string }
  | { readonly sessionId: string }
  /** All that one call changed: nothing of it where one path cannot be taken back. */
  | { readonly auditId: string }
  | { readonly sinceMs: number };

/** What became of one entry. */
export type UndoStep =
  | { readonly entry: HistoryEntry; readonly outcome: 'undone' | 'already' }
  /** A folder that was made, for what others have put into it. It goes once that has gone. */
  | { readonly entry: HistoryEntry; readonly outcome: 'stays' }
  | {
      readonly entry: HistoryEntry;
      readonly outcome: 'conflict';
      readonly found: FileState;
      /** Why it cannot be done at all, where that is not what is found there. */
      readonly because?: Text;
    }
  | { readonly entry: HistoryEntry; readonly outcome: 'lost' };

/** Takes back what was changed. */
export interface Undoing {
  /**
   * Takes the selected changes back one after another, newest first, and tells of each. Stops at the first that cannot be
   * taken back without losing a later change, unless `force`.
   */
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
