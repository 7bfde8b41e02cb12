import { setImmediate as giveWay } from 'node:timers/promises';
import type { HistoryStore, NewHistoryEntry } from '../contract/capabilities/history.ts';
import type { Journal } from './journal.ts';

/** Adds entries to the store, and knows which are not there yet. */
export interface Adding {
  add(entries: readonly NewHistoryEntry[]): Promise<void>;
  /** Adds entries that the journal notes. If that fails, they are added with the next ones. */
  addNoted(entries: readonly NewHistoryEntry[]): Promise<void>;
  /** `settled` waits for this work. */
  track<T>(work: Promise<T>): Promise<T>;
  settled(): Promise<void>;
}

export function createAdding(store: () => Promise<HistoryStore>, journal: Journal): Adding {
  const underWay = new Set<Promise<unknown>>();
  const late: NewHistoryEntry[] = [];

  async function add(entries: readonly NewHistoryEntry[]): Promise<void> {
    const history = await store();
    // Let other work run. After a kill in between, the journal's entries are added again.
    for (let at = 0; at < entries.length; at += entriesAtOnce) {
      if (at > 0) await giveWay();
      await history.add(entries.slice(at, at + entriesAtOnce));
    }
  }

  async function addNoted(entries: readonly NewHistoryEntry[]): Promise<void> {
    const noted = [...late.splice(0), ...entries];
    try {
      await add(noted);
    } catch (error) {
      late.push(...noted);
      throw error;
    }
    journal.end(noted.length);
  }

  return {
    add,
    addNoted,
    track(work) {
      underWay.add(work);
      const forget = () => underWay.delete(work);
      work.then(forget, forget);
      return work;
    },
    async settled() {
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
      // Entries that cannot be added now stay in the journal; the next start adds them.
      if (late.length > 0) await addNoted([]).catch(() => {});
    },
  };
}

const entriesAtOnce = 500;
