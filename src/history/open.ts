import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandHistory } from '../contract/capabilities/command-life.ts';
import type { ChangeObserver, Folder } from '../contract/capabilities/files.ts';
import type {
  Attribution,
  FileState,
  HistoryEntry,
  HistoryStore,
  Undoing,
  UndoSelection,
  UndoStep,
} from '../contract/capabilities/history.ts';
import type { LandingKeeper } from '../contract/capabilities/landing.ts';
import type { Witness } from '../contract/native.ts';
import { text } from '../contract/text/text.ts';
import { asUnprotected } from '../files/workspace.ts';
import { Blobs } from './blobs.ts';
import { didHappen } from './change-state.ts';
import { createCommandHistory } from './command-history.ts';
import { createContents } from './contents.ts';
import { findInTheWay } from './foresee.ts';
import { leftBehind, openJournal } from './journal.ts';
import { createLandingKeeper } from './landing.ts';
import { prune } from './prune.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { recoverRecordings } from './recordings.ts';
import { stateOf } from './restore.ts';
import { undoEntry } from './undo.ts';
import { witness } from './witness.ts';

export interface HistoryOptions {
  /** The history's own folder, outside the workspace. */
  readonly folder: string;
  readonly store: () => Promise<HistoryStore>;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Names of folders in which commands are not watched. */
  readonly ignore: readonly string[];
  readonly now?: (() => number) | undefined;
}

export interface History extends Undoing {
  readonly observer: ChangeObserver;
  readonly recorder: Recorder;
  readonly attribute: Recorder['attribute'];
  /** The content of a state: from the history, or from the path itself if it still has that content. */
  content(
    entry: HistoryEntry,
    side: 'before' | 'after',
    folders: readonly Folder[],
  ): Promise<Buffer | undefined>;
  /** Waits until the notes of killed servers are in the store. */
  recovered(): Promise<void>;
  /** Keeps what commands change below the roots. */
  ofCommands(roots: readonly string[]): CommandHistory;
  /** Keeps the contents that the landing of another server's command replaces. */
  keeperFor(who: Attribution): LandingKeeper;
  /** Looks at a file that another program is about to change. Throws the error that our own write would get. */
  witness(folder: Folder, path: string): Promise<Witness>;
  prune(): Promise<{ readonly entries: number; readonly contents: number }>;
  /** The bytes kept when the history was last tended; undefined before that. */
  keptBytes(): number | undefined;
  close(): Promise<void>;
}

/** Opens the history of a workspace. Reads and creates nothing before the first change. */
export function openHistory(options: HistoryOptions): History {
  const { store, now = Date.now } = options;
  const watchedFolder = join(options.folder, 'watched');
  const journals = join(options.folder, 'journal');
  const blobs = new Blobs(join(options.folder, 'contents'));
  const contents = createContents(blobs, async () => (await store()).contents);
  const journal = openJournal(journals);
  const maxFileBytes = Math.floor(options.maxBytes / 4);
  const recorder = createRecorder({
    store,
    contents,
    journal,
    now,
    recovered,
    maxFileBytes,
  });

  let timer: NodeJS.Timeout | undefined;
  let tending: Promise<void> | undefined;
  let isClosed = false;

  let recovering: Promise<unknown> | undefined;

  async function recovered(): Promise<void> {
    if (!recovering) {
      recovering = recover().catch((error) => {
        recovering = undefined;
        throw error;
      });
      tendAfter(firstTendMs);
    }
    await recovering;
  }

  /** Adds the entries that killed servers noted but did not add. */
  async function recover(): Promise<number> {
    let added = 0;
    for (const { entries, done } of leftBehind(journals)) {
      const happened = entries.filter(didHappen);
      // The killed server may not have shared it yet.
      for (const { before } of happened) {
        const digest = before.kind === 'file' ? (before.tail?.digest ?? before.digest) : undefined;
        if (digest !== undefined) await contents.share(digest);
      }
      await (await store()).add(happened);
      done();
      added += happened.length;
    }
    // Earlier versions kept copies of whole folders there.
    rmSync(join(options.folder, 'held'), { recursive: true, force: true });
    await recoverRecordings(watchedFolder, (who) => keeperFor(who, async () => {}));
    return added;
  }

  function keeperFor(who: Attribution, settled: () => Promise<void>): LandingKeeper {
    return createLandingKeeper({
      recorder,
      contents,
      who,
      maxFileBytes,
      recovered: settled,
      ignore: options.ignore.filter((name) => name !== '.git'),
    });
  }

  let keptBytes: number | undefined;

  async function pruneNow() {
    const { maxBytes, maxAgeMs } = options;
    const pruned = await prune({
      store: await store(),
      blobs,
      share: contents.share,
      maxBytes,
      maxAgeMs,
      nowMs: now(),
    });
    keptBytes = pruned.keptBytes;
    return pruned;
  }

  function tendAfter(ms: number): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      // If pruning fails, the next one does it.
      tending = pruneNow().then(
        () => tendAfter(tendMs),
        () => tendAfter(tendMs),
      );
    }, ms).unref();
  }

  return {
    observer: recorder.observer,
    recorder,
    attribute: recorder.attribute,
    keeperFor: (who) => keeperFor(who, recovered),
    async undo(selection, { folders, who, force, tell }) {
      await recovered();
      const steps: UndoStep[] = [];
      const place = placer(folders);
      let durable: Promise<void> | undefined;
      if ('auditId' in selection && !force) {
        const inTheWay = await findInTheWay(
          standing(selection, await store()),
          { place, contents },
          (entry) => store().then((opened) => servedElsewhere(entry, folders, opened)),
        );
        for (const step of inTheWay) tell?.(step);
        if (inTheWay.length > 0) return inTheWay;
      }
      await recorder.attribute(
        who,
        async () => {
          for await (const entry of standing(selection, await store())) {
            const step =
              (await servedElsewhere(entry, folders, await store())) ??
              (await undoEntry(entry, { force, place, recorder, contents }));
            steps.push(step);
            tell?.(step);
            if (!force && (step.outcome === 'conflict' || step.outcome === 'lost')) return;
          }
        },
        (_ids, told) => {
          durable = told;
        },
      );
      await durable;
      return steps;
    },
    async content(entry, side, folders) {
      const state: FileState = entry[side];
      if (state.kind !== 'file' || state.digest === undefined) return undefined;
      const kept = await contents.read(state.digest);
      if (kept) return kept;
      const there = placer(folders)(entry.root, entry.path);
      const found = stateOf(there, state);
      if (found.kind !== 'file' || found.digest !== state.digest) return undefined;
      return there.readBytes({ maxBytes: options.maxBytes });
    },
    recovered,
    ofCommands: (roots) =>
      createCommandHistory({
        watched: watchedFolder,
        roots,
        ignore: options.ignore,
        recorder,
        contents,
        maxBytes: Math.floor(options.maxBytes / 2),
        recovered,
      }),
    async witness(folder, path) {
      await recovered();
      return witness(folder, path, { recorder, contents, maxFileBytes });
    },
    prune: pruneNow,
    keptBytes: () => keptBytes,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await tending;
      await recorder.settled();
      await contents.close();
      journal.close();
    },
  };
}

async function* standing(selection: UndoSelection, store: HistoryStore): AsyncGenerator<HistoryEntry> {
  if ('id' in selection) {
    const entry = await store.get(selection.id);
    if (entry && entry.undoneBy === undefined) yield entry;
    return;
  }
  for (let beforeSeq: number | undefined; ; ) {
    const page = await store.list({ ...selection, standing: true, beforeSeq, limit: pageEntries });
    for (const entry of page) {
      // Undoing a period leaves out the undos in it: their result is there already.
      if (!('sinceMs' in selection) || entry.undoes === undefined) yield entry;
    }
    beforeSeq = page.at(-1)?.seq;
    if (page.length < pageEntries) return;
  }
}

/** Reports, for a change in a folder that only other servers of the store serve, where it can be undone. */
async function servedElsewhere(
  entry: HistoryEntry,
  folders: readonly Folder[],
  store: HistoryStore,
): Promise<UndoStep | undefined> {
  if (folders.some(({ roots }) => roots.some(({ hostPath }) => hostPath === entry.root))) return undefined;
  const servers = (await store.servedBy?.(entry.root)) ?? [];
  if (servers.length === 0) return undefined;
  const because = text(
    `${entry.root} is not served here. Undo it at ${servers.join(' or ')}.`,
    `${entry.root} はこのサーバーにありません。${servers.join(' または ')} で取り消してください。`,
  );
  return { entry, outcome: 'conflict', found: { kind: 'other' }, because };
}

/** Finds the place of a path in the folder that has its root; undo is not bound by the tools' protection. */
function placer(folders: readonly Folder[]) {
  const free = folders.map(asUnprotected);
  return (root: string, path: string) => {
    const folder = free.find(({ roots }) => roots.some(({ hostPath }) => hostPath === root)) ?? free[0];
    if (!folder) throw new TypeError('Undoing needs the folders that were changed.');
    return folder.at(join(root, path));
  };
}

const pageEntries = 200;
const firstTendMs = 10_000;
const tendMs = 10 * 60_000;
