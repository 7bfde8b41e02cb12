import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { ChangeObserver, FileChange } from '../contract/capabilities/files.ts';
import type {
  Attribution,
  FileState,
  HistoryAction,
  HistoryStore,
  NewHistoryEntry,
} from '../contract/capabilities/history.ts';
import type { Text } from '../contract/text/text.ts';
import { afterOf, cannotKeep, didHappen, keepFormer } from './change-state.ts';
import type { Contents } from './contents.ts';
import { KnownFiles } from './known.ts';
import { createMadeBy } from './made-by.ts';
import { type Overwrite, refusedAs, staleness, toldOf } from './stale.ts';

/** Changes that are about to happen and are not in the store yet. Those that a power cut takes were not acknowledged. */
export interface Journal {
  begin(...entries: readonly NewHistoryEntry[]): void;
  /** This number of changes is in the store now, or did not happen. */
  end(count: number): void;
  close(): void;
}

export interface RecorderOptions {
  readonly store: () => Promise<HistoryStore>;
  readonly contents: Contents;
  readonly journal: Journal;
  readonly now: () => number;
  /** Waits until the notes of killed servers are dealt with: later, their changes could not be told from ours. */
  readonly recovered: () => Promise<void>;
  /** Larger files are changed without keeping their content. */
  readonly maxFileBytes: number;
  /** Called with entries that are about to be added. */
  readonly onChanges?: ((entries: readonly NewHistoryEntry[]) => void) | undefined;
  /** The treatment of a write over a change that its session does not know. */
  readonly stale: 'tell' | 'refuse' | 'off';
  /** Does the session have commands in the background, whose changes are its own? */
  readonly isBusy: (sessionId: string) => Promise<boolean>;
}

/** A change of one path; the action is `command` unless given. */
export type NewChange = Pick<NewHistoryEntry, 'root' | 'path' | 'before' | 'after'> & {
  readonly action?: HistoryAction;
};

export interface Prepared {
  /** Enters the changes that happened: all of them, or those that a look at each path confirms. */
  enter(all: boolean): Promise<void>;
}

/** Called with a call's entries and a promise that they are safe from a power cut, for which the reply waits. */
export type Tell = (ids: readonly string[], durable: Promise<void>) => void;

interface Scope {
  readonly who: Attribution;
  readonly entries: NewHistoryEntry[];
  /** Syncs of changed files that still run. */
  readonly syncs: Promise<void>[];
  /** Resolves when the call that changes something is noted on disk. */
  readonly noted: () => Promise<void>;
  /** Adds words to the call's reply. */
  readonly add: (words: Text) => void;
  isOver: boolean;
}

interface Pending {
  readonly entry: NewHistoryEntry;
  readonly durable: Promise<void>;
}

/** Records each change: its content before it happens, its entry by the end of the call. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #scopes = new AsyncLocalStorage<Scope>();
  readonly #pending = new WeakMap<FileChange, Pending>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Noted entries whose addition failed. */
  readonly #late: NewHistoryEntry[] = [];
  readonly madeBy = createMadeBy();
  readonly known = new KnownFiles();
  readonly #listeners = new Set<(root: string, path: string) => void>();
  #last = 0;
  readonly observer: ChangeObserver = {
    mayChange: async () => {
      await this.#scopes.getStore()?.noted();
    },
    beforeChange: async (change) => {
      const noted = this.#scopes.getStore()?.noted() ?? settled;
      // Awaited below; this only prevents an unhandled rejection.
      noted.catch(() => {});
      try {
        if (!isOurs(change.path)) {
          await this.#options.recovered();
          await this.#begin(change);
        }
        await noted;
      } catch (cause) {
        this.#forget(change);
        throw cannotKeep(cause);
      }
    },
    afterChange: async (change, durable) => {
      const told = this.#pending.get(change);
      if (!told) return durable;
      this.#pending.delete(change);
      this.#tellOf(change.rootHostPath, change.path);
      const content = change.action === 'append' ? undefined : change.content;
      await Promise.all([told.durable, this.#enter(told.entry, content), this.#withTheCall(durable)]);
    },
    changeFailed: (change) => this.#forget(change),
    wasRead: (hostPath, descriptor, bytes) => this.known.wasRead(hostPath, descriptor, bytes),
    folderMade: (folder) => {
      if (isOurs(folder.path)) return;
      const entry = this.#entryFor(folder, 'create', { kind: 'absent' }, { kind: 'folder' });
      this.#options.journal.begin(entry);
      this.#tellOf(folder.rootHostPath, folder.path);
      // If the entry cannot be added now, its note in the journal adds it later.
      void this.#enter(entry).catch(() => {});
    },
  };

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Id, order and time of a new entry. */
  stamp(): Pick<NewHistoryEntry, 'id' | 'seq' | 'atMs'> {
    const atMs = this.#options.now();
    this.#last = Math.max(this.#last + 1, atMs * 1000);
    return { id: `h${newDigits()}`, seq: this.#last, atMs };
  }

  /** The attribution of the current call. */
  current(): Attribution {
    return this.#scopes.getStore()?.who ?? nobody;
  }

  /** Runs work whose changes are attributed to `who`, and reports its entries before the first change is made. */
  async attribute<T>(
    who: Attribution,
    work: () => Promise<T>,
    tell: Tell,
    noted: () => Promise<void> = async () => {},
    add: (words: Text) => void = () => {},
  ): Promise<T> {
    const scope: Scope = { who, entries: [], syncs: [], noted, add, isOver: false };
    try {
      return await this.#scopes.run(scope, work);
    } finally {
      scope.isOver = true;
      const { entries, syncs } = scope;
      if (entries.length > 0) {
        // The call's audit entry follows at once: they share a transaction and its sync.
        const durable = this.#track(all([this.#addNoted(entries), ...syncs]));
        const ids = entries.map(({ id }) => id);
        tell(ids, durable);
      }
    }
  }

  /** Notes changes that are about to happen, so that a kill loses none of them. */
  async prepare(changes: readonly NewChange[], who: Attribution): Promise<Prepared> {
    const entries: NewHistoryEntry[] = [];
    for (let at = 0; at < changes.length; at += notesAtOnce) {
      // Let other work run.
      if (at > 0) await giveWay();
      const some = this.#entriesOf(changes.slice(at, at + notesAtOnce), who);
      this.#options.journal.begin(...some);
      entries.push(...some);
    }
    return {
      enter: async (all) => {
        const happened = all ? entries : entries.filter(didHappen);
        await this.madeBy.note(happened);
        this.known.changed(happened);
        this.#options.journal.end(entries.length - happened.length);
        const scope = this.#scopes.getStore();
        if (!scope || scope.isOver || scope.who.auditId !== who.auditId) return this.#store(happened);
        for (const entry of happened) scope.entries.push(entry);
      },
    };
  }

  /** Adds entries for changes that were found afterwards; the action is `command` unless given. */
  async add(changes: readonly NewChange[], who: Attribution): Promise<void> {
    const entries = this.#entriesOf(changes, who);
    await this.madeBy.note(entries);
    this.known.changed(entries);
    // Changes with an action of their own do not come from a command that runs at the same time.
    for (const { action, root, path } of entries) if (action !== 'command') this.#tellOf(root, path);
    const scope = this.#scopes.getStore();
    if (!scope || scope.isOver || scope.who !== who) {
      this.#options.onChanges?.(entries);
      return this.#track(this.#add(entries));
    }
    for (let at = 0; at < entries.length; at += notesAtOnce)
      this.#options.journal.begin(...entries.slice(at, at + notesAtOnce));
    for (const entry of entries) scope.entries.push(entry);
  }

  /** Calls back for each change here until the returned function is called. */
  listen(told: (root: string, path: string) => void): () => void {
    this.#listeners.add(told);
    return () => void this.#listeners.delete(told);
  }

  /** Notes a change before `work` makes it, and adds its entry afterwards. */
  async change(entry: NewHistoryEntry, work: () => Promise<void>): Promise<void> {
    this.#options.journal.begin(entry);
    try {
      await work();
    } catch (error) {
      if (!didHappen(entry)) {
        this.#options.journal.end(1);
        throw error;
      }
    }
    this.#tellOf(entry.root, entry.path);
    await this.#store([entry]);
  }

  /** Waits until all current changes are recorded. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled([...this.#underWay]);
    // Entries that cannot be added now stay in the journal; the next start adds them.
    if (this.#late.length > 0) await this.#addNoted([]).catch(() => {});
  }

  async #add(entries: readonly NewHistoryEntry[]): Promise<void> {
    const history = await this.#options.store();
    // Let other work run. After a kill in between, the journal's entries are added again.
    for (let at = 0; at < entries.length; at += notesAtOnce) {
      if (at > 0) await giveWay();
      await history.add(entries.slice(at, at + notesAtOnce));
    }
  }

  /** Adds entries that the journal notes. If that fails, they are added with the next ones. */
  async #addNoted(entries: readonly NewHistoryEntry[]): Promise<void> {
    this.#options.onChanges?.(entries);
    const noted = [...this.#late.splice(0), ...entries];
    try {
      await this.#add(noted);
    } catch (error) {
      this.#late.push(...noted);
      throw error;
    }
    this.#options.journal.end(noted.length);
  }

  /** `settled` waits for this work. */
  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const forget = () => this.#underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  #tellOf(root: string, path: string): void {
    for (const told of this.#listeners) told(root, path);
  }

  #entryFor(
    change: Pick<FileChange, 'rootHostPath' | 'path'>,
    action: HistoryAction,
    before: FileState,
    after: FileState,
  ): NewHistoryEntry {
    const { rootHostPath: root, path } = change;
    return { ...this.stamp(), ...this.current(), root, path, action, before, after };
  }

  #entriesOf(changes: readonly NewChange[], who: Attribution): readonly NewHistoryEntry[] {
    return changes.map((change) => ({ ...this.stamp(), ...who, action: 'command' as const, ...change }));
  }

  /** Adds the entry to the call's list, which is stored when the call ends; without a call, stores it at once. */
  #enter(entry: NewHistoryEntry, content?: Uint8Array): Promise<void> {
    void this.madeBy.note([entry]);
    this.known.changed([entry], content);
    const scope = this.#scopes.getStore();
    if (scope && !scope.isOver) {
      scope.entries.push(entry);
      return Promise.resolve();
    }
    return this.#store([entry]);
  }

  #store(entries: readonly NewHistoryEntry[]): Promise<void> {
    return this.#track(this.#addNoted(entries));
  }

  /** A call waits for its syncs at its end, but only a limited number may be pending. */
  async #withTheCall(durable: Promise<void>): Promise<void> {
    const scope = this.#scopes.getStore();
    if (!scope || scope.isOver) return durable;
    // Awaited when the call ends; this only prevents an unhandled rejection.
    durable.catch(() => {});
    scope.syncs.push(durable);
    if (scope.syncs.length >= syncsTogether) await Promise.all(scope.syncs.splice(0));
  }

  /** Tells the call that it is about to write over a change of others. Throws `conflict` if it may not. */
  async assertFresh(file: Omit<Overwrite, 'sessionId'>): Promise<Text | undefined> {
    const scope = this.#scopes.getStore();
    const { stale, isBusy } = this.#options;
    if (!scope || stale === 'off') return undefined;
    const { sessionId } = scope.who;
    const found = await staleness(this.known, { ...file, sessionId });
    if (!found || (await isBusy(sessionId))) return undefined;
    if (stale === 'refuse') throw refusedAs(found);
    const words = toldOf(found);
    scope.add(words);
    return words;
  }

  async #begin(change: FileChange): Promise<void> {
    const { former, content } = change;
    let before: FileState = { kind: 'absent' };
    let durable = settled;
    if (former && change.growsInPlace) {
      before = { kind: 'file', bytes: former.stat.bytes, mode: former.stat.mode & 0o7777, isStart: true };
    } else if (former) {
      ({ state: before, durable } = await keepFormer(former, this.#options));
      const { rootHostPath, path, fromEarlier } = change;
      if (fromEarlier)
        await this.assertFresh({
          hostPath: join(rootHostPath, path),
          shown: path,
          before,
          read: former.read,
        });
    }
    const entry = this.#entryFor(change, change.action, before, afterOf(change, content));
    this.#options.journal.begin(entry);
    this.#pending.set(change, { entry, durable });
  }

  /** The change failed or was not begun. */
  #forget(change: FileChange): void {
    const told = this.#pending.get(change);
    if (!told) return;
    this.#pending.delete(change);
    // A change may fail after its file has its name. If the entry cannot be added now, its note in the journal adds it
    // later.
    if (didHappen(told.entry)) void this.#enter(told.entry).catch(() => {});
    else this.#options.journal.end(1);
  }
}

/** Fourteen random digits: the end of a UUID is all random, and Node prepares UUIDs in advance. */
function newDigits(): string {
  return randomUUID().replaceAll('-', '').slice(-14);
}

async function all(works: readonly Promise<void>[]): Promise<void> {
  await Promise.all(works);
}

/** The pipeline's mirror is itself a record. */
function isOurs(path: string): boolean {
  return path === '.shelpa' || path.startsWith('.shelpa/');
}

const nobody: Attribution = { principal: 'server', sessionId: '', tool: '', auditId: '' };
const settled = Promise.resolve();
/** Each sync holds a descriptor and a thread. */
const syncsTogether = 16;

const notesAtOnce = 500;
