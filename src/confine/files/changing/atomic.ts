import type { Stats } from 'node:fs';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { errnoCode } from '../../../ground/errors/errno-code.ts';
import type { CarryOver } from '../attributes.ts';
import { fault, leftUnchanged } from '../fault.ts';
import { fsync, writeAll } from '../io.ts';
import { temporaryName } from '../temporary-name.ts';
import { entryOf, itself } from '../walk.ts';

export interface AtomicWrite {
  readonly folder: number;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The file that is replaced, open: its owner, mode and attributes are kept. Absent: the name must be free. */
  readonly former: { readonly fd: number; readonly plain: Stats } | undefined;
  readonly carryOver: CarryOver;
  /** The new content is on its way to the disk meanwhile, under its temporary name. */
  readonly agreed: Promise<void>;
  readonly shown: string;
  readonly signal: AbortSignal | undefined;
  /** Looks once more, right before the new file takes the name; what it throws stops the write. */
  readonly confirm: () => void;
  /** Told of the temporary name before it is used; returns what to call when it is not any more. */
  readonly noteTemporary: (name: string) => () => void;
}

/**
 * Writes a file so that every reader, and every crash, finds the old content or the new one whole. The new inode
 * takes the name, so a file that is hard-linked from elsewhere keeps its old content there. No execute bit is set
 * that the former file did not have.
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
        // Before the mode, whose bits for the group mean something else without an access list.
        await write.carryOver(former.fd, fd);
        fchmodSync(fd, former.plain.mode & 0o777);
      }
      // Both, also where one fails: nothing of this goes on when it is told of.
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

/** Gives the new file its name unless that is taken. Says whether the temporary name is gone by it. */
function takeFreeName(from: string, to: string): boolean {
  try {
    // A link never replaces what is there, which a rename would.
    linkSync(from, to);
    return false;
  } catch (cause) {
    const code = errnoCode(cause) ?? '';
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw cause;
  }
  // A file system without hard links (FAT, some network shares): hold the name with an empty file of our own.
  closeSync(
    openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600),
  );
  renameSync(from, to);
  return true;
}

/**
 * Makes the folder's own entries durable; the descriptor may be closed meanwhile. A folder that we may write but not
 * read cannot be synced.
 */
export function syncFolder(folder: number): Promise<void> {
  let fd: number;
  try {
    fd = openSync(itself(folder), constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    // We may not read it.
    return Promise.resolve();
  }
  const durable = fsync(fd).finally(() => closeSync(fd));
  // Whoever waits for it hears of a failure, which may be later than it happens.
  durable.catch(() => {});
  return durable;
}

function keepOwner(fd: number, former: Stats): void {
  if (former.uid !== process.geteuid?.() || former.gid !== process.getegid?.()) {
    try {
      fchownSync(fd, former.uid, former.gid);
    } catch {
      // Only root gives files away; the new file is then ours, as with any editor.
    }
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already, or stays for the next start to find.
  }
}

/** A change that is made. Its name is still on the way to the disk, which others need not wait for. */
export interface Made {
  readonly durable: Promise<void>;
}
