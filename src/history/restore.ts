import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import type { Place } from '../contract/capabilities/files.ts';
import type { FileState } from '../contract/capabilities/history.ts';
import type { CarryOver } from '../files/attributes.ts';
import { syncFolder } from '../files/changing/atomic.ts';
import { fault } from '../files/fault.ts';
import { inFolder, inOwnFolder } from '../files/folders.ts';
import { fsync, writeAll } from '../files/io.ts';
import { withRights } from '../files/lent.ts';
import { temporaryName } from '../files/names.ts';
import { HeldPlace } from '../files/place.ts';
import { entryOf } from '../files/walk.ts';
import { orElse } from '../ground/or-else.ts';
import { defer } from '../ground/waiting/defer.ts';
import { stateAt } from './state.ts';

/** The capabilities that restoring needs. */
export interface RestoreTools {
  readonly noteTemporary: NoteTemporary;
  readonly carryOver: CarryOver;
}

/** Notes a temporary name before it is used, so that a kill leaves no file; returns a function to call afterwards. */
type NoteTemporary = (name: string) => () => void;

/** Runs work on a place's entry in its open folder, in turn with other changes of it. */
export function atEntry<T>(
  place: Place,
  make: boolean,
  work: (entry: string, folder: number, tools: RestoreTools) => Promise<T>,
): Promise<T> {
  const held = heldPlace(place);
  held.assertWritable();
  const { scratch, carryOver } = held.facts.dependencies;
  const noteTemporary: NoteTemporary = (name) => {
    scratch.begin(held.root.hostPath, [...held.components.slice(0, -1), name].join('/'));
    return () => scratch.end();
  };
  const run = (folder: number, name: string) =>
    work(entryOf(folder, name), folder, { noteTemporary, carryOver });
  return held.facts.dependencies.turns.take(held.hostPath, () =>
    make ? inOwnFolder(held, run) : inFolder(held, held.components.length - 1, false, run),
  );
}

/** The current state of a place; absent if a folder above it is missing. */
export function stateOf(place: Place, like?: FileState): FileState {
  try {
    return heldPlace(place).inFolder((folder, name) =>
      name === undefined ? { kind: 'folder' } : stateAt(entryOf(folder, name), like),
    );
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return { kind: 'absent' };
    throw error;
  }
}

/** Changes an entry to a state. A file takes its name whole; a folder is removed only if it is empty. */
export async function restore(
  entry: string,
  folder: number,
  target: FileState,
  content: Buffer | undefined,
  shown: string,
  { noteTemporary, carryOver }: RestoreTools,
): Promise<void> {
  const beside = (make: (temporary: string) => void | Promise<void>) => takeName(entry, noteTemporary, make);
  try {
    const found = lstatSync(entry, { throwIfNoEntry: false });
    if (target.kind === 'absent') {
      if (found?.isDirectory()) rmdirSync(entry);
      else if (found) unlinkSync(entry);
    } else if (target.kind === 'folder') {
      if (found && !found.isDirectory()) unlinkSync(entry);
      if (!found?.isDirectory()) mkdirSync(entry);
      if (target.mode !== undefined) chmodSync(entry, target.mode);
    } else if (target.kind === 'symlink') {
      if (found?.isDirectory()) rmdirSync(entry);
      await beside((temporary) => symlinkSync(target.target, temporary));
    } else if (target.kind === 'file') {
      if (found?.isDirectory()) rmdirSync(entry);
      if (target.isStart) await inPlace(entry, (fd) => ftruncateSync(fd, target.bytes));
      else if (target.tail) await inPlace(entry, (fd) => writeAll(fd, content ?? new Uint8Array()));
      else await beside((temporary) => writeFile(temporary, content, target.mode, { entry, carryOver }));
    }
  } catch (cause) {
    throw fault(cause, shown);
  }
  await syncFolder(folder);
}

async function takeName(
  entry: string,
  noteTemporary: NoteTemporary,
  make: (temporary: string) => void | Promise<void>,
): Promise<void> {
  const name = temporaryName();
  const temporary = `${entry.slice(0, entry.lastIndexOf('/'))}/${name}`;
  const forget = noteTemporary(name);
  try {
    await make(temporary);
    renameSync(temporary, entry);
  } catch (error) {
    // The temporary file was not created.
    orElse(() => unlinkSync(temporary), undefined);
    throw error;
  } finally {
    forget();
  }
}

async function writeFile(
  path: string,
  content: Buffer | undefined,
  mode: number | undefined,
  over: { readonly entry: string; readonly carryOver: CarryOver },
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(path, flags, mode === undefined ? 0o666 : 0o600);
  using _ = defer(() => closeSync(fd));
  await writeAll(fd, content ?? new Uint8Array());
  await likeFormer(fd, over);
  if (mode !== undefined) fchmodSync(fd, mode);
  await fsync(fd);
}

/** The history does not keep access lists: the one of the replaced file stays. */
async function likeFormer(
  fd: number,
  { entry, carryOver }: { readonly entry: string; readonly carryOver: CarryOver },
): Promise<void> {
  if (!lstatSync(entry, { throwIfNoEntry: false })?.isFile()) return;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const former = withRights(entry, () => openSync(entry, flags));
  using _ = defer(() => closeSync(former));
  await carryOver(former, fd);
}

async function inPlace(entry: string, work: (fd: number) => void | Promise<void>): Promise<void> {
  const fd = openSync(entry, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  using _ = defer(() => closeSync(fd));
  await work(fd);
  await fsync(fd);
}

export function heldPlace(place: Place): HeldPlace {
  if (!(place instanceof HeldPlace))
    throw new TypeError('Only a place of an open workspace can be restored.');
  return place;
}
