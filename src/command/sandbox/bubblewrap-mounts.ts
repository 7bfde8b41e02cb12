import { existsSync, mkdirSync, readdirSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FolderRoot } from '../../contract/capabilities/files.ts';
import type { GivenConfig } from '../../git/person-config.ts';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import type { HostProxy } from '../../network/proxy/open.ts';
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
  /** More readable folders: tools outside `/usr`. */
  readonly readable: readonly string[];
  readonly devices?: readonly string[] | undefined;
  /** Names below each root that are read-only for commands, if they exist. */
  readonly readOnlyNames: readonly string[];
  /** More such names for commands that work on the folders themselves. */
  readonly keptNames?: readonly string[] | undefined;
  /** Hidden paths inside the roots. */
  readonly hiddenPaths: readonly string[];
  readonly temporaryBytes: number;
  /** A folder that commands with caches may write, at any path. */
  readonly caches?: string | undefined;
  /** The folder for layers. Undefined: there are none. */
  readonly layers?: string | undefined;
  readonly toolchains: Toolchains;
  /** Becomes `/etc/gitconfig`, for a git whose variables were removed. */
  readonly git: GivenConfig;
  /** The server's variables, which tell where a person's npm settings are. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** One more certificate authority that commands trust, in PEM. */
  readonly authority?: string | undefined;
  /** The part of the network that an outlet serves: its sockets, addresses for the hosts file, settings and logins. */
  readonly network?: Pick<HostProxy, 'listening' | 'addresses' | 'files' | 'homeFiles'> | undefined;
}

/** The arguments that are the same for every command, or every command in a room; made once. */
export function systemArguments(
  { readable, devices = [], temporaryBytes, network }: BubblewrapOptions,
  settings: string,
  shared?: { readonly folder: string; readonly place: string },
): readonly string[] {
  const args = [
    '--unshare-all',
    // The room's network, which has no connection to the outside either.
    ...(shared ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    // Our own shell is the first process: it ends with the command, and bwrap reaps it.
    '--as-pid-1',
    '--cap-drop',
    'ALL',
  ];
  for (const folder of systemFolders) {
    const target = orElse(() => readlinkSync(folder), undefined);
    if (target !== undefined) args.push('--symlink', target, folder);
    else if (existsSync(folder)) args.push('--ro-bind', folder, folder);
  }
  args.push('--ro-bind', settings, '/etc');
  // The tmpfs of /dev has no size limit of its own, and everyone may write in it.
  args.push('--dev', '/dev', '--size', String(temporaryBytes), '--tmpfs', '/dev/shm');
  for (const device of devices) args.push('--dev-bind-try', device, device);
  args.push('--remount-ro', '/dev');
  args.push('--proc', '/proc', ...kernelArguments());
  if (shared?.place !== '/tmp') args.push('--size', String(temporaryBytes), '--tmpfs', '/tmp');
  if (shared) args.push('--bind', shared.folder, shared.place);
  // Once for a room: a command that replaced this folder would keep the next one from starting.
  if (!shared) args.push('--dir', '/tmp/home', ...loginArguments(network, '/tmp/home'));
  // After the tmpfs: folders below the host's /tmp must be bound into the new one.
  for (const folder of readable) {
    if (existsSync(folder) && !isSetting(folder) && !devices.includes(folder))
      args.push('--ro-bind-try', folder, folder);
  }
  return args;
}

/** Links to the files with logins, for a command with its own files. */
function loginArguments(network: BubblewrapOptions['network'], home: string): readonly string[] {
  return [...(network?.homeFiles.keys() ?? [])].flatMap((path) => [
    '--symlink',
    `/etc/${loginsBelowEtc}/${path}`,
    `${home}/${path}`,
  ]);
}

/** Python reads such a file only if no other user may. */
export function writeLogins(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, words] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, words, { mode: 0o600 });
  }
}

export const loginsBelowEtc = 'sekisho-logins';

/** Binds roots by depth, so that an outer root does not cover an inner one. */
export function rootArguments(options: BubblewrapOptions, spawnOptions: SpawnOptions): readonly string[] {
  const { roots } = options;
  const args: string[] = [];
  const writable = new Set(spawnOptions.writable);
  const folders = [...new Set([...roots.map((root) => root.hostPath), ...spawnOptions.writable])];
  const covered = new Set(spawnOptions.covered);
  folders.push(...covered);
  folders.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  // A tmpfs would cover folders that are bound already.
  const isBound = (top: string) => options.readable.some((path) => isInside(path, top));
  const between = foldersBetween(folders).filter((top) => !isBound(top));
  for (const folder of between) args.push('--size', '65536', '--tmpfs', folder);
  for (const folder of folders) {
    if (covered.has(folder)) args.push('--size', '65536', '--tmpfs', folder);
    else args.push(writable.has(folder) ? '--bind' : '--ro-bind', folder, folder);
  }
  // Read-only now, because the mount points below exist.
  for (const folder of [...covered, ...between]) args.push('--remount-ro', folder);
  args.push(...guardingArguments(options, spawnOptions));
  args.push(...heldArguments(options.toolchains, spawnOptions.writable));
  args.push(...hidingArguments(options.hiddenPaths, folders, writable));
  // Folders that bwrap created for mount points.
  args.push('--remount-ro', '/');
  return args;
}

/** The folders between /tmp and the roots below it: files beside a root there would vanish with the command's /tmp. */
function foldersBetween(shown: readonly string[]): readonly string[] {
  const tops = shown.flatMap((path) => /^\/tmp\/[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(tops)].filter((top) => !shown.includes(top));
}

/**
 * Makes the kernel's control files read-only: there the kernel checks for root's user id, not for capabilities.
 * Bubblewrap covers some of them, but not `/proc/sys`, whose folder is not writable even for root, unlike files in it.
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

/** The numbered folders, and the links to one's own. */
const ofProcesses = /^(\d+|self|thread-self|net|mounts)$/;
