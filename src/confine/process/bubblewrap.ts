import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FolderRoot } from '../../contract/files.ts';
import { adopt } from './adopt.ts';
import type { Backend, Child, SpawnOrder } from './child.ts';
import { searchPath } from './environment.ts';
import { findFilterHole } from './filter-check.ts';
import { defaultProcessLimits, initArguments } from './prelude.ts';
import { compileFilter, type FilterPlan, hasSeccomp } from './seccomp.ts';
import { findMembers, signal } from './tree.ts';

export interface BubblewrapOptions {
  /** Absolute path of `bwrap`. */
  readonly program: string;
  readonly roots: readonly FolderRoot[];
  /** More that may be read: tools that live outside `/usr`. */
  readonly readable: readonly string[];
  /** Names below each root that a command may read and not change, where they exist. */
  readonly readOnlyNames: readonly string[];
  readonly temporaryBytes: number;
  readonly path: string | undefined;
}

/** Commands in namespaces of their own: another file tree, no network, no other process to see. */
export function openBubblewrap(options: BubblewrapOptions): Backend {
  const filter = openFilter();
  const system = systemArguments(options);

  async function start(order: SpawnOrder): Promise<Child> {
    // A descriptor of its own for each start: the reading position is shared by those that are inherited.
    const filterFd = openSync(`/proc/self/fd/${filter}`, 'r');
    try {
      const child = spawn(
        options.program,
        [
          ...system,
          ...rootArguments(options, order),
          '--chdir',
          order.workingFolder,
          '--',
          ...initArguments(order.command, order.limits),
        ],
        {
          // bwrap passes its own environment on, so it gets the command's.
          env: { ...order.environment },
          cwd: '/',
          stdio: [order.stdin === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe', filterFd],
          detached: true,
        },
      );
      return await adopt(child, {
        members: (pid) => insiders(pid),
        destroy(pid) {
          // The first process inside takes all others with it; without bwrap nobody would collect it.
          const inside = findMembers({ pid });
          for (const member of inside) signal(member.pid, 'SIGKILL');
          if (inside.length === 0) signal(pid, 'SIGKILL');
        },
      });
    } finally {
      closeSync(filterFd);
    }
  }

  return {
    name: 'bubblewrap',
    home: '/tmp/home',
    temporary: '/tmp',
    limits: defaultProcessLimits,
    spawn: start,
    async close() {
      closeSync(filter);
    },
  };
}

/** bwrap's own two processes are not the command's: a TERM to them would end it without a chance to tidy up. */
function insiders(pid: number): number[] {
  return findMembers({ pid }).flatMap((member) => (member.parent === pid ? [] : [member.pid]));
}

// Its own network namespace holds no way out, and its own process namespace nobody else to signal or trace.
const plan: FilterPlan = { sockets: 'private', signals: true, tracing: true };

/** A file without a name that holds the filter. Throws where the filter is not what it should be. */
function openFilter(): number {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no system call filter for ${architecture}`);
  const filter = compileFilter(plan, architecture);
  const hole = findFilterHole(filter, plan, architecture);
  if (hole !== undefined) throw new Error(`the system call filter has a hole: ${hole}`);
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-filter-'));
  try {
    const path = join(folder, 'filter');
    writeFileSync(path, filter);
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is the same for every command: made once. */
function systemArguments({ readable, temporaryBytes, path }: BubblewrapOptions): readonly string[] {
  const args = [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    // Our own shell is the first process: it ends when the command does, and bwrap collects it.
    '--as-pid-1',
    '--cap-drop',
    'ALL',
    '--seccomp',
    '3',
    '--ro-bind',
    '/usr',
    '/usr',
  ];
  for (const folder of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
    const target = linkTarget(folder);
    if (target !== undefined) args.push('--symlink', target, folder);
    else if (existsSync(folder)) args.push('--ro-bind', folder, folder);
  }
  for (const file of systemFiles) if (existsSync(file)) args.push('--ro-bind', file, file);
  args.push('--dev', '/dev', '--proc', '/proc', '--size', String(temporaryBytes), '--tmpfs', '/tmp');
  args.push('--dir', '/tmp/home');
  // After the tmpfs: what lies below the host's /tmp must be bound into the new one.
  for (const folder of [...toolFolders(path), ...readable]) args.push('--ro-bind-try', folder, folder);
  return args;
}

/** Roots in the order of their depth, so that one inside another is not covered by it. */
function rootArguments({ roots, readOnlyNames }: BubblewrapOptions, order: SpawnOrder): readonly string[] {
  const args: string[] = [];
  const writable = new Set(order.writable);
  const folders = [...new Set([...roots.map((root) => root.hostPath), ...order.writable])];
  folders.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  for (const folder of folders) args.push(writable.has(folder) ? '--bind' : '--ro-bind', folder, folder);
  for (const folder of guardedFolders(roots, order)) {
    for (const name of readOnlyNames) {
      const path = join(folder, name);
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false) {
        args.push('--ro-bind-try', path, path);
      }
    }
  }
  // Folders that bwrap made to hang the others in.
  args.push('--remount-ro', '/');
  return args;
}

/** The roots and the folders between them and the working folder: where a repository's `.git` may stand. */
function guardedFolders(
  roots: readonly FolderRoot[],
  { workingFolder, writable }: SpawnOrder,
): readonly string[] {
  const folders = new Set([...roots.map((root) => root.hostPath), ...writable]);
  for (let folder = workingFolder; folder !== '/'; folder = dirname(folder)) {
    if (folders.has(folder)) break;
    folders.add(folder);
  }
  return [...folders];
}

/**
 * Folders of the search path outside `/usr`, with the libraries of their installation: a Node of nvm or of a
 * build server. Their parent is not bound, it may be a home folder.
 */
function toolFolders(path: string | undefined): string[] {
  const folders: string[] = [];
  for (const folder of searchPath(path)) {
    if (/^\/(usr|bin|sbin|proc|dev|sys)(\/|$)/.test(folder)) continue;
    const real = realpathOrNone(folder);
    if (real === undefined || real === '/' || real === process.env.HOME) continue;
    folders.push(folder);
    if (/\/s?bin$/.test(folder)) {
      for (const sibling of ['lib', 'lib64', 'libexec', 'include'])
        folders.push(join(dirname(folder), sibling));
    }
  }
  return folders;
}

const systemFiles = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/passwd',
  '/etc/group',
  '/etc/nsswitch.conf',
  '/etc/host.conf',
  '/etc/hosts',
  '/etc/localtime',
  '/etc/timezone',
  '/etc/alternatives',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/locale.alias',
  '/etc/locale.conf',
  '/etc/mime.types',
  '/etc/magic',
  '/etc/protocols',
  '/etc/services',
  '/etc/os-release',
  '/etc/terminfo',
  '/etc/fonts',
  '/etc/java',
  '/nix/store',
  '/gnu/store',
];

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function realpathOrNone(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
