import type { NewHistoryEntry } from '../contract/capabilities/history.ts';
import { leftUnderWay, openUnderWay } from '../files/changing/under-way.ts';

/**
 * Changes that are about to happen and are not in the store yet. Entries that a power cut takes were not acknowledged.
 */
export interface Journal {
  begin(...entries: readonly NewHistoryEntry[]): void;
  /** This number of changes is in the store now, or did not happen. */
  end(count: number): void;
  close(): void;
}

export function openJournal(folder: string): Journal {
  return openUnderWay(folder, 'changes');
}

/** The notes of killed processes, with a function to call once they are dealt with. */
export function leftBehind(folder: string): { readonly entries: readonly NewHistoryEntry[]; done(): void }[] {
  return leftUnderWay(folder, 'changes').map(({ notes, done }) => ({
    entries: notes as readonly NewHistoryEntry[],
    done,
  }));
}
