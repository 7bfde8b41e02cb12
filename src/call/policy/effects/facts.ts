import type { DryRunChange, Effects, Losses } from '../../../contract/capabilities/dry-run.ts';

/** What rules ask of the effects of a command. A list that was cut hides nothing: what it does not show may be anything. */
export interface EffectFacts {
  readonly changes: readonly DryRunChange[];
  /** Changes that are not listed. */
  readonly unlisted: number;
  /** Files of those listed that are gone or emptied, whether somebody would miss them or not. */
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

/** A folder that goes takes what is in it along, which is counted and not named. */
export function isDeletedFolder({ change, kind }: DryRunChange): boolean {
  return change === 'deleted' && kind === 'folder';
}

function lostBy(change: DryRunChange): number {
  if (change.change === 'deleted') return isDeletedFolder(change) ? (change.files ?? Infinity) : 1;
  if (change.change === 'created' || change.kind === 'folder') return 0;
  // A link or a device where a file may have been. A line's end alone is no content.
  return change.kind !== 'file' || (change.bytes !== undefined && change.bytes <= 1) ? 1 : 0;
}
