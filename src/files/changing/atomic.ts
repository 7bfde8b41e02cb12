import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  linkSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { orElse } from '../../ground/or-else.ts';
import type { CarryOver } from '../attributes.ts';
import { fault, leftUnchanged } from '../fault.ts';
import { fsync, writeAll } from '../io.ts';
import { temporaryName } from '../names.ts';
import { entryOf, itself } from '../walk.ts';

export interface AtomicWrite {
  readonly folder: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The open file to replace: its owner, mode and attributes are kept. Undefined: the name must be free. */
  readonly former: { readonly fd: number; readonly plain: Stats } | undefined;
  readonly carryOver: CarryOver;
  /** Awaited while the new content is written to the disk under its temporary name. */
  readonly agreed: Promise<void>;
  readonly shown: string;
  readonly signal: AbortSignal | undefined;
  /** Checks once more, right before the new file takes the name; throwing stops the write. */
  readonly confirm: () => void;
  /** Notes the temporary name before it is used; returns a function to call afterwards. */
  readonly noteTemporary: (name: string) => () => void;
}

/**
 * Writes a file so that every reader, and every crash, finds the old or the new content whole. The name gets a new
 * inode, so other hard links keep the old content. Sets no execute bit that the former file did not have.
 */
export async function writeAtomically(write: AtomicWrite): Promise<Made> {
  const { folder, name, former, shown, signal } = write;
  const temporary = temporaryName();
  const from = entryOf(folder, temporary);
  const to = entryOf(folder, name);
  const forget = write.noteTemporary(temporary);
  let made = false;
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const fd = openSync(from, flags, former ? 0o600 : 0o666);
    made = true;
    try {
      await writeAll(fd, write.bytes, signal);
      if (former) {
        keepOwner(fd, former.plain);
        // Before the mode, whose group bits mean something else without an access list.
        await write.carryOver(former.fd, fd);
        fchmodSync(fd, former.plain.mode & 0o777);
      }
      // Wait for both even if one fails, so that nothing continues after the error.
      for (const outcome of await Promise.allSettled([write.agreed, fsync(fd)])) {
        if (outcome.status === 'rejected') throw outcome.reason;
      }
    } finally {
      closeSync(fd);
    }
    signal?.throwIfAborted();
    write.confirm();
    if (former) {
      renameSync(from, to);
      made = false;
    } else {
      made = !takeFreeName(from, to);
    }
  } catch (cause) {
    throw signal?.aborted ? leftUnchanged(shown) : fault(cause, shown);
  } finally {
    if (made) unlinkQuietly(from);
    forget();
  }
  return { durable: syncFolder(folder) };
}

/** Gives the new file its name unless that is taken. Returns whether the temporary name is gone. */
function takeFreeName(from: string, to: string): boolean {
  try {
    // link(), unlike rename(), never replaces an existing file.
    linkSync(from, to);
    return false;
  } catch (cause) {
    const code = errnoCode(cause) ?? '';
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw cause;
  }
  // For a file system without hard links (FAT, some network shares): reserve the name with an empty file.
  closeSync(
    openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600),
  );
  renameSync(from, to);
  return true;
}

/** Makes the folder's entries durable; the descriptor may close meanwhile. A write-only folder cannot be synced. */
export function syncFolder(folder: number): Promise<void> {
  let fd: number;
  try {
    fd = openSync(itself(folder), constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    // It is not readable.
    return Promise.resolve();
  }
  const durable = fsync(fd).finally(() => closeSync(fd));
  // Awaiters get a failure, possibly later; this prevents an unhandled rejection.
  durable.catch(() => {});
  return durable;
}

function keepOwner(fd: number, former: Stats): void {
  if (former.uid !== process.geteuid?.() || former.gid !== process.getegid?.()) {
    // Only root may change the owner; the new file is then ours, as with any editor.
    orElse(() => fchownSync(fd, former.uid, former.gid), undefined);
  }
}

export function unlinkQuietly(path: string): void {
  // It is gone already, or stays for the next start to remove.
  orElse(() => unlinkSync(path), undefined);
}

/** A completed change. Its name is still being synced, which other calls need not wait for. */
export interface Made {
  readonly durable: Promise<void>;
}
