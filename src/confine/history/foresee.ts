import { readdirSync } from 'node:fs';
import type { Place } from '../../contract/capabilities/files.ts';
import type { HistoryEntry, UndoStep } from '../../contract/capabilities/history.ts';
import { ToolError } from '../../contract/error.ts';
import { entryOf } from '../files/walk.ts';
import { heldPlace, stateOf } from './restore.ts';
import { isSame } from './state.ts';
import { contentFor, foundAt, notEmpty, type UndoOptions } from './undo.ts';

type Given = Pick<UndoOptions, 'place' | 'contents'>;

/** What is known of a call's newer changes when an older one is looked at, by root and path. */
interface Newer {
  readonly seen: Set<string>;
  /** Links where folders were. */
  readonly links: Set<string>;
  /** What goes as it is taken back. */
  readonly gone: Set<string>;
}

/**
 * What stands in the way of taking one call back, as far as that can be told beforehand: of one call all is taken back or
 * nothing, and the last change of each path says whether that can be. Changes nothing. Entries come newest first.
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

/** What stands in the way of one change. With a link above it that is taken back, that goes first. */
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
    // A folder that was made stays for what others put into it; where something else was, it cannot.
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

/** Does a folder hold what does not go as the newer changes are taken back? */
function holdsOthers(place: Place, { root, path }: HistoryEntry, { gone }: Newer): boolean {
  try {
    return heldPlace(place).inFolder((folder, name) =>
      readdirSync(entryOf(folder, name ?? '.')).some((each) => !gone.has(keyOf(root, `${path}/${each}`))),
    );
  } catch {
    // It is not there, or no folder: told when it is looked at itself.
    return false;
  }
}

function keyOf(root: string, path: string): string {
  return `${root}\0${path}`;
}

function isBelow(keys: ReadonlySet<string>, key: string): boolean {
  return [...key.matchAll(/\//g)].some(({ index }) => keys.has(key.slice(0, index)));
}
