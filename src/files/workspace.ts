import { closeSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { ChangeObserver, Folder } from '../contract/capabilities/files.ts';
import { ConfigError } from '../contract/error.ts';
import { orElse } from '../ground/or-else.ts';
import { lazy } from '../ground/waiting/once.ts';
import { createTurns } from '../ground/waiting/turns.ts';
import { createCarryOver } from './attributes.ts';
import { createFolderLocks } from './changing/folder-locks.ts';
import { openLocks } from './changing/lock.ts';
import { noScratch, openScratch } from './changing/scratch.ts';
import { HeldFolder } from './folder.ts';
import { createProtection, defaultProtectedNames, fold } from './protected-names.ts';
import { createLineIndexes } from './text/line-indexes.ts';
import { openRootFolder, type Root } from './walk.ts';

export interface WorkspaceOptions {
  /** In order: relative paths start at the first. */
  readonly roots: readonly RootOptions[];
  /** Files outside the roots that are served individually. */
  readonly files?: readonly RootOptions[] | undefined;
  /** Replaces `defaultProtectedNames`. */
  readonly protectedNames?: readonly string[] | undefined;
  /** Absolute paths inside the roots that must not be reached through them: the server's own. */
  readonly hiddenPaths?: readonly string[] | undefined;
  readonly observer?: ChangeObserver | undefined;
  /** A folder outside the roots for notes on writes in progress, so that a crash leaves nothing behind. */
  readonly scratchFolder?: string | undefined;
}

interface RootOptions {
  readonly path: string;
  readonly writable: boolean;
  /** Another name of the same folder, by a link to it. */
  readonly named?: string | undefined;
}

export interface Workspace {
  readonly folder: Folder;
  /** Later calls throw `unavailable`; a running write still completes. */
  close(): void;
}

/** Opens the roots and keeps them open. Throws `ConfigError` if a root is not a folder, or /proc is missing. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  if (options.roots.length === 0)
    throw new ConfigError(
      'roots must name at least one folder.',
      'roots には少なくとも 1 つのフォルダーを指定してください。',
    );
  const procDevice = deviceOfProc();
  const roots: Root[] = [];
  try {
    for (const root of options.roots) roots.push(openRoot(root, procDevice));
    for (const file of options.files ?? []) roots.push(openFileRoot(file, procDevice));
  } catch (error) {
    for (const root of roots) closeSync(root.fd);
    throw error;
  }
  const scratch = options.scratchFolder === undefined ? noScratch : openScratch(options.scratchFolder, roots);
  return {
    folder: new HeldFolder({
      roots,
      dependencies: {
        lines: createLineIndexes(),
        turns: createTurns(),
        locks: lazy(tryLocks),
        observer: options.observer,
        scratch,
        carryOver: createCarryOver(),
      },
      protection: createProtection(options.protectedNames ?? defaultProtectedNames),
      hiddenPaths: (options.hiddenPaths ?? []).map((path) => namesOf(path).map(fold)),
      readOnly: false,
      follows: false,
      below: [],
      whole: true,
    }),
    close() {
      scratch.close();
      for (const root of roots) {
        closeSync(root.fd);
        root.fd = -1;
      }
    },
  };
}

/** The same folder for a tool that only reads: every change is `forbidden`. */
export function asReadOnly(folder: Folder): Folder {
  return held(folder).with({ readOnly: true });
}

/** The same folder, but following symbolic links to something inside. */
export function asFollowing(folder: Folder): Folder {
  return held(folder).with({ follows: true });
}

/** The same folder, but with errors that name nothing hidden from the caller. */
export function asHiding(folder: Folder, hides: (path: string) => boolean): Folder {
  return held(folder).with({ hides });
}

/** The same folder without protected names, for a part of the server that stores its own files there. */
export function asUnprotected(folder: Folder): Folder {
  return held(folder).with({ protection: () => undefined });
}

function held(folder: Folder): HeldFolder {
  if (!(folder instanceof HeldFolder))
    throw new TypeError('Only a folder of an open workspace has rights to change.');
  return folder;
}

function openRoot(root: RootOptions, procDevice: number): Root {
  const written = resolve(root.named ?? root.path);
  try {
    const hostPath = realpathSync.native(resolve(root.path));
    return {
      fd: openRootFolder(hostPath),
      hostPath,
      components: namesOf(hostPath),
      alias: written === hostPath ? undefined : namesOf(written),
      writable: root.writable,
      procDevice,
    };
  } catch (cause) {
    throw new ConfigError(
      `roots: "${root.path}" is not a folder that this server can open.`,
      `roots: "${root.path}" は、このサーバーが開けるフォルダーではありません。`,
      { cause },
    );
  }
}

/** The folder of a single file: a write replaces the file there, and nothing else is reachable. */
function openFileRoot(file: RootOptions, procDevice: number): Root {
  const hostPath = realpathSync.native(resolve(file.path));
  const named = resolve(file.named ?? file.path);
  return {
    ...openRoot({ path: dirname(hostPath), writable: file.writable }, procDevice),
    file: basename(hostPath),
    alias: named === hostPath ? undefined : namesOf(named),
  };
}

function deviceOfProc(): number {
  try {
    if (process.platform === 'linux') return statSync('/proc/self/fd').dev;
  } catch {
    // Reported below.
  }
  throw new ConfigError(
    'Serving files safely needs Linux with /proc mounted, which is missing here. There is no weaker fallback.',
    'ファイルを安全に提供するには、Linux と /proc のマウントが必要ですが、この環境にはありません。これより弱い方法は使いません。',
  );
}

/** Files can also be written on machines that koffi does not support. */
function tryLocks() {
  return orElse(() => {
    const files = openLocks();
    return { files, folders: createFolderLocks(files) };
  }, undefined);
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}
