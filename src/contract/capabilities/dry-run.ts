/**
 * What a command would have done to the files below the roots, as it is shown: deletions first, then by path; at most
 * `limits.dryRunChanges`. It ran on a copy-on-write layer that is thrown away.
 */
export interface DryRun extends Effects {
  /** A unified diff of those that are text, as far as they have room. Not cleaned. */
  readonly diff: string;
  /** Some that are text are not in the diff, or not whole. */
  readonly isDiffCut: boolean;
}

export interface DryRunChange {
  /** Host path of the root that it lies below. */
  readonly root: string;
  /** Relative to the root. */
  readonly path: string;
  readonly change: 'deleted' | 'created' | 'changed';
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  /** Of a deleted folder: the files in it and below. */
  readonly files?: number | undefined;
  /** Of a text. */
  readonly lines?: { readonly added: number; readonly removed: number } | undefined;
  /** Of a file, as it would be; as it is where it is deleted. */
  readonly bytes?: number | undefined;
  /** Octal, as `ls` counts them, e.g. "644 → 755"; absent where it stays. */
  readonly mode?: string | undefined;
}

/** What a command did on a layer, as rules read it. */
export interface Effects {
  readonly changes: readonly DryRunChange[];
  /** How many there are in all. */
  readonly total: number;
  readonly losses: Losses;
}

/**
 * What would be missed. Never counted: what programs make and can make again, what git is told to ignore, what the session
 * itself had made, and what the command only moved.
 */
export interface Losses {
  /** Files that are gone, emptied or overwritten, and that git does not keep either. */
  readonly files: number;
  /** Those of them whose content the history will not keep: too large, or more than it has room for. Absent: none. */
  readonly unkept?: number | undefined;
  /** The same, of commands of the session before this one, as far as nobody has looked at them. */
  readonly earlier: number;
  /** With those that git keeps. */
  readonly withKept: number;
  /** Of so many that were there; counted only as far as it takes to know whether that is most of them. */
  readonly of: number;
  /** Repositories that are no longer whole, by the first path that shows it. */
  readonly repositories: readonly string[];
  /** Paths that something obeys later, outside and unasked, and whose content is new. */
  readonly obeyed: readonly string[];
}
