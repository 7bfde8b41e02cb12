import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StageSpawn } from '../../contract/capabilities/pipeline.ts';
import { isBelow } from '../../ground/inside.ts';
import { stageOf } from '../child/adopt.ts';
import type { Backend, Child, Room, SpawnOptions } from '../child/child.ts';
import { startTagged, startWithPipes } from '../child/start-child.ts';
import { destroyGroup } from '../child/tree.ts';
import { type Collector, createCollector } from '../output/collect.ts';
import { systemFiles, systemFolders } from '../sandbox/system-paths.ts';
import { type Kernel, openKernel } from '../seccomp/kernel.ts';
import { compileFilter, type FilterPlan } from '../seccomp/seccomp.ts';
import type { Toolchains } from '../toolchains/find.ts';
import { partsWithoutSecrets } from '../toolchains/secrets.ts';
import { createLauncher, type OpenLaunch, tryWatching } from '../watched/launch.ts';
import { type ConfinedThread, openConfinedThread } from './pool.ts';
import { landlockVersion, signalsLandlockVersion } from './rules.ts';

export interface LandlockOptions {
  readonly roots: readonly string[];
  readonly readable: readonly string[];
  readonly devices?: readonly string[] | undefined;
  readonly toolchains: Toolchains;
  /** A folder that commands with caches may write. */
  readonly caches?: string | undefined;
}

/**
 * Confines commands by Landlock and a system call filter on the machine's own file tree: weaker than namespaces (names
 * of outside files can be tested for, `.git` in a root can be written), but fast.
 */
export async function openLandlock(options: LandlockOptions): Promise<Backend> {
  const kernel = await openKernel();
  const signals = landlockVersion(kernel) >= signalsLandlockVersion;
  const plan: FilterPlan = { sockets: 'none', signals, tracing: false };
  return new Landlock(options, kernel, compileFilter(plan), createLauncher(kernel, plan));
}

class Landlock implements Backend {
  readonly name = 'landlock';
  readonly withoutOutlet = 'Landlock gives commands no network of their own; bubblewrap does';
  readonly withoutSockets =
    'Landlock does not tell sockets of commands from those of other programs; bubblewrap does';
  readonly caches: string | undefined;
  readonly home: string;
  readonly temporary: string;
  readonly spawn: Room['spawn'];
  readonly withoutWatching: Backend['withoutWatching'];
  readonly #options: LandlockOptions;
  readonly #kernel: Kernel;
  readonly #filter: Uint8Array;
  readonly #launch: OpenLaunch;
  readonly #own = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-commands-')));
  readonly #system = [...systemFolders, ...systemFiles(), ...shownProc];
  readonly #tools: readonly string[];
  readonly #devices: readonly string[];
  readonly #collector: Collector;
  readonly #threads = new Map<string, Promise<ConfinedThread>>();

  constructor(options: LandlockOptions, kernel: Kernel, filter: Uint8Array, launch: OpenLaunch) {
    this.#options = options;
    this.#kernel = kernel;
    this.#filter = filter;
    this.#launch = launch;
    this.#tools = [...options.toolchains.folders.flatMap(partsWithoutSecrets), ...options.readable];
    this.#devices = [...everyones, ...(options.devices ?? [])];
    this.#collector = createCollector(kernel);
    this.caches = options.caches;
    // Restrictions are for life, so separate files for each command would need a thread each: commands without a room
    // share one folder.
    const shared = this.#openOwn();
    this.home = shared.home;
    this.temporary = shared.temporary;
    this.spawn = shared.spawn;
    this.withoutWatching = tryWatching(shared.spawn);
  }

  async openRoom(): Promise<Room> {
    return this.#openOwn();
  }

  readonly spawnStage: StageSpawn = async (request) => {
    const program = realpathSync(request.program);
    const thread = await this.#threadFor(
      [...request.readable, ...(isSystem(program) ? [] : [program])],
      [...request.writable],
    );
    const started = await thread.start({ ...request, program });
    return stageOf(started, (pid) => destroyGroup({ pid }, true));
  };

  async close(): Promise<void> {
    // A thread that did not start needs no closing.
    for (const thread of this.#threads.values()) await (await thread.catch(() => undefined))?.close();
    this.#threads.clear();
    rmSync(this.#own, { recursive: true, force: true });
  }

  #openOwn(): Room {
    const folder = mkdtempSync(join(this.#own, 'room-'));
    const home = join(folder, 'home');
    const temporary = join(folder, 'tmp');
    mkdirSync(home);
    mkdirSync(temporary);
    return {
      home,
      temporary,
      spawn: (spawnOptions) => this.#spawnIn(folder, spawnOptions),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  }

  async #spawnIn(folder: string, spawnOptions: SpawnOptions): Promise<Child> {
    const { writable, covered = [], caches } = spawnOptions;
    const { roots, caches: cached } = this.#options;
    const readable = [...rootsBeside(roots, covered), ...this.#tools];
    const writes = [...writable, ...(caches && cached !== undefined ? [cached] : []), folder];
    const thread = await this.#threadFor(readable, writes);
    const start = startWithPipes(this.#kernel, (program) => thread.start(program));
    const reach = [...writes, ...this.#devices];
    return startTagged({ kernel: this.#kernel, start, launch: this.#launch, reach }, spawnOptions);
  }

  /** A thread keeps its restrictions for life, so each set needs its own. */
  async #threadFor(readable: readonly string[], writable: readonly string[]): Promise<ConfinedThread> {
    const key = JSON.stringify([readable, writable]);
    const known = this.#threads.get(key);
    if (known) {
      // The newest is last; the least recently used one is closed first.
      this.#threads.delete(key);
      this.#threads.set(key, known);
      return known;
    }
    const thread = openConfinedThread(this.#collector, {
      readable: [...this.#system, ...readable],
      listable: this.#options.toolchains.folders.map(({ real }) => real),
      writable,
      devices: this.#devices,
      filter: this.#filter,
    });
    this.#threads.set(key, thread);
    thread.catch(() => this.#threads.delete(key));
    await this.#dropIdle();
    return thread;
  }

  async #dropIdle(): Promise<void> {
    for (const [key, opening] of this.#threads) {
      if (this.#threads.size <= maxThreads) return;
      // A thread that did not start does not count.
      const thread = await opening.catch(() => undefined);
      if (thread && thread.working === 0) {
        this.#threads.delete(key);
        await thread.close();
      }
    }
  }
}

const maxThreads = 8;
const everyones = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'];
// Not /proc: it would show the server's variables and every command line of the user.
const shownProc =
  '/proc/cpuinfo /proc/meminfo /proc/stat /proc/loadavg /proc/version /proc/filesystems'.split(' ');

function isSystem(path: string): boolean {
  return systemFolders.some((folder) => isBelow(path, folder));
}

/** Landlock's rules only add: a root with hidden content is not granted at all. */
function rootsBeside(roots: readonly string[], covered: readonly string[]): readonly string[] {
  return roots.filter(
    (root) => !covered.some((path) => `${path}/`.startsWith(root === '/' ? '/' : `${root}/`)),
  );
}
