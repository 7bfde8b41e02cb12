import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import { ToolError } from '../contract/error.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { orElse } from '../ground/or-else.ts';
import { fault, linkRefused, notAFile } from './fault.ts';
import { shownPath } from './names.ts';

/*
 * The walk. A path is never passed to the kernel whole: each component is opened from the descriptor of the folder
 * before it, and no component may be a symbolic link. Node has no openat; `/proc/self/fd/<fd>/<name>` is equivalent,
 * since the first part leads straight to the open folder and only `name` is looked up. Swapping a folder for a link
 * during the walk achieves nothing: our descriptor stays the folder that was checked.
 */

/** O_PATH, which Node does not define; the value is the same on every architecture of Node on Linux. */
export const openPath = 0o10000000;
const folderFlags = openPath | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const leafFlags = openPath | constants.O_NOFOLLOW;

/** A root, open since start-up. */
export interface Root {
  /** -1 once it is closed: the number may then belong to another file. */
  fd: number;
  readonly hostPath: string;
  /** Names of the host path, from `/`. */
  readonly components: readonly string[];
  /** The path as the operator wrote it, if a link led to the root. */
  readonly alias: readonly string[] | undefined;
  readonly writable: boolean;
  /** Only this file of the folder is served. */
  readonly file?: string | undefined;
  /** Device of the process file system, whose files are commands and secrets rather than content. */
  readonly procDevice: number;
}

/** Opens a root by its resolved path; the only time that a whole path is opened. */
export function openRootFolder(hostPath: string): number {
  return openSync(hostPath, folderFlags);
}

/** Opens a folder inside an open one, but no link; throws otherwise. A name may be bytes, one per character. */
export function openFolderIn(folder: number, name: string, encoding: 'utf8' | 'latin1' = 'utf8'): number {
  return openSync(Buffer.from(entryOf(folder, name), encoding), folderFlags);
}

/** The kernel's path of an entry in an open folder. */
export function entryOf(folder: number, name: string): string {
  return `/proc/self/fd/${folder}/${name}`;
}

/** The kernel's path of the open folder or file itself. */
export function itself(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/**
 * Opens the folder that the first `count` components name. Return the descriptor with `leaveFolder`. `hidden`
 * components are left out of errors; with `made`, missing folders are made, and it is called with the number of
 * components of each. Throws `not_found`, or `forbidden` naming the link.
 */
export function enterFolder(
  root: Root,
  components: readonly string[],
  count: number,
  hidden: number,
  made?: (count: number) => void,
): number {
  if (root.fd < 0)
    throw new ToolError('unavailable', 'The server is stopping.', 'サーバーは停止処理中です。');
  let folder = root.fd;
  for (let depth = 0; depth < count; depth++) {
    const entry = entryOf(folder, components[depth] ?? '');
    let next: number;
    try {
      next = made ? openOrMake(entry, () => made(depth + 1)) : openSync(entry, folderFlags);
    } catch (cause) {
      const isLink = orElse(() => lstatSync(entry).isSymbolicLink(), false);
      leaveFolder(root, folder);
      const shown = shownPath(components.slice(hidden, depth + 1).join('/') || '.');
      throw isLink ? linkRefused(shown) : fault(cause, shown);
    }
    leaveFolder(root, folder);
    folder = next;
  }
  return folder;
}

/** The same for asynchronous work: the descriptor is never the root's own, and the caller closes it. */
export function holdFolder(...place: Parameters<typeof enterFolder>): number {
  const [root] = place;
  const folder = enterFolder(...place);
  return folder === root.fd ? openSync(entryOf(folder, '.'), folderFlags) : folder;
}

function openOrMake(entry: string, made: () => void): number {
  try {
    return openSync(entry, folderFlags);
  } catch (cause) {
    if (errnoCode(cause) !== 'ENOENT') throw cause;
  }
  try {
    mkdirSync(entry);
    made();
  } catch (cause) {
    // Another process made it first; opening it checks it.
    if (errnoCode(cause) !== 'EEXIST') throw cause;
  }
  return openSync(entry, folderFlags);
}

export function leaveFolder(root: Root, folder: number): void {
  if (folder !== root.fd) closeSync(folder);
}

/**
 * Opens a regular file of an open folder. It is checked through a descriptor that cannot read, then opened for reading
 * through that very descriptor, so a pipe or device is never opened, whatever is swapped in.
 */
export function openFileIn(
  root: Root,
  folder: number,
  name: string,
  shown: string,
): { fd: number; stat: Stats } {
  let handle: number;
  try {
    handle = openSync(entryOf(folder, name), leafFlags);
  } catch (cause) {
    throw fault(cause, shown);
  }
  try {
    const stat = fstatSync(handle);
    assertRegular(root, stat, shown);
    return { fd: openSync(itself(handle), constants.O_RDONLY), stat };
  } catch (cause) {
    throw fault(cause, shown);
  } finally {
    closeSync(handle);
  }
}

/** Only files with real content pass. */
function assertRegular(root: Root, stat: Stats, shown: string): void {
  if (stat.isFile() && stat.dev !== root.procDevice) return;
  if (stat.isSymbolicLink()) throw linkRefused(shown);
  throw notAFile(shown, stat.isDirectory() ? 'folder' : 'other');
}
