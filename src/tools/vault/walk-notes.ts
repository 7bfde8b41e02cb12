import { setImmediate } from 'node:timers/promises';
import type { Folder, FolderEntry, Place } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { canBeNamed } from './rules.ts';

export interface Found {
  readonly kind: 'folder' | 'file';
  readonly place: Place;
}

export interface WalkOptions {
  readonly recursive: boolean;
  /** Continues after this entry, or after its place in the order. */
  readonly after?: { readonly kind: 'folder' | 'file'; readonly path: string } | undefined;
  readonly signal: AbortSignal;
}

/**
 * The contents of a folder: folders first, by name, each followed by its content. Skips hidden names, links and other
 * programs' leftovers. Yields to other calls every few milliseconds.
 */
export async function* walkNotes(folder: Folder, below: Place, options: WalkOptions): AsyncGenerator<Found> {
  const giveWay = createPauses(options.signal);
  const start = below.path === '.' ? 0 : below.path.split('/').length;
  const names = options.after?.path.split('/').slice(start) ?? [];
  yield* visit(below, names);

  async function* visit(parent: Place, after: readonly string[]): AsyncGenerator<Found> {
    await giveWay();
    const [head] = after;
    const isLast = after.length === 1;
    const resumesAtFile = isLast && options.after?.kind === 'file';
    const { folders, files } = split(parent, entriesOf(parent, parent === below));
    for (const name of folders) {
      if (head !== undefined && (resumesAtFile || name < head)) continue;
      const place = folder.at(pathOf(parent, name));
      const rest = name === head ? after.slice(1) : [];
      if (name !== head) yield { kind: 'folder', place };
      if (options.recursive) yield* visit(place, rest);
    }
    for (const name of files) {
      if (resumesAtFile && head !== undefined && name <= head) continue;
      await giveWay();
      yield { kind: 'file', place: folder.at(pathOf(parent, name)) };
    }
  }
}

/** Yields to other work if some time has passed since the last time; throws if the call ended. */
export function createPauses(signal: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last > longestStretchMs) {
      await setImmediate();
      last = performance.now();
    }
    if (signal.aborted)
      throw new ToolError('cancelled', 'The call was cancelled.', '呼び出しが取り消されました。');
  };
}

const longestStretchMs = 4;
const leavings = /^\.|~$|^(node_modules|Thumbs\.db|desktop\.ini|Icon\r)$/i;

function split(
  parent: Place,
  entries: readonly FolderEntry[],
): { readonly folders: string[]; readonly files: string[] } {
  const folders: string[] = [];
  const files: string[] = [];
  for (const { name, kind } of entries) {
    // A name that is not Unicode cannot be put in a reply.
    if (leavings.test(name) || name.includes('\ufffd') || !canBeNamed(pathOf(parent, name))) continue;
    if (kind === 'folder') folders.push(name);
    else if (kind === 'file') files.push(name);
  }
  return { folders: folders.sort(), files: files.sort() };
}

function entriesOf(parent: Place, isStart: boolean): readonly FolderEntry[] {
  try {
    return parent.entries();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    // The vault's folder is created with its first note.
    if (error.code === 'not_found' && (!isStart || parent.path === '.')) return [];
    // Not accessible, or replaced by a link since its parent was read: the rest can still be shown.
    if (error.code === 'forbidden' && !isStart) return [];
    throw error;
  }
}

function pathOf(parent: Place, name: string): string {
  return parent.path === '.' ? name : `${parent.path}/${name}`;
}
