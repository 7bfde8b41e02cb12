import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandHistory, CommandRecording } from '../contract/capabilities/command-life.ts';
import type { Folder } from '../contract/capabilities/files.ts';
import type {
  Attribution,
  FileState,
  HistoryEntry,
  HistoryStore,
  NewHistoryEntry,
  Undoing,
  UndoSelection,
  UndoStep,
} from '../contract/capabilities/history.ts';
import type { LandingKeeper } from '../contract/capabilities/landing.ts';
import type { Witness } from '../contract/native.ts';
import { text } from '../contract/text/text.ts';
import { leftUnderWay, openUnderWay } from '../files/changing/under-way.ts';
import { asUnprotected } from '../files/workspace.ts';
import { Blobs } from './blobs.ts';
import { didHappen } from './change-state.ts';
import { type Contents, createContents } from './contents.ts';
import { findInTheWay } from './foresee.ts';
import { createLandingKeeper } from './landing.ts';
import { prune } from './prune.ts';
import { type Journal, Recorder, type RecorderOptions } from './recorder.ts';
import { openRecording, recoverRecordings } from './recordings.ts';
import { stateOf } from './restore.ts';
import { undoEntry } from './undo.ts';
import { witness } from './witness.ts';

export interface HistoryOptions {
  /** The history's own folder, outside the workspace. */
  readonly folder: string;
  readonly store: () => Promise<HistoryStore>;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** See `RecorderOptions`. Default: "off". */
  readonly stale?: RecorderOptions['stale'] | undefined;
  readonly isBusy?: RecorderOptions['isBusy'] | undefined;
  /** Names of folders in which commands are not watched. */
  readonly ignore: readonly string[];
  readonly now?: (() => number) | undefined;
  /** Called with entries that are about to be added. */
  readonly onChanges?: ((entries: readonly NewHistoryEntry[]) => void) | undefined;
}

type UndoOptions = Parameters<Undoing['undo']>[1];

/** The history of a workspace. Reads and creates nothing before the first change. */
export class History implements Undoing {
  readonly #options: HistoryOptions;
  readonly #blobs: Blobs;
  readonly #contents: Contents;
  readonly #journal: Journal;
  readonly #maxFileBytes: number;
  readonly recorder: Recorder;
  #timer: NodeJS.Timeout | undefined;
  #tending: Promise<void> | undefined;
  #isClosed = false;
  #recovering: Promise<unknown> | undefined;
  #keptBytes: number | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#blobs = new Blobs(join(options.folder, 'contents'));
    this.#contents = createContents(this.#blobs, async () => (await options.store()).contents);
    this.#journal = openUnderWay(join(options.folder, 'journal'), 'changes');
    this.#maxFileBytes = Math.floor(options.maxBytes / 4);
    this.recorder = new Recorder({
      store: options.store,
      contents: this.#contents,
      journal: this.#journal,
      now: options.now ?? Date.now,
      recovered: () => this.recovered(),
      maxFileBytes: this.#maxFileBytes,
      stale: options.stale ?? 'off',
      isBusy: options.isBusy ?? (async () => false),
      onChanges: options.onChanges,
    });
  }

  /** Waits until the notes of killed servers are in the store. */
  async recovered(): Promise<void> {
    if (!this.#recovering) {
      this.#recovering = this.#recover().catch((error) => {
        this.#recovering = undefined;
        throw error;
      });
      this.#tendAfter(firstTendMs);
    }
    await this.#recovering;
  }

  async prune() {
    const { store, maxBytes, maxAgeMs, now = Date.now } = this.#options;
    const pruned = await prune({
      store: await store(),
      blobs: this.#blobs,
      share: this.#contents.share,
      maxBytes,
      maxAgeMs,
      nowMs: now(),
    });
    this.#keptBytes = pruned.keptBytes;
    return pruned;
  }

  /** Keeps the contents that a command of this call replaces; its server may be another one. */
  keeperFor(who: Attribution, recovered = () => this.recovered()): LandingKeeper {
    return createLandingKeeper({
      recorder: this.recorder,
      contents: this.#contents,
      who,
      maxFileBytes: this.#maxFileBytes,
      recovered,
      ignore: this.#ignored,
    });
  }

  /** A command reports its changes, so git's own folder need not be left out. */
  get #ignored(): readonly string[] {
    return this.#options.ignore.filter((name) => name !== '.git');
  }

  async undo(
    selection: UndoSelection,
    { folders, who, force, tell }: UndoOptions,
  ): Promise<readonly UndoStep[]> {
    await this.recovered();
    const steps: UndoStep[] = [];
    const place = placer(folders);
    let durable: Promise<void> | undefined;
    if ('auditId' in selection && !force) {
      const inTheWay = await findInTheWay(
        standing(selection, await this.#options.store()),
        { place, contents: this.#contents },
        (entry) => this.#options.store().then((opened) => servedElsewhere(entry, folders, opened)),
      );
      for (const step of inTheWay) tell?.(step);
      if (inTheWay.length > 0) return inTheWay;
    }
    await this.recorder.attribute(
      who,
      async () => {
        for await (const entry of standing(selection, await this.#options.store())) {
          const step =
            (await servedElsewhere(entry, folders, await this.#options.store())) ??
            (await undoEntry(entry, { force, place, recorder: this.recorder, contents: this.#contents }));
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
  }

  /** The content of a state: from the history, or from the path itself if it still has that content. */
  async content(
    entry: HistoryEntry,
    side: 'before' | 'after',
    folders: readonly Folder[],
  ): Promise<Buffer | undefined> {
    const state: FileState = entry[side];
    if (state.kind !== 'file' || state.digest === undefined) return undefined;
    const kept = await this.#contents.read(state.digest);
    if (kept) return kept;
    const there = placer(folders)(entry.root, entry.path);
    const found = stateOf(there, state);
    if (found.kind !== 'file' || found.digest !== state.digest) return undefined;
    return there.readBytes({ maxBytes: this.#options.maxBytes });
  }

  /**
   * Keeps what commands change below the roots. The changes of one on a layer are recorded when they land. For others,
   * former contents are kept before a change in the folders, and the changes are recorded at the end.
   */
  ofCommands(roots: readonly string[]): CommandHistory {
    return {
      keeper: () => this.keeperFor({ ...this.recorder.current() }),
      record: (writable = roots) => this.#record(writable),
    };
  }

  async #record(roots: readonly string[]): Promise<CommandRecording> {
    const who = { ...this.recorder.current() };
    await this.recovered();
    const keeper = this.keeperFor(who);
    const recording = openRecording(this.#watched, roots, who);
    const ours = new Set<string>();
    const forget = this.recorder.listen((root, path) => ours.add(join(root, path)));
    let isHeld = false;
    return {
      folder: recording.folder,
      ignore: this.#ignored,
      isOurs: keeper.isOurs,
      mostBytes: keeper.mostBytes,
      onHeld: (held) => {
        isHeld = held;
      },
      async end() {
        forget();
        await recording.end(keeper, { ours, back: isHeld });
        return keeper.notes().join('');
      },
    };
  }

  /** The folder for the recordings of commands that run on the folders themselves. */
  get #watched(): string {
    return join(this.#options.folder, 'watched');
  }

  /** Looks at a file that another program is about to change. Throws the error that our own write would get. */
  async witness(folder: Folder, path: string): Promise<Witness> {
    await this.recovered();
    return witness(folder, path, {
      recorder: this.recorder,
      contents: this.#contents,
      maxFileBytes: this.#maxFileBytes,
    });
  }

  /** The bytes kept when the history was last tended; undefined before that. */
  keptBytes(): number | undefined {
    return this.#keptBytes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#tending;
    await this.recorder.settled();
    await this.#contents.close();
    this.#journal.close();
  }

  /** Adds the entries that killed servers noted but did not add. */
  async #recover(): Promise<number> {
    let added = 0;
    for (const { notes, done } of leftUnderWay(join(this.#options.folder, 'journal'), 'changes')) {
      const happened = (notes as readonly NewHistoryEntry[]).filter(didHappen);
      // The killed server may not have shared it yet.
      for (const { before } of happened) {
        const digest = before.kind === 'file' ? (before.tail?.digest ?? before.digest) : undefined;
        if (digest !== undefined) await this.#contents.share(digest);
      }
      await (await this.#options.store()).add(happened);
      done();
      added += happened.length;
    }
    // Earlier versions kept copies of whole folders there.
    rmSync(join(this.#options.folder, 'held'), { recursive: true, force: true });
    await recoverRecordings(this.#watched, (who) => this.keeperFor(who, async () => {}));
    return added;
  }

  #tendAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      // If pruning fails, the next one does it.
      this.#tending = this.prune().then(
        () => this.#tendAfter(tendMs),
        () => this.#tendAfter(tendMs),
      );
    }, ms).unref();
  }
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
