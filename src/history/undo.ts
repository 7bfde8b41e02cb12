import { closeSync, constants, lstatSync, openSync } from 'node:fs';
import type { Place } from '../contract/capabilities/files.ts';
import type { FileState, HistoryEntry, UndoStep } from '../contract/capabilities/history.ts';
import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { readAtNow } from '../files/io.ts';
import { orElse } from '../ground/or-else.ts';
import { defer } from '../ground/waiting/defer.ts';
import type { Contents } from './contents.ts';
import type { Recorder } from './recorder.ts';
import { atEntry, restore, stateOf } from './restore.ts';
import { isSame, stateAt } from './state.ts';

export interface UndoOptions {
  /** Continue although a later change is lost by it. */
  readonly force: boolean;
  readonly place: (root: string, path: string) => Place;
  readonly recorder: Recorder;
  readonly contents: Contents;
}

/**
 * Undoes one change if the path is still as the change left it. The undo is a change itself, so the current content is
 * kept first. An obstacle (a file in place of a folder, a link, missing rights) is a conflict like a later change, and
 * the others can still be undone.
 */
export async function undoEntry(entry: HistoryEntry, options: UndoOptions): Promise<UndoStep> {
  const place = options.place(entry.root, entry.path);
  try {
    return await undoAt(place, entry, options);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { entry, outcome: 'conflict', found: foundAt(place), because: error.text };
  }
}

export function foundAt(place: Place): FileState {
  // The path is not readable now. This state is shown beside the reason why nothing was undone.
  return orElse(() => stateOf(place), { kind: 'other' });
}

async function undoAt(place: Place, entry: HistoryEntry, options: UndoOptions): Promise<UndoStep> {
  const { recorder, contents } = options;
  const { before, after } = entry;
  const withMode = isSame(before, after, false);
  const isBack = (found: FileState) => isSame(found, before, true);
  const content = await contentFor(before, contents);
  if (content === 'lost') return { entry, outcome: isBack(stateOf(place, before)) ? 'already' : 'lost' };
  if (before.kind !== 'absent' || stateOf(place).kind !== 'absent')
    return atEntry(place, before.kind !== 'absent', async (path, folder, tools) => {
      if (!isSame(stateAt(path, after), after, withMode)) {
        if (isBack(stateAt(path, before))) return { entry, outcome: 'already' };
        const found = stateAt(path);
        if (!options.force) return { entry, outcome: 'conflict', found };
        // A part of a file fits only the file that it was taken from.
        if (isPart(before)) return { entry, outcome: 'lost' };
      }
      const current = await keepCurrent(path, before, contents);
      const failed = await recorder
        .change(
          {
            ...recorder.stamp(),
            ...recorder.current(),
            root: entry.root,
            path: entry.path,
            action: 'undo',
            before: current,
            after: before,
            undoes: entry.id,
          },
          () => restore(path, folder, before, content, place.shown, tools),
        )
        .catch((error) => {
          // The folder contains files that were added later.
          if (current.kind === 'folder' && isConflict(error)) return true;
          throw error;
        });
      if (!failed) return { entry, outcome: 'undone' };
      // A created folder that is not empty does no harm, so it stays.
      return before.kind === 'absent' && after.kind === 'folder'
        ? { entry, outcome: 'stays' }
        : { entry, outcome: 'conflict', found: current, because: notEmpty(place.shown) };
    });
  return { entry, outcome: 'already' };
}

export function notEmpty(shown: string): Text {
  return text(`${shown} is not empty.`, `${shown} は空ではありません。`);
}

function isConflict(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'conflict';
}

export async function contentFor(state: FileState, contents: Contents): Promise<Buffer | undefined | 'lost'> {
  if (state.kind === 'other') return 'lost';
  if (state.kind !== 'file' || state.isStart) return undefined;
  const digest = state.tail?.digest ?? state.digest;
  return (digest === undefined ? undefined : await contents.read(digest)) ?? 'lost';
}

/** Keeps the content of a path; only the end of a large file if only that is cut off. */
async function keepCurrent(path: string, target: FileState, contents: Contents): Promise<FileState> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return stateAt(path);
  const state = { kind: 'file', bytes: stat.size, mode: stat.mode & 0o7777 } as const;
  if (target.kind === 'file' && target.tail) return { ...state, isStart: true };
  if (target.kind === 'file' && target.isStart) {
    const tail = readEnd(path, target.bytes, stat.size - target.bytes);
    const { digest, durable } = contents.put(tail);
    await durable;
    return { ...state, tail: { bytes: tail.length, digest } };
  }
  return { ...state, digest: await contents.putFile(path) };
}

function readEnd(path: string, from: number, bytes: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  using _ = defer(() => closeSync(fd));
  return bytes > 0 ? readAtNow(fd, from, bytes) : Buffer.alloc(0);
}

function isPart(state: FileState): boolean {
  return state.kind === 'file' && (state.isStart === true || state.tail !== undefined);
}
