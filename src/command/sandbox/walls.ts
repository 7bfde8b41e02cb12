import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxName, SandboxStatus } from '../../contract/capabilities/process.ts';
import { type Text, text, verbatim } from '../../contract/text/text.ts';
import type { PersonConfig } from '../../git/person-config.ts';
import { writeGitSettings } from '../../git/settings-folder.ts';
import { obeyedNames } from '../../ground/obeyed/obeyed-names.ts';
import { deferred } from '../../ground/waiting/defer.ts';
import { once } from '../../ground/waiting/once.ts';
import type { HostProxy } from '../../network/proxy/open.ts';
import { type CacheKeeper, cacheFolder, keepCaches } from '../caches/open.ts';
import type { Backend } from '../child/child.ts';
import { endWithServer } from '../end-with-server.ts';
import { openLandlock } from '../landlock/open.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { type CommandTools, type Toolchains, withoutWalls } from '../toolchains/find.ts';
import { openBubblewrap } from './bubblewrap.ts';
import type { Roots } from './roots.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { findProgram, remedyFor } from './sandbox-refusals.ts';
import { findHole } from './self-test.ts';
import { bundleVariables, trustedAuthorities } from './settings/bundle.ts';
import { certificatesOf } from './settings/certificates.ts';
import { writeNpmSettings } from './settings/npm-settings.ts';
import { openUnconfined } from './unconfined.ts';

/** An open sandbox, with its network access if it has any. */
export interface Walls {
  readonly backend: Backend;
  /** Replaces a person's own git settings for commands. */
  readonly gitConfig: string;
  readonly git: PersonConfig;
  readonly toolchains: CommandTools;
  /** Keeps caches from one command to the next. */
  readonly caches?: CacheKeeper | undefined;
  readonly proxy?: HostProxy | undefined;
  /** Does the sandbox hold in a room that commands share? Tested for the first command that shares one. */
  readonly hasRooms: () => Promise<boolean>;
}

export interface Trial {
  readonly status: SandboxStatus;
  readonly walls?: Walls | undefined;
  /** For the log. */
  readonly cause?: string | undefined;
}

/** The git settings for commands, and the folders that were made for them. */
export interface GitOptions extends PersonConfig {
  readonly folders: string[];
}

/** Opens a sandbox, and tests it from inside. */
export async function raiseWalls(
  name: SandboxName,
  options: SandboxOptions,
  { roots, toolchains }: { readonly roots: Roots; readonly toolchains: () => Toolchains },
  git: GitOptions,
): Promise<Trial> {
  let backend: Backend | undefined;
  if (name !== 'none' && holdsMachine(roots)) {
    return { cause: wholeMachine.en, status: { name, works: false, problem: wholeMachine } };
  }
  try {
    await closeInheritedOnSpawn();
    await endWithServer();
    const proxy = name === 'none' ? undefined : await proxyOf(options);
    // Bubblewrap has its own folder for this.
    const folder = name === 'bubblewrap' ? undefined : mkdtempSync(join(tmpdir(), 'sekisho-git-'));
    if (folder !== undefined) git.folders.push(folder);
    const gitConfig = folder === undefined ? '/etc/gitconfig' : writeGitSettings(folder, git, folder);
    const npmConfig =
      folder === undefined
        ? '/etc/npmrc'
        : writeNpmSettings(folder, options.serverEnvironment ?? process.env, folder);
    backend = await open(name, options, { roots, toolchains }, proxy, git, folder);
    if (name === 'none') {
      const told = withoutWalls(options.serverEnvironment ?? process.env);
      return {
        walls: { backend, gitConfig, git, toolchains: told, hasRooms: async () => true },
        status: { name, works: true },
      };
    }
    const standing = backend;
    const folders = roots.paths;
    const hole = await findHole(standing, folders);
    if (hole !== undefined) throw new Error(hole);
    const { caches: place } = standing;
    const problem = proxy && (standing.withoutOutlet ?? (await tryProxy(standing, folders, proxy)));
    // If the proxy fails its test, there is no network access.
    const usable = problem === undefined ? proxy : undefined;
    const variables = { ...toolchains().variables, npm_config_globalconfig: npmConfig };
    return {
      walls: {
        backend: standing,
        gitConfig,
        git,
        toolchains: { ...toolchains(), variables },
        caches:
          options.caches && place !== undefined
            ? keepCaches(standing, { ...options.caches, place, root: folders[0] ?? '/' })
            : undefined,
        proxy: usable,
        hasRooms: once(() => holdInRoom(standing, folders, usable)),
      },
      status: {
        name,
        works: true,
        ...withoutSockets(standing.withoutSockets),
        ...(problem !== undefined && { withoutNetwork: withoutNetwork(options.network?.key ?? '', problem) }),
      },
    };
  } catch (error) {
    await backend?.close();
    const cause = error instanceof Error ? error.message : String(error);
    return { cause, status: { name, works: false, problem: verbatim(cause), remedy: remedyFor(name) } };
  }
}

/** If rooms cannot be made, or fail the test, each command gets its own files and loopback. */
async function holdInRoom(backend: Backend, folders: readonly string[], proxy?: HostProxy): Promise<boolean> {
  try {
    const room = await backend.openRoom(proxy?.openOutlet());
    await using _ = deferred(() => room.close());
    return (await findHole(room, folders, proxy)) === undefined;
  } catch {
    return false;
  }
}

/** Loaded only if hosts are listed. */
async function proxyOf({
  network,
  serverEnvironment = process.env,
}: SandboxOptions): Promise<HostProxy | undefined> {
  if (!network || (network.entries.length === 0 && !network.signer)) return undefined;
  const { createProxy } = await import('../../network/proxy/open.ts');
  const proxy = createProxy({ trusted: () => trustedAuthorities(serverEnvironment), ...network });
  if (proxy.authority === undefined) return proxy;
  return { ...proxy, environment: { ...proxy.environment, ...bundleVariables(), ...patience } };
}

/** Programs that would give up while a person reads their request. */
const patience = { CARGO_HTTP_TIMEOUT: '300', PIP_DEFAULT_TIMEOUT: '300' };

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

function withoutSockets(problem: string | undefined): Pick<SandboxStatus, 'withoutSockets'> {
  if (problem === undefined) return {};
  return {
    withoutSockets: text(
      `commands cannot create Unix sockets, which some programs need (tmux, multiprocessing.Manager, tsx): ${problem}`,
      `コマンドは Unix ソケットを作成できません（tmux、multiprocessing.Manager、tsx などが使います）: ${problem}`,
    ),
  };
}

async function open(
  name: SandboxName,
  options: SandboxOptions,
  { roots, toolchains }: { readonly roots: Roots; readonly toolchains: () => Toolchains },
  proxy: HostProxy | undefined,
  git: PersonConfig,
  gitFolder: string | undefined,
): Promise<Backend> {
  if (process.platform === 'win32') throw new Error('commands are not run on Windows yet');
  if (name === 'none') return openUnconfined();
  if (process.platform !== 'linux') throw new Error(`no sandbox for ${process.platform} yet`);
  const server = options.serverEnvironment ?? process.env;
  const caches = options.caches && cacheFolder(options.caches, roots.paths);
  const readable = [...(options.readable ?? []), ...certificatesOf(server).paths];
  if (name === 'landlock') {
    // Landlock's rules only add: a path inside a granted folder cannot be excluded.
    if (options.hiddenPaths?.length) throw new Error("the server's own files lie inside a root");
    return openLandlock({
      roots: roots.paths,
      readable: gitFolder === undefined ? readable : [...readable, gitFolder],
      devices: options.devices,
      toolchains: toolchains(),
      caches,
    });
  }
  const program = findProgram('bwrap');
  if (program === undefined) throw new Error('bubblewrap (bwrap) is not installed');
  return openBubblewrap({
    program,
    roots: roots.all,
    readable,
    devices: options.devices,
    readOnlyNames: options.readOnlyNames ?? obeyedNames,
    keptNames: options.keptNames,
    hiddenPaths: options.hiddenPaths ?? [],
    temporaryBytes: options.temporaryBytes ?? 1024 ** 3,
    toolchains: toolchains(),
    caches,
    layers: options.layers,
    network: proxy,
    authority: proxy?.authority,
    git,
    environment: server,
  });
}

/** With `/` as a root there is nothing left to protect. */
export function holdsMachine({ all }: Roots): boolean {
  return all.some(({ hostPath }) => hostPath === '/');
}

const wholeMachine = text(
  'with the root /, nothing is left outside that a sandbox could protect',
  'ルートが / の場合は、サンドボックスで保護する対象が残りません',
);

/**
 * Keeps descriptors that the server inherited (a log, a lock, a socket of its parent) from commands: Node marks only
 * its own. Without koffi the self-test checks that there are none.
 */
async function closeInheritedOnSpawn(): Promise<void> {
  try {
    const { syscall } = await openKernel();
    syscall(closeRange, 3, 0xffffffff, closeOnExec);
  } catch {
    // The self-test refuses the sandbox if one is visible inside.
  }
}

const closeRange = 436;
const closeOnExec = 4;
