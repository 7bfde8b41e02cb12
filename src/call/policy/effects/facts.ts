import type { DryRun, DryRunChange } from '../../../contract/capabilities/dry-run.ts';

/** What rules ask of the effects of a command. A list that was cut hides nothing: what it does not show may be anything. */
export interface EffectFacts {
  readonly changes: readonly DryRunChange[];
  /** Changes that are not listed. */
  readonly unlisted: number;
  /** Files of those listed that are gone or emptied. */
  readonly lostFiles: number;
  /** How many there were, as far as they were counted. */
  readonly filesBefore: number;
  /** And whose content was replaced by something that is no text. */
  readonly replacedFiles: number;
}

export function factsOf({ changes, total, filesBefore }: DryRun): EffectFacts {
  return {
    changes,
    filesBefore,
    unlisted: Math.max(0, total - changes.length),
    lostFiles: changes.reduce((sum, change) => sum + lostBy(change), 0),
    replacedFiles: changes.filter(isReplaced).length,
  };
}

/** A folder that goes takes what is in it along, which is counted and not named. */
export function isDeletedFolder({ change, kind }: DryRunChange): boolean {
  return change === 'deleted' && kind === 'folder';
}

function lostBy(change: DryRunChange): number {
  if (change.change === 'deleted') return isDeletedFolder(change) ? (change.files ?? Infinity) : 1;
  if (change.change === 'created' || change.kind === 'folder') return 0;
  // A link or a device where a file may have been.
  return change.kind !== 'file' || isEmptied(change) ? 1 : 0;
}

/** A line's end alone is no content. */
function isEmptied({ bytes }: DryRunChange): boolean {
  return bytes !== undefined && bytes <= 1;
}

function isReplaced(changed: DryRunChange): boolean {
  const { change, kind, lines, mode } = changed;
  return change === 'changed' && kind === 'file' && !isEmptied(changed) && !lines && mode === undefined;
}
