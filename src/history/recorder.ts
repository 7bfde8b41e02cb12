import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { ChangeObserver, FileChange } from '../contract/capabilities/files.ts';
import type {
  Attribution,
  FileState,
  HistoryAction,
  HistoryStore,
  NewHistoryEntry,
} from '../contract/capabilities/history.ts';
import { createAdding } from './adding.ts';
import { afterOf, didHappen } from './change-state.ts';
import type { Contents } from './contents.ts';
import { cannotKeep, keepFormer } from './former.ts';
import type { Journal } from './journal.ts';
import { createMadeBy, type MadeBy } from './made-by.ts';

export interface RecorderOptions {
  readonly store: () => Promise<HistoryStore>;
  readonly contents: Contents;
  readonly journal: Journal;
  readonly now: () => number;
  /** Waits until the notes of killed servers are dealt with: later, their changes could not be told from ours. */
  readonly recovered: () => Promise<void>;
  /** Larger files are changed without keeping their content. */
  readonly maxFileBytes: number;
}

/** Records each change: its content before it happens, its entry by the end of the call. */
export interface Recorder {
  /** Id, order and time of a new entry. */
  stamp(): Pick<NewHistoryEntry, 'id' | 'seq' | 'atMs'>;
  readonly observer: ChangeObserver;
  /**
   * Runs work whose changes are attributed to `who`, and reports its entries. No change is made before `noted`
   * resolves.
   */
  attribute<T>(who: Attribution, work: () => Promise<T>, tell: Tell, noted?: () => Promise<void>): Promise<T>;
  /** The attribution of the current call. */
  current(): Attribution;
  /** Notes changes that are about to happen, so that a kill loses none of them. */
  prepare(changes: readonly NewChange[], who: Attribution): Promise<Prepared>;
  /** Adds entries for changes that were found afterwards; the action is `command` unless given. */
  add(changes: readonly NewChange[], who: Attribution): Promise<void>;
  readonly madeBy: Pick<MadeBy, 'has'>;
  /** Calls back for each change here until the returned function is called. */
  listen(told: (root: string, path: string) => void): () => void;
  /** Notes a change before `work` makes it, and adds its entry afterwards. */
  change(entry: NewHistoryEntry, work: () => Promise<void>): Promise<void>;
  /** Waits until all current changes are recorded. */
  settled(): Promise<void>;
}

/** A change of one path; the action is `command` unless given. */
export type NewChange = Pick<NewHistoryEntry, 'root' | 'path' | 'before' | 'after'> & {
  readonly action?: HistoryAction;
};

export interface Prepared {
  /** Enters the changes that happened: all of them, or those that a look at each path confirms. */
  enter(all: boolean): Promise<void>;
}

/**
 * Called with a call's entries, if there are any, and a promise that they and their changes are safe from a power cut.
 * The reply waits for that promise.
 */
export type Tell = (ids: readonly string[], durable: Promise<void>) => void;

interface Scope {
  readonly who: Attribution;
  readonly entries: NewHistoryEntry[];
  /** Syncs of changed files that still run. */
  readonly syncs: Promise<void>[];
  /** Resolves when the call that changes something is noted on disk. */
  readonly noted: () => Promise<void>;
  isOver: boolean;
}

interface Pending {
  readonly entry: NewHistoryEntry;
  readonly durable: Promise<void>;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { journal, now } = options;
  const scopes = new AsyncLocalStorage<Scope>();
  const pending = new WeakMap<FileChange, Pending>();
  const adding = createAdding(options.store, journal);
  const { track, add, addNoted } = adding;
  const madeBy = createMadeBy();
  const listeners = new Set<(root: string, path: string) => void>();
  let last = 0;

  function tellOf(root: string, path: string): void {
    for (const told of listeners) told(root, path);
  }

  function stamp() {
    const atMs = now();
    last = Math.max(last + 1, atMs * 1000);
    return { id: `h${newDigits()}`, seq: last, atMs };
  }

  function current(): Attribution {
    return scopes.getStore()?.who ?? nobody;
  }

  function entryFor(
    change: Pick<FileChange, 'rootHostPath' | 'path'>,
    action: HistoryAction,
    before: FileState,
    after: FileState,
  ): NewHistoryEntry {
    const { rootHostPath: root, path } = change;
    return { ...stamp(), ...current(), root, path, action, before, after };
  }

  function entriesOf(changes: readonly NewChange[], who: Attribution): readonly NewHistoryEntry[] {
    return changes.map((change) => ({ ...stamp(), ...who, action: 'command' as const, ...change }));
  }

  /** Adds the entry to the call's list, which is stored when the call ends; without a call, stores it at once. */
  function enter(entry: NewHistoryEntry): Promise<void> {
    void madeBy.note([entry]);
    const scope = scopes.getStore();
    if (scope && !scope.isOver) {
      scope.entries.push(entry);
      return Promise.resolve();
    }
    return track(addNoted([entry]));
  }

  /** A call waits for its syncs at its end, but only a limited number may be pending. */
  async function withTheCall(durable: Promise<void>): Promise<void> {
    const scope = scopes.getStore();
    if (!scope || scope.isOver) return durable;
    // Awaited when the call ends; this only prevents an unhandled rejection.
    durable.catch(() => {});
    scope.syncs.push(durable);
    if (scope.syncs.length >= syncsTogether) await Promise.all(scope.syncs.splice(0));
  }

  async function begin(change: FileChange): Promise<void> {
    const { former, content } = change;
    let before: FileState = { kind: 'absent' };
    let durable = settled;
    if (former && change.growsInPlace) {
      before = { kind: 'file', bytes: former.stat.bytes, mode: former.stat.mode & 0o7777, isStart: true };
    } else if (former) {
      ({ state: before, durable } = await keepFormer(former, options));
    }
    const after = afterOf(change, content);
    const entry = entryFor(change, change.action, before, after);
    journal.begin(entry);
    pending.set(change, { entry, durable });
  }

  /** The change failed or was not begun. */
  function forget(change: FileChange): void {
    const told = pending.get(change);
    if (!told) return;
    pending.delete(change);
    // A change may fail after its file has its name. If the entry cannot be added now, its note in the journal adds it
    // later.
    if (didHappen(told.entry)) void enter(told.entry).catch(() => {});
    else journal.end(1);
  }

  return {
    stamp,
    observer: {
      async mayChange() {
        await scopes.getStore()?.noted();
      },
      async beforeChange(change) {
        const noted = scopes.getStore()?.noted() ?? settled;
        // Awaited below; this only prevents an unhandled rejection.
        noted.catch(() => {});
        try {
          if (!isOurs(change.path)) {
            await options.recovered();
            await begin(change);
          }
          await noted;
        } catch (cause) {
          forget(change);
          throw cannotKeep(cause);
        }
      },
      async afterChange(change, durable) {
        const told = pending.get(change);
        if (!told) return durable;
        pending.delete(change);
        tellOf(change.rootHostPath, change.path);
        await Promise.all([told.durable, enter(told.entry), withTheCall(durable)]);
      },
      changeFailed: forget,
      folderMade(folder) {
        if (isOurs(folder.path)) return;
        const entry = entryFor(folder, 'create', { kind: 'absent' }, { kind: 'folder' });
        journal.begin(entry);
        tellOf(folder.rootHostPath, folder.path);
        // If the entry cannot be added now, its note in the journal adds it later.
        void enter(entry).catch(() => {});
      },
    },
    async attribute(who, work, tell, noted = async () => {}) {
      const scope: Scope = { who, entries: [], syncs: [], noted, isOver: false };
      try {
        return await scopes.run(scope, work);
      } finally {
        scope.isOver = true;
        const { entries, syncs } = scope;
        if (entries.length > 0) {
          // The call's audit entry follows at once: they share a transaction and its sync.
          const durable = track(all([addNoted(entries), ...syncs]));
          tell(
            entries.map(({ id }) => id),
            durable,
          );
        }
      }
    },
    current,
    async prepare(changes, who) {
      const entries: NewHistoryEntry[] = [];
      for (let at = 0; at < changes.length; at += notesAtOnce) {
        // Let other work run.
        if (at > 0) await giveWay();
        const some = entriesOf(changes.slice(at, at + notesAtOnce), who);
        journal.begin(...some);
        entries.push(...some);
      }
      return {
        async enter(all) {
          const happened = all ? entries : entries.filter(didHappen);
          await madeBy.note(happened);
          journal.end(entries.length - happened.length);
          const scope = scopes.getStore();
          if (!scope || scope.isOver || scope.who.auditId !== who.auditId) return track(addNoted(happened));
          for (const entry of happened) scope.entries.push(entry);
        },
      };
    },
    async add(changes, who) {
      const entries = entriesOf(changes, who);
      await madeBy.note(entries);
      // Changes with an action of their own do not come from a command that runs at the same time.
      for (const { action, root, path } of entries) if (action !== 'command') tellOf(root, path);
      const scope = scopes.getStore();
      if (!scope || scope.isOver || scope.who !== who) return track(add(entries));
      for (let at = 0; at < entries.length; at += notesAtOnce)
        journal.begin(...entries.slice(at, at + notesAtOnce));
      for (const entry of entries) scope.entries.push(entry);
    },
    madeBy,
    listen(told) {
      listeners.add(told);
      return () => void listeners.delete(told);
    },
    async change(entry, work) {
      journal.begin(entry);
      try {
        await work();
      } catch (error) {
        if (!didHappen(entry)) {
          journal.end(1);
          throw error;
        }
      }
      tellOf(entry.root, entry.path);
      await track(addNoted([entry]));
    },
    settled: adding.settled,
  };
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
