import { randomBytes } from 'node:crypto';
import { constants, type Stats, unlinkSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { entryOf } from '../files/walk.ts';

/** A name that a write in an open folder uses until it is whole. */
export function temporaryEntry(folder: number): string {
  return entryOf(folder, `.sekisho-${randomBytes(8).toString('hex')}.tmp`);
}

/** Copies a file of a layer into an open folder under a name of our own, and returns that. */
export async function copyInto(
  folder: number,
  from: string,
  { mode, stat, former }: { readonly mode: number; readonly stat: Stats; readonly former: Stats | undefined },
): Promise<string> {
  // A command may have taken the right to read its own file away: the layer's may be changed.
  if ((stat.mode & 0o400) === 0) await chmod(from, 0o600);
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  const entry = temporaryEntry(folder);
  try {
    const copy = await open(entry, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, chunkBytes, null);
        if (bytesRead === 0) break;
        for (let at = 0; at < bytesRead; ) at += (await copy.write(chunk, at, bytesRead - at)).bytesWritten;
      }
      const own = await copy.stat();
      if (former?.isFile() && (former.uid !== own.uid || former.gid !== own.gid))
        await copy.chown(former.uid, former.gid);
      await copy.chmod(mode);
      await copy.utimes(stat.atime, stat.mtime);
    } finally {
      await copy.close();
    }
    return entry;
  } catch (error) {
    unlinkSync(entry);
    throw error;
  } finally {
    await source.close();
  }
}

const chunkBytes = 1024 * 1024;
