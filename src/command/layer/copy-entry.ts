import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { copyFile as copyContent, open } from 'node:fs/promises';
import { temporaryName } from '../../files/names.ts';
import { entryOf, itself, openFolderIn } from '../../files/walk.ts';
import { asBytes } from '../../ground/machine/byte-paths.ts';
import { defer, deferred } from '../../ground/waiting/defer.ts';

/** Copies a layer's entry from another file system, under a temporary name until it is whole. Paths are bytes. */
export async function copyEntry(
  from: string,
  folder: number,
  name: string,
  former: Stats | undefined,
): Promise<void> {
  const temporary = temporaryName();
  try {
    await copyTo(from, folder, temporary, former);
    renameSync(asBytes(entryOf(folder, temporary)), asBytes(entryOf(folder, name)));
  } catch (error) {
    rmSync(asBytes(entryOf(folder, temporary)), { recursive: true, force: true });
    throw error;
  }
}

async function copyTo(from: string, folder: number, name: string, former: Stats | undefined): Promise<void> {
  const stat = lstatSync(asBytes(from));
  const to = asBytes(entryOf(folder, name));
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(asBytes(from), { encoding: 'buffer' }), to);
    lutimesSync(to, stat.atime, stat.mtime);
    return;
  }
  if (!stat.isDirectory()) return copyFile(from, to, stat, former);
  if ((stat.mode & 0o500) !== 0o500) chmodSync(asBytes(from), 0o700);
  mkdirSync(to, 0o700);
  const inner = openFolderIn(folder, name, 'latin1');
  using _ = defer(() => closeSync(inner));
  for (const each of readdirSync(asBytes(from), { encoding: 'latin1' as BufferEncoding }))
    await copyTo(`${from}/${each}`, inner, each, undefined);
  chmodSync(itself(inner), stat.mode & 0o7777);
  lutimesSync(`${itself(inner)}/.`, stat.atime, stat.mtime);
}

async function copyFile(from: string, to: Buffer, stat: Stats, former: Stats | undefined): Promise<void> {
  // A command may have made its own file unreadable; the layer's copy may be changed.
  if ((stat.mode & 0o400) === 0) chmodSync(asBytes(from), 0o600);
  const copy = await open(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  await using _ = deferred(() => copy.close());
  await copyContent(asBytes(from), itself(copy.fd), constants.COPYFILE_FICLONE);
  const own = await copy.stat();
  if (former?.isFile() && (former.uid !== own.uid || former.gid !== own.gid))
    await copy.chown(former.uid, former.gid);
  await copy.chmod(stat.mode & 0o777);
  await copy.utimes(stat.atime, stat.mtime);
}
