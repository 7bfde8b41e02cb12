import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FolderRoot } from '../../../contract/capabilities/files.ts';
import type { StageSpawn } from '../../../contract/capabilities/pipeline.ts';
import type { SandboxName, SandboxStatus } from '../../../contract/capabilities/process.ts';
import { type Text, text, verbatim } from '../../../contract/text/text.ts';
import { once } from '../../../ground/once.ts';
import { type PersonConfig, readPersonConfig } from '../../git/person-config.ts';
import { writeGitSettings } from '../../git/settings-folder.ts';
import type { HostProxy, HostProxyOptions } from '../../network/proxy/open.ts';
import type { Backend } from '../child/child.ts';
import { closeInheritedOnSpawn } from '../child/inherited.ts';
import { openLandlock } from '../landlock/open.ts';
import type { ProcessLimits } from '../prelude.ts';
import { openBubblewrap } from './bubblewrap.ts';
import { certificatesOf } from './certificates.ts';
import { defaultReadOnlyNames } from './guarded-names.ts';
import { type Roots, resolveRoots } from './roots.ts';
import { findProgram, noSandbox, nothingOutside, remedyFor } from './sandbox-refusals.ts';
import { findHole } from './self-test.ts';
import { openUnconfined } from './unconfined.ts';

export interface SandboxOptions {
  /** Folders that commands may read, and write where they are writable. Resolved: no link on the way. */
  readonly roots: readonly FolderRoot[];
  /** `off` only by the operator: commands then run with all that the server may do. */
  readonly sandbox: 'required' | 'off';
  /** More folders that a command may read, e.g. a toolchain in a home folder. */
  readonly readable?: readonly string[] | undefined;
  /** Names below a root that commands may not change. */
  readonly readOnlyNames?: readonly string[] | undefined;
  /** Absolute paths inside the roots that no command may see: the server's own. */
  readonly hiddenPaths?: readonly string[] | undefined;
  readonly limits?: Partial<ProcessLimits> | undefined;
  /** What may confine, in order of preference. */
  readonly backends?: readonly ConfiningName[] | undefined;
  /** Size of a command's own `/tmp`. */
  readonly temporaryBytes?: number | undefined;
  /** Hosts that commands may reach, and the list's name in the configuration. Absent or empty: none. */
  readonly network?: HostProxyOptions | undefined;
  /** The server's own variables: what may be passed on is picked from them. */
  readonly serverEnvironment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Where a command is started, and its way to the network where it has one. */
export interface Walls {
  readonly backend: Backend;
  /** What commands have in place of a person's own settings of git. */
  readonly gitConfig: string;
  readonly proxy?: HostProxy | undefined;
  /** Do they hold in a room that commands share? */
  readonly hasRooms: boolean;
}

/** The sandbox of a server: chosen and proven on first need, kept until it closes. */
export interface Sandbox {
  /** Throws `unavailable` where none works. Never falls back to none. */
  open(): Promise<Walls>;
  /** What starts the stages of pipelines. Throws `unavailable` as well. */
  stages(): Promise<{ readonly spawn: StageSpawn; readonly sandbox: SandboxName }>;
  roots(): Roots;
  status(): Promise<readonly SandboxStatus[]>;
  close(): Promise<void>;
}

export function openSandbox(options: SandboxOptions): Sandbox {
  let resolved: Roots | undefined;
  const roots = () => {
    resolved ??= resolveRoots(options.roots);
    return resolved;
  };
  const names = options.backends ?? confining;
  const candidates = new Map<SandboxName, Promise<Trial>>();
  const gitFolders: string[] = [];
  const git = once(() =>
    readPersonConfig(roots().all[0]?.hostPath ?? '/', options.serverEnvironment ?? process.env),
  );

  function attempt(name: SandboxName): Promise<Trial> {
    let trial = candidates.get(name);
    if (!trial) {
      trial = git().then((settings) =>
        tryBackend(name, options, roots(), { ...settings, folders: gitFolders }),
      );
      candidates.set(name, trial);
    }
    return trial;
  }

  /** The first that works. */
  async function choose(names: readonly SandboxName[]): Promise<Walls> {
    const problems: string[] = [];
    if (options.sandbox !== 'off' && holdsMachine(roots())) throw nothingOutside();
    for (const name of options.sandbox === 'off' ? (['none'] as const) : names) {
      const trial = await attempt(name);
      if (trial.walls) return trial.walls;
      problems.push(`${name}: ${trial.cause}`);
    }
    throw noSandbox(problems);
  }

  return {
    open: () => choose(names),
    async stages() {
      // A thread starts four stages in the time that bubblewrap needs for one.
      const { backend } = await choose(names.toReversed());
      return { spawn: backend.spawnStage, sandbox: backend.name };
    },
    roots,
    async status() {
      const shown: readonly SandboxName[] = options.sandbox === 'off' ? [...names, 'none'] : names;
      return Promise.all(shown.map(async (name) => (await attempt(name)).status));
    },
    async close() {
      for (const trial of candidates.values()) await (await trial).walls?.backend.close();
      candidates.clear();
      for (const folder of gitFolders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type ConfiningName = 'bubblewrap' | 'landlock';

const confining: readonly ConfiningName[] = ['bubblewrap', 'landlock'];
/** With `/` as a root there is nothing left that walls could keep a command from. */
function holdsMachine({ all }: Roots): boolean {
  return all.some(({ hostPath }) => hostPath === '/');
}

const wholeMachine = text(
  'the root / leaves nothing outside of it, so no sandbox can hold',
  'ルートが / では外側が残らないため、サンドボックスが成り立ちません',
);

interface Trial {
  readonly status: SandboxStatus;
  readonly walls?: Walls | undefined;
  /** For the log. */
  readonly cause?: string | undefined;
}

/** What commands are given of a person's git, and the folders that were made for it. */
interface GitOptions extends PersonConfig {
  readonly folders: string[];
}

async function tryBackend(
  name: SandboxName,
  options: SandboxOptions,
  roots: Roots,
  git: GitOptions,
): Promise<Trial> {
  let backend: Backend | undefined;
  if (name !== 'none' && holdsMachine(roots)) {
    return { cause: wholeMachine.en, status: { name, works: false, problem: wholeMachine } };
  }
  try {
    await closeInheritedOnSpawn();
    const proxy = name === 'none' ? undefined : await proxyOf(options);
    // Bubblewrap has a folder of its own for such.
    const folder = name === 'bubblewrap' ? undefined : mkdtempSync(join(tmpdir(), 'sekisho-git-'));
    if (folder !== undefined) git.folders.push(folder);
    const gitConfig = folder === undefined ? '/etc/gitconfig' : writeGitSettings(folder, git, folder);
    backend = await open(name, options, roots, proxy, git, folder);
    if (name === 'none')
      return { walls: { backend, gitConfig, hasRooms: true }, status: { name, works: true } };
    const folders = roots.all.map((root) => root.hostPath);
    const hole = await findHole(backend, folders);
    if (hole === undefined) {
      const problem = proxy && (backend.withoutOutlet ?? (await tryProxy(backend, folders, proxy)));
      if (problem === undefined) {
        const hasRooms = await holdInRoom(backend, folders, proxy);
        return { walls: { backend, gitConfig, proxy, hasRooms }, status: { name, works: true } };
      }
      // Without a way that holds there is none.
      return {
        walls: { backend, gitConfig, hasRooms: await holdInRoom(backend, folders) },
        status: { name, works: true, withoutNetwork: withoutNetwork(options.network?.key ?? '', problem) },
      };
    }
    await backend.close();
    return failed(name, hole);
  } catch (error) {
    await backend?.close();
    return failed(name, error instanceof Error ? error.message : String(error));
  }
}

/** Where rooms cannot be made, or have a hole, each command gets files and a loopback of its own. */
async function holdInRoom(backend: Backend, folders: readonly string[], proxy?: HostProxy): Promise<boolean> {
  try {
    const room = await backend.openRoom(proxy?.openOutlet());
    try {
      return (await findHole(room, folders, proxy)) === undefined;
    } finally {
      await room.close();
    }
  } catch {
    return false;
  }
}

/** Loaded only where hosts are listed. */
async function proxyOf({ network }: SandboxOptions): Promise<HostProxy | undefined> {
  if (!network || network.entries.length === 0) return undefined;
  const { createProxy } = await import('../../network/proxy/open.ts');
  return createProxy(network);
}

async function tryProxy(
  backend: Backend,
  folders: readonly string[],
  proxy: HostProxy,
): Promise<string | undefined> {
  try {
    return await findHole(backend, folders, proxy);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function withoutNetwork(key: string, problem: string): Text {
  return text(
    `commands reach no host of ${key}: ${problem}`,
    `コマンドは ${key} のどのホストにも接続できません: ${problem}`,
  );
}

function failed(name: SandboxName, cause: string): Trial {
  return { cause, status: { name, works: false, problem: verbatim(cause), remedy: remedyFor(name) } };
}

async function open(
  name: SandboxName,
  options: SandboxOptions,
  roots: Roots,
  proxy: HostProxy | undefined,
  git: PersonConfig,
  gitFolder: string | undefined,
): Promise<Backend> {
  if (process.platform === 'win32') throw new Error('commands are not run on Windows yet');
  if (name === 'none') return openUnconfined();
  if (process.platform !== 'linux') throw new Error(`no sandbox for ${process.platform} yet`);
  const server = options.serverEnvironment ?? process.env;
  const readable = [...(options.readable ?? []), ...certificatesOf(server).paths];
  if (name === 'landlock') {
    // Its rules only ever add: what lies in a folder that is granted cannot be taken out again.
    if (options.hiddenPaths?.length) throw new Error("the server's own files lie inside a root");
    return openLandlock({
      roots: roots.all.map((root) => root.hostPath),
      readable: gitFolder === undefined ? readable : [...readable, gitFolder],
      path: server.PATH,
    });
  }
  const program = findProgram('bwrap');
  if (program === undefined) throw new Error('bubblewrap (bwrap) is not installed');
  return openBubblewrap({
    program,
    roots: roots.all,
    readable,
    readOnlyNames: options.readOnlyNames ?? defaultReadOnlyNames,
    hiddenPaths: options.hiddenPaths ?? [],
    temporaryBytes: options.temporaryBytes ?? 1024 ** 3,
    path: server.PATH,
    outletPorts: proxy?.ports,
    git,
  });
}
