/** What a command would have done to the files below the roots. It ran on a copy-on-write layer that is thrown away. */
export interface DryRun {
  /** Deletions first, then by path; at most `limits.dryRunChanges`. */
  readonly changes: readonly DryRunChange[];
  /** How many there are in all. */
  readonly total: number;
  /** Files that were below the roots, what git keeps for itself left out; no more than `limits.dryRunFiles` are counted. */
  readonly filesBefore: number;
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
