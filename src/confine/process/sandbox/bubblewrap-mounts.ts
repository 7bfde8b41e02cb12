import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import type { FolderRoot } from '../../../contract/capabilities/files.ts';
import { isInside } from '../../../ground/inside.ts';
import type { GivenConfig } from '../../git/person-config.ts';
import type { SpawnOptions } from '../child/child.ts';
import type { Toolchains } from '../toolchains/find.ts';
import { heldArguments } from '../toolchains/mounts.ts';
import { guardingArguments } from './guarded-names.ts';
import { hidingArguments } from './hidden-paths.ts';
import { isSetting } from './settings/system-settings.ts';
import { systemFolders } from './system-paths.ts';

export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  readonly program: string;
  readonly roots: readonly FolderRoot[];
  /** More that may be read: tools that live outside `/usr`. */
  readonly readable: readonly string[];
  /** Names below each root that a command may read and not change, where they exist. */
  readonly readOnlyNames: readonly string[];
  /** The same for what works on the folders themselves. */
  readonly keptNames?: readonly string[] | undefined;
  /** What lies inside the roots and must not be seen. */
  readonly hiddenPaths: readonly string[];
  readonly temporaryBytes: number;
  /** A folder that commands which are given it may write, wherever it lies. */
  readonly caches?: string | undefined;
  /** Where dry runs keep what they write. Absent: there are none. */
  readonly layers?: string | undefined;
  readonly toolchains: Toolchains;
  /** Becomes `/etc/gitconfig`, which a git reads whose variables were taken away. */
  readonly git: GivenConfig;
  /** The server's, which says where a person's settings of npm are. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ports of each command's own loopback that an outlet serves. */
  readonly outletPorts?: readonly number[] | undefined;
}

/** What is the same for every command, or for every one in a room: made once. */
export function systemArguments(
  { readable, temporaryBytes }: BubblewrapOptions,
  settings: string,
  shared?: { readonly folder: string; readonly place: string },
): readonly string[] {
  const args = [
    '--unshare-all',
    // The room's, which has no way out either.
    ...(shared ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    // Our own shell is the first process: it ends when the command does, and bwrap collects it.
    '--as-pid-1',
    '--cap-drop',
    'ALL',
  ];
  for (const folder of systemFolders) {
    const target = linkTarget(folder);
    if (target !== undefined) args.push('--symlink', target, folder);
    else if (existsSync(folder)) args.push('--ro-bind', folder, folder);
  }
  args.push('--ro-bind', settings, '/etc');
  // The tmpfs of /dev has no bound of its own, and everybody may write in it.
  args.push('--dev', '/dev', '--size', String(temporaryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev');
  args.push('--proc', '/proc', ...kernelArguments());
  if (shared?.place !== '/tmp') args.push('--size', String(temporaryBytes), '--tmpfs', '/tmp');
  if (shared) args.push('--bind', shared.folder, shared.place);
  // Of a room once: what a command put in its place there would keep the next from starting.
  if (!shared) args.push('--dir', '/tmp/home');
  // After the tmpfs: what lies below the host's /tmp must be bound into the new one.
  for (const folder of readable) {
    if (existsSync(folder) && !isSetting(folder)) args.push('--ro-bind-try', folder, folder);
  }
  return args;
}

/** Roots in the order of their depth, so that one inside another is not covered by it. */
export function rootArguments(options: BubblewrapOptions, spawnOptions: SpawnOptions): readonly string[] {
  const { roots } = options;
  const args: string[] = [];
  const writable = new Set(spawnOptions.writable);
  const folders = [...new Set([...roots.map((root) => root.hostPath), ...spawnOptions.writable])];
  const covered = new Set(spawnOptions.covered);
  folders.push(...covered);
  folders.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  // What is bound already would be covered.
  const isBound = (top: string) => options.readable.some((path) => isInside(path, top));
  const between = foldersBetween(folders).filter((top) => !isBound(top));
  for (const folder of between) args.push('--size', '65536', '--tmpfs', folder);
  for (const folder of folders) {
    if (covered.has(folder)) args.push('--size', '65536', '--tmpfs', folder);
    else args.push(writable.has(folder) ? '--bind' : '--ro-bind', folder, folder);
  }
  // What is mounted below has its place by now.
  for (const folder of [...covered, ...between]) args.push('--remount-ro', folder);
  args.push(...guardingArguments(options, spawnOptions));
  args.push(...heldArguments(options.toolchains, spawnOptions.writable));
  args.push(...hidingArguments(options.hiddenPaths, folders, writable));
  // Folders that bwrap made to hang the others in.
  args.push('--remount-ro', '/');
  return args;
}

/**
 * The folders between /tmp and what is shown below it. Commands have a /tmp of their own, and what they wrote beside a
 * root there would be gone with them without a word.
 */
function foldersBetween(shown: readonly string[]): readonly string[] {
  const tops = shown.flatMap((path) => /^\/tmp\/[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(tops)].filter((top) => !shown.includes(top));
}

/**
 * Makes read-only what the kernel takes orders by, since it asks for root's number there, not for capabilities. Bubblewrap covers
 * a few of these by itself, but leaves out `/proc/sys`, a folder that not even root may write, whatever lies in it.
 */
function kernelArguments(): readonly string[] {
  const takesOrders = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isDirectory() || ((stat?.mode ?? 0) & 0o222) !== 0;
  };
  return readdirSync('/proc')
    .filter((name) => !ofProcesses.test(name))
    .map((name) => `/proc/${name}`)
    .filter(takesOrders)
    .flatMap((path) => ['--ro-bind-try', path, path]);
}

/** The numbered folders, and the links into one's own. */
const ofProcesses = /^(\d+|self|thread-self|net|mounts)$/;

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
