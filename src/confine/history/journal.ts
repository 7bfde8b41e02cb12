import type { NewHistoryEntry } from '../../contract/capabilities/history.ts';
import { leftUnderWay, openUnderWay } from '../files/changing/under-way.ts';

/**
 * Changes that are about to happen and are not in the store yet. What a power cut takes of them was not
 * acknowledged.
 */
export interface Journal {
  begin(...entries: readonly NewHistoryEntry[]): void;
  /** So many of them are in the store now, or did not happen. */
  end(count: number): void;
  close(): void;
}

export function openJournal(folder: string): Journal {
  return openUnderWay(folder, 'changes');
}

/** What killed processes left behind, and what to call when it is dealt with. */
export function leftBehind(folder: string): { readonly entries: readonly NewHistoryEntry[]; done(): void }[] {
  return leftUnderWay(folder, 'changes').map(({ notes, done }) => ({
    entries: notes as readonly NewHistoryEntry[],
    done,
  }));
}
