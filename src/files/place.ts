import { closeSync, type Dir, type Dirent, lstatSync, opendirSync, readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type {
  FileStat,
  FolderEntry,
  Place,
  TextRange,
  TextSlice,
  WholeText,
  WriteOptions,
  Written,
} from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { text } from '../contract/text/text.ts';
import { defer } from '../ground/waiting/defer.ts';
import { alone } from './changing/alone.ts';
import { move, remove } from './changing/moving.ts';
import { append, create, replace } from './changing/writing.ts';
import { fault, notAFile } from './fault.ts';
import { makeFolder } from './folders.ts';
import { isTemporaryName, shownPath } from './names.ts';
import type { PlaceFacts, ProvenPath } from './place-facts.ts';
import { kindOf, readFileBytes, readStat } from './reading.ts';
import { lookalikesOf, withHint } from './text/lookalikes.ts';
import { mimeOf } from './text/mime.ts';
import { readTextRange, readWholeText } from './text/text.ts';
import { enterFolder, entryOf, itself, leaveFolder, openFileIn, type Root } from './walk.ts';

/** A proven path. It keeps no descriptor: every operation walks again, so nothing can be stale. */
export class HeldPlace implements Place, ProvenPath {
  readonly root: Root;
  readonly rootIndex: number;
  readonly components: readonly string[];
  readonly path: string;
  readonly shown: string;
  readonly facts: PlaceFacts;

  constructor(facts: PlaceFacts) {
    this.facts = facts;
    this.root = facts.root;
    this.rootIndex = facts.rootIndex;
    this.components = facts.components;
    const visible = facts.hidden === 0 ? facts.components : facts.components.slice(facts.hidden);
    this.path = visible.join('/') || '.';
    this.shown = shownPath(facts.rootIndex === 0 ? this.path : facts.given);
  }

  get hostPath(): string {
    return `/${[...this.root.components, ...this.components].join('/')}`;
  }

  stat(): FileStat {
    return this.#hinting(() =>
      this.inFolder((folder, name) => {
        try {
          return readStat(name === undefined ? itself(folder) : entryOf(folder, name), name === undefined);
        } catch (cause) {
          throw fault(cause, this.shown);
        }
      }),
    );
  }

  exists(): boolean {
    try {
      return this.inFolder(
        (folder, name) =>
          name === undefined || lstatSync(entryOf(folder, name), { throwIfNoEntry: false }) !== undefined,
      );
    } catch (error) {
      if (error instanceof ToolError && error.code === 'not_found') return false;
      throw error;
    }
  }

  async readBytes(
    options: { readonly maxBytes?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Buffer> {
    const file = this.openFile();
    using _ = defer(() => closeSync(file.fd));
    return this.#noting(
      file,
      await readFileBytes(file, options.maxBytes ?? limits.writeBytes, this.shown, options.signal),
    );
  }

  async readText(range: TextRange = {}): Promise<TextSlice> {
    const file = this.openFile();
    using _ = defer(() => closeSync(file.fd));
    return this.#noting(file, await readTextRange(file, range, this.shown, this.facts.dependencies.lines));
  }

  async readWhole(
    options: {
      readonly maxBytes?: number;
      readonly encoding?: string | undefined;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<WholeText> {
    const file = this.openFile();
    using _ = defer(() => closeSync(file.fd));
    return this.#noting(
      file,
      await readWholeText(file, options.maxBytes ?? limits.writeBytes, this.shown, options),
    );
  }

  #noting<T>({ fd, stat }: ReturnType<typeof openFileIn>, read: T): T {
    this.facts.dependencies.observer?.wasRead?.(this.hostPath, fd, stat.size);
    return read;
  }

  async mimeType(): Promise<{ readonly mime: string; readonly isText: boolean }> {
    const file = this.openFile();
    using _ = defer(() => closeSync(file.fd));
    return await mimeOf(file, this.path);
  }

  openRead(): number {
    return this.openFile().fd;
  }

  entries(): FolderEntry[] {
    const folder = this.#enter();
    try {
      const found = readdirSync(itself(folder), { withFileTypes: true });
      return found.filter(({ name }) => !isTemporaryName(name)).map(entryAs);
    } catch (cause) {
      throw fault(cause, this.shown);
    } finally {
      leaveFolder(this.root, folder);
    }
  }

  async *portions(signal?: AbortSignal): AsyncIterable<readonly FolderEntry[]> {
    const folder = this.#enter();
    let opened: Dir;
    try {
      opened = opendirSync(itself(folder), { bufferSize: portionEntries });
    } catch (cause) {
      throw fault(cause, this.shown);
    } finally {
      leaveFolder(this.root, folder);
    }
    using _ = defer(() => opened.closeSync());
    for (;;) {
      const portion = readPortion(opened, this.shown);
      yield portion.filter(({ name }) => !isTemporaryName(name));
      if (portion.length < portionEntries) return;
      await setImmediate();
      signal?.throwIfAborted();
    }
  }

  create(content: string | Uint8Array, options: WriteOptions = {}): Promise<Written> {
    return create(this, content, options);
  }

  replace(content: string | Uint8Array, options: WriteOptions = {}): Promise<Written> {
    return replace(this, content, options);
  }

  append(content: string | Uint8Array, options: WriteOptions = {}): Promise<Written> {
    return append(this, content, options);
  }

  makeFolder(): void {
    makeFolder(this);
  }

  remove(options: WriteOptions = {}): Promise<void> {
    return remove(this, options);
  }

  move(target: Place, options: WriteOptions = {}): Promise<void> {
    if (!(target instanceof HeldPlace)) throw new TypeError('A file is moved to a place of the same kind.');
    return move(this, target, options);
  }

  /** Opens the regular file for reading, with its `fstat`. */
  openFile(): ReturnType<typeof openFileIn> {
    return this.#hinting(() =>
      this.inFolder((folder, name) => {
        if (name === undefined) throw notAFile(this.shown, 'folder');
        return openFileIn(this.root, folder, name, this.shown);
      }),
    );
  }

  inTurn<T>(work: (held: Place) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const held = new HeldPlace({ ...this.facts, isHeld: true });
    return alone(this, signal, () => work(held));
  }

  lookalikes(): readonly string[] {
    return lookalikesOf(this.facts);
  }

  /** Adds existing similar names to a failure. */
  #hinting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw withHint(error, this.facts);
    }
  }

  #enter(): number {
    return this.#hinting(() =>
      enterFolder(this.root, this.components, this.components.length, this.facts.hidden),
    );
  }

  /** Runs `work` in the open folder of the last name; the name is undefined for the root itself. */
  inFolder<T>(work: (folder: number, name: string | undefined) => T): T {
    const depth = Math.max(0, this.components.length - 1);
    const folder = enterFolder(this.root, this.components, depth, this.facts.hidden);
    using _ = defer(() => leaveFolder(this.root, folder));
    return work(folder, this.components[depth]);
  }

  assertWritable(asFolder = false): void {
    if (!this.facts.writable)
      throw new ToolError(
        'forbidden',
        `${this.shown} can only be read.`,
        `${this.shown} は読み取り専用です。`,
      );
    const name =
      this.facts.protection(this.components, asFolder) ??
      this.components.find((each) => isTemporaryName(each));
    if (name !== undefined)
      throw new ToolError(
        'forbidden',
        `${this.shown} is protected: tools cannot write ${name}.`,
        `${this.shown} は保護されています。${name} にはツールから書き込めません。`,
        text('Choose another path.', '別のパスを選んでください。'),
      );
  }
}

const portionEntries = 2048;

/** Reads entries synchronously: a promise for each costs as much as the reading. */
function readPortion(folder: Dir, shown: string): FolderEntry[] {
  const portion: FolderEntry[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      portion.push(entryAs(entry));
      if (portion.length === portionEntries) break;
    }
  } catch (cause) {
    throw fault(cause, shown);
  }
  return portion;
}

function entryAs(entry: Dirent): FolderEntry {
  return { name: entry.name, kind: kindOf(entry) };
}
