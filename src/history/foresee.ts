import { readdirSync } from 'node:fs';
import type { Place } from '../contract/capabilities/files.ts';
import type { HistoryEntry, UndoStep } from '../contract/capabilities/history.ts';
import { ToolError } from '../contract/error.ts';
import { entryOf } from '../files/walk.ts';
import { orElse } from '../ground/or-else.ts';
import { heldPlace, stateOf } from './restore.ts';
import { isSame } from './state.ts';
import { contentFor, foundAt, notEmpty, type UndoOptions } from './undo.ts';

type Given = Pick<UndoOptions, 'place' | 'contents'>;

/** The newer changes of the call whose older change is looked at, by root and path. */
interface Newer {
  readonly seen: Set<string>;
  /** Links that replaced folders. */
  readonly links: Set<string>;
  /** Paths that the undo removes. */
  readonly gone: Set<string>;
}

/**
 * Finds the obstacles to undoing one call before anything is changed: a call is undone as a whole or not at all, and
 * the last change of each path decides. Entries come newest first.
 */
export async function findInTheWay(
  entries: AsyncGenerator<HistoryEntry>,
  given: Given,
  elsewhere: (entry: HistoryEntry) => Promise<UndoStep | undefined>,
): Promise<readonly UndoStep[]> {
  const newer: Newer = { seen: new Set(), links: new Set(), gone: new Set() };
  const found: UndoStep[] = [];
  for await (const entry of entries) {
    const key = keyOf(entry.root, entry.path);
    const step = newer.seen.has(key)
      ? undefined
      : ((await elsewhere(entry)) ?? (await foresee(entry, given, newer)));
    newer.seen.add(key);
    if (entry.before.kind === 'folder' && entry.after.kind === 'symlink') newer.links.add(key);
    if (entry.before.kind !== 'absent') newer.gone.delete(key);
    else if (entry.after.kind !== 'folder' || !holdsOthers(given.place(entry.root, entry.path), entry, newer))
      newer.gone.add(key);
    if (step) found.push(step);
  }
  return found;
}

/** Finds the obstacle to undoing one change. If a link above it is undone too, the link is removed first. */
async function foresee(
  entry: HistoryEntry,
  { place, contents }: Given,
  newer: Newer,
): Promise<UndoStep | undefined> {
  const { before, after } = entry;
  const there = place(entry.root, entry.path);
  try {
    if (isSame(stateOf(there, before), before, true)) return undefined;
    if ((await contentFor(before, contents)) === 'lost') return { entry, outcome: 'lost' };
    const found = stateOf(there, after);
    if (!isSame(found, after, isSame(before, after, false))) return { entry, outcome: 'conflict', found };
    // A created folder stays if others put files into it; one that replaced another entry cannot.
    const isInPlace = before.kind !== 'absent' && before.kind !== 'folder' && after.kind === 'folder';
    return isInPlace && holdsOthers(there, entry, newer)
      ? { entry, outcome: 'conflict', found, because: notEmpty(there.shown) }
      : undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (isBelow(newer.links, keyOf(entry.root, entry.path)) && after.kind === 'absent') return undefined;
    return { entry, outcome: 'conflict', found: foundAt(there), because: error.text };
  }
}

/** Does a folder contain entries that undoing the newer changes does not remove? */
function holdsOthers(place: Place, { root, path }: HistoryEntry, { gone }: Newer): boolean {
  // It does not exist, or is no folder: its own check reports that.
  return orElse(
    () =>
      heldPlace(place).inFolder((folder, name) =>
        readdirSync(entryOf(folder, name ?? '.')).some((each) => !gone.has(keyOf(root, `${path}/${each}`))),
      ),
    false,
  );
}

function keyOf(root: string, path: string): string {
  return `${root}\0${path}`;
}

function isBelow(keys: ReadonlySet<string>, key: string): boolean {
  return [...key.matchAll(/\//g)].some(({ index }) => keys.has(key.slice(0, index)));
}
