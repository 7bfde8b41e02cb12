/**
 * The changes that a command would have made to files below the roots: deletions first, then by path, at most
 * `limits.dryRunChanges`. It ran on a copy-on-write layer that is discarded.
 */
export interface DryRun extends Effects {
  /** A unified diff of the text files, as far as it fits. Not cleaned. */
  readonly diff: string;
  /** Some text files are not in the diff, or not whole. */
  readonly isDiffCut: boolean;
}

export interface DryRunChange {
  /** Host path of the root. */
  readonly root: string;
  /** Relative to the root. */
  readonly path: string;
  readonly change: 'deleted' | 'created' | 'changed';
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  /** Of a deleted folder: the files in it and below. */
  readonly files?: number | undefined;
  /** The first of these files, relative to the folder; only for a deleted folder. */
  readonly names?: readonly string[] | undefined;
  /** Only for text. */
  readonly lines?: { readonly added: number; readonly removed: number } | undefined;
  /** Size of the file after the change, or before its deletion. */
  readonly bytes?: number | undefined;
  /** In octal, e.g. "644 → 755"; undefined if unchanged. */
  readonly mode?: string | undefined;
}

/** The effects of a command on a layer, for rules to read. */
export interface Effects {
  readonly changes: readonly DryRunChange[];
  /** The number of all changes. */
  readonly total: number;
  readonly losses: Losses;
}

/** The losses that matter: no build output, ignored or moved files, or files that the session itself created. */
export interface Losses {
  /** Files that are deleted, emptied or overwritten, and that git does not have either. */
  readonly files: number;
  /** Those that the history cannot keep either: too large, too much, or with a name that is not UTF-8. Default: 0. */
  readonly unkept?: number | undefined;
  /** The same for earlier commands of the session that no person has reviewed. */
  readonly earlier: number;
  /** `files` plus those that git has. */
  readonly withKept: number;
  /** The number of files that existed; counting stops when it is clear whether most of them are lost. */
  readonly of: number;
  /** Repositories that are damaged, each as the first path that shows it. */
  readonly repositories: readonly string[];
  /** Refs and reflogs of git without which a commit or a stash can no longer be reached. */
  readonly names: readonly string[];
  /** Paths with new content that programs outside run or obey later without asking. */
  readonly obeyed: readonly string[];
}
