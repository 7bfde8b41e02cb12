import { closeSync, constants, fstatSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { orElse } from '../ground/or-else.ts';
import { type Change, withChanges } from './config-changes.ts';
import { nameOf, readConfig } from './config-file.ts';
import { inHeldFolder } from './held-folder.ts';
import { readHeld } from './small-file.ts';

/**
 * Changes the settings of the repository in a folder. If they still equal `written.from`, they become exactly
 * `written.to`. Resolves with the problem that prevented it; undefined if none.
 */
export async function changeConfig(
  folder: string,
  changes: readonly Change[],
  written?: { readonly from: string; readonly to: string },
): Promise<string | undefined> {
  if (changes.length === 0 && !written) return undefined;
  for (let tries = 0; tries < 20; tries++) {
    const outcome = inHeldFolder(folder, '.git', (held) => changeHeld(held, changes, written));
    if (outcome !== 'locked') return outcome?.problem ?? (outcome ? undefined : 'it is gone');
    await sleep(50);
  }
  return 'somebody holds config.lock; where that is nobody, remove the file';
}

type Outcome = 'locked' | { readonly problem?: string };

/** Under git's own lock, so that a person's git cannot write at the same moment. */
function changeHeld(
  held: string,
  changes: readonly Change[],
  written?: { from: string; to: string },
): Outcome {
  const lock = `${held}/config.lock`;
  try {
    closeSync(
      openSync(lock, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW),
    );
  } catch (error) {
    return errnoCode(error) === 'EEXIST' ? 'locked' : { problem: 'its folder takes no files' };
  }
  let fd: number | undefined;
  try {
    fd = openSync(`${held}/config`, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const content = fstatSync(fd).nlink === 1 ? readHeld(fd) : undefined;
    if (content === undefined) return { problem: 'it is no file of its own' };
    const { open, overtaken } = stillOpen(content, changes);
    write(fd, content, content === written?.from ? written.to : withChanges(content, open));
    return overtaken.length === 0 ? {} : { problem: 'somebody else changed the same meanwhile' };
  } catch {
    // The disk is full, or the file is not writable: the caller reports it.
    return { problem: 'it could not be written' };
  } finally {
    if (fd !== undefined) closeSync(fd);
    // A command in the background removed it; it was empty.
    orElse(() => unlinkSync(lock), undefined);
  }
}

/** Settings that a person changed while the command ran stay as they are. */
function stillOpen(content: string, changes: readonly Change[]) {
  const current = Map.groupBy(readConfig(content).entries, nameOf);
  const isOpen = ({ entry, before }: Change) => {
    const values = (current.get(nameOf(entry)) ?? []).map(({ value }) => value);
    return values.length === before.length && values.every((value, index) => value === before[index]);
  };
  return { open: changes.filter(isOpen), overtaken: changes.filter((change) => !isOpen(change)) };
}

/** In place, as commands could replace a new file. Empty lines pad a shorter text, so that readers get it complete. */
function write(fd: number, before: string, after: string): void {
  const bytes = Buffer.from(after.padEnd(before.length, '\n'), 'latin1');
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  ftruncateSync(fd, after.length);
}
