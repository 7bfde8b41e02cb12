import type { DryRunChange, Effects, Losses } from '../../../contract/capabilities/dry-run.ts';

/** A command's effects, for rules. A list that was cut hides nothing: an unlisted change may be anything. */
export interface EffectFacts {
  readonly changes: readonly DryRunChange[];
  /** The number of changes that are not listed. */
  readonly unlisted: number;
  /** Listed files that are deleted or emptied, whether they matter or not. */
  readonly lostFiles: number;
  readonly losses: Losses;
}

export function factsOf({ changes, total, losses }: Effects): EffectFacts {
  return {
    changes,
    unlisted: Math.max(0, total - changes.length),
    lostFiles: changes.reduce((sum, change) => sum + lostBy(change), 0),
    losses,
  };
}

/** A deleted folder loses its files too; they are counted and not listed. */
export function isDeletedFolder({ change, kind }: DryRunChange): boolean {
  return change === 'deleted' && kind === 'folder';
}

function lostBy(change: DryRunChange): number {
  if (change.change === 'deleted') return isDeletedFolder(change) ? (change.files ?? Infinity) : 1;
  if (change.change === 'created' || change.kind === 'folder') return 0;
  // A link or a device may have replaced a file. A single line end is no content.
  return change.kind !== 'file' || (change.bytes !== undefined && change.bytes <= 1) ? 1 : 0;
}
