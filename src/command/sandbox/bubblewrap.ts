import { spawn } from 'node:child_process';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { StageSpawn } from '../../contract/capabilities/pipeline.ts';
import { writeGitSettings } from '../../git/settings-folder.ts';
import { orElse } from '../../ground/or-else.ts';
import { once } from '../../ground/waiting/once.ts';
import type { Listening } from '../../network/proxy/listening.ts';
import type { Outlet } from '../../network/proxy/outlet.ts';
import { stageOf, startedByNode } from '../child/adopt.ts';
import type { Backend, Child, Room, SpawnOptions, Started } from '../child/child.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { openInside } from '../child/open-inside.ts';
import { openRelay, type Relay } from '../child/relay.ts';
import { openReport } from '../child/report.ts';
import { openStarter, type StartChild } from '../child/start-child.ts';
import { findMembers, signal } from '../child/tree.ts';
import { initArguments, type PassingFolder } from '../prelude.ts';
import { type Kernel, openKernel } from '../seccomp/kernel.ts';
import { namespaceFilter, openFilter } from '../seccomp/seccomp.ts';
import type { Supervisor } from '../sockets/supervisor.ts';
import { trySupervisor } from '../sockets/try-supervisor.ts';
import { toolchainArguments } from '../toolchains/mounts.ts';
import { Recording } from '../watched/recording.ts';
import {
  type BubblewrapOptions,
  loginsBelowEtc,
  rootArguments,
  systemArguments,
  writeLogins,
} from './bubblewrap-mounts.ts';
import {
  enterProgram,
  freePlace,
  type NamespaceSets,
  openNamespaceSets,
  type SessionNamespaces,
} from './bubblewrap-room.ts';
import { createFurnisher, type Furnisher, furnishProgram } from './furnish.ts';
import { hidingArguments } from './hidden-paths.ts';
import { createLayers, type MountedLayers } from './layers.ts';
import { findHole } from './self-test.ts';
import { trustedAuthorities, writeBundle } from './settings/bundle.ts';
import { writeHosts } from './settings/hosts.ts';
import { writeJavaFiles } from './settings/java.ts';
import { writeNpmSettings } from './settings/npm-settings.ts';
import { copySystemSettings, isSetting } from './settings/system-settings.ts';
import { systemFiles } from './system-paths.ts';

/** Runs commands in their own namespaces: another file tree, no network, no other processes in sight. */
export async function openBubblewrap(options: BubblewrapOptions): Promise<Backend> {
  const startChild = await openStarter();
  // A thread that goes on after a failure would keep the process from ending.
  await using opened = new AsyncDisposableStack();
  const filter = openFilter(namespaceFilter('private'));
  opened.defer(() => closeSync(filter));
  // Without koffi, sessions have no rooms, and kills by the kernel are not reported.
  const kernel = await openKernel().catch(() => undefined);
  // Its thread starts while the settings are copied.
  const supervising = supervise(options.program, { kernel, startChild });
  opened.defer(async () => (await supervising).supervisor?.close());
  const copied = await copySystemSettings(
    { system: systemFiles(), listed: options.readable.filter(isSetting) },
    { kernel, writable: options.roots.map((root) => root.hostPath) },
  );
  opened.defer(() => copied.close());
  writeGitSettings(copied.path, options.git, '/etc');
  writeNpmSettings(copied.path, options.environment ?? {}, '/etc');
  if (options.network) {
    writeHosts(copied.path, options.network.addresses);
    writeLogins(join(copied.path, loginsBelowEtc), options.network.homeFiles);
  }
  for (const [path, content] of options.network?.files ?? []) {
    mkdirSync(dirname(join(copied.path, path)), { recursive: true });
    writeFileSync(join(copied.path, path), content);
  }
  const javaArguments = writeTrust(copied.path, options);
  const relayed = await tryRelay(socketsFor(options));
  opened.defer(() => relayed.relay?.close());
  const means = { startChild, kernel, filter, copied, javaArguments, ...relayed, ...(await supervising) };
  const backend = new Bubblewrap(options, means);
  opened.move();
  return backend;
}

interface Means {
  readonly startChild: StartChild;
  readonly kernel: Kernel | undefined;
  readonly filter: number;
  readonly copied: Awaited<ReturnType<typeof copySystemSettings>>;
  readonly javaArguments: () => readonly string[];
  readonly relay?: Relay;
  readonly withoutOutlet?: string;
  readonly supervisor?: Supervisor;
  readonly withoutSockets?: string;
}

/** The namespaces of a command's network: a room's, or its own. */
interface Network {
  readonly room: SessionNamespaces | undefined;
  readonly own: SessionNamespaces | undefined;
  readonly close: () => void;
}

class Bubblewrap implements Backend {
  readonly name = 'bubblewrap';
  readonly home = ownPlaces.home;
  readonly temporary = ownPlaces.temporary;
  readonly caches: string | undefined;
  readonly layers: MountedLayers | undefined;
  readonly withoutOutlet: string | undefined;
  readonly withoutSockets: string | undefined;
  readonly showsCopies = once(() => this.#holdsFurnished());
  readonly #options: BubblewrapOptions;
  readonly #means: Means;
  readonly #furnisher: Furnisher | undefined;
  readonly #namespaceSets: NamespaceSets | undefined;
  /** Arguments of a command with its own files, and of one in a room. */
  readonly #system: readonly string[];
  readonly #shared: readonly string[];
  /** The place of a room's files. */
  readonly #place: string;
  /** The /tmp of a command in a room, if the room's files are elsewhere. */
  readonly #passing: PassingFolder | undefined;
  #roomsShowCopies: Promise<boolean> | undefined;

  constructor(options: BubblewrapOptions, means: Means) {
    const { kernel, supervisor, copied, startChild, relay } = means;
    this.#options = options;
    this.#means = means;
    this.withoutOutlet = means.withoutOutlet;
    this.withoutSockets = means.withoutSockets;
    const rules = namespaceFilter(supervisor ? 'supervised' : 'private');
    const watching = supervisor ? namespaceFilter('supervised', 'watched') : rules;
    this.#furnisher = kernel && createFurnisher(kernel, rules, watching);
    const signs = options.network?.listening.some(({ serves }) => serves === 'signing') ?? false;
    this.#namespaceSets = kernel && openNamespaceSets(options, { kernel, startChild, relay, signs });
    const { layers: base, program: next, caches } = options;
    const own = { ...ownPlaces, spawn: (spawnOptions: SpawnOptions) => this.spawn(spawnOptions) };
    this.layers =
      kernel && base !== undefined ? createLayers({ base, next, caches }, kernel, () => own) : undefined;
    const mounted = [
      ...options.roots.map((root) => root.hostPath),
      ...options.toolchains.folders.map(({ real }) => real),
      ...options.toolchains.links.map(({ at }) => at),
      ...options.readable,
    ];
    const place = freePlace(['/tmp', '/var/tmp', '/run/tmp', '/.tmp'], mounted);
    this.#place = place;
    const inTmp = mounted.flatMap((path) => /^\/tmp\/([^/]+)/.exec(path)?.[1] ?? []);
    this.#passing = place === '/tmp' ? undefined : { kept: place, mounted: inTmp };
    this.caches = options.caches && freePlace(['/var/cache/sekisho', '/run/caches', '/.caches'], mounted);
    this.#system = systemArguments(options, copied.path);
    const sets = this.#namespaceSets;
    this.#shared = systemArguments(options, copied.path, sets && { folder: sets.folder, place });
  }

  async withoutWatching(): Promise<string | undefined> {
    return this.#means.supervisor ? undefined : this.withoutSockets;
  }

  changedSince(ms: number): boolean {
    return this.#options.caches !== undefined && changedBelow(this.#options.caches, ms);
  }

  spawn(spawnOptions: SpawnOptions): Promise<Child> {
    return this.#spawn(spawnOptions);
  }

  async openRoom(outlet?: Outlet): Promise<Room> {
    if (!this.#namespaceSets) throw new Error('koffi is missing, or the processor is not known');
    const namespaces = await this.#namespaceSets.open(outlet);
    const own = `/proc/self/fd/${namespaces.own}`;
    const asMade = timesBelow(own);
    return {
      ...this.#roomPlaces(),
      showsCopies: () => (this.#roomsShowCopies ??= this.#holdsFurnished(namespaces)),
      changedSince: (ms) => changedBelow(own, ms, asMade) || this.changedSince(ms),
      spawn: (spawnOptions) => this.#spawn(spawnOptions, namespaces),
      close: async () => namespaces.close(),
    };
  }

  readonly spawnStage: StageSpawn = async (stage) => {
    const { program, args, environment, workingFolder, descriptors, readable, writable } = stage;
    const binds = [
      ...[realpathSync(program), ...readable].flatMap((path) => ['--ro-bind-try', path, path]),
      ...writable.flatMap((path) => ['--bind-try', path, path]),
    ];
    const inner = [
      ...this.#tools(),
      ...binds,
      ...hidingArguments(this.#options.hiddenPaths, [...readable, ...writable], new Set(writable)),
      ...['--remount-ro', '/', '--chdir', workingFolder, '--', realpathSync(program), ...args],
    ];
    using filter = this.#openFilter();
    const seccomp = ['--seccomp', String(descriptors.length)];
    const child = spawn(this.#options.program, [...this.#system, ...seccomp, ...inner], {
      env: environment,
      cwd: '/',
      stdio: [...descriptors, filter.fd],
      detached: true,
    });
    return stageOf(await startedByNode(child), destroy);
  };

  async close(): Promise<void> {
    closeSync(this.#means.filter);
    this.#means.relay?.close();
    this.#furnisher?.close();
    await this.#means.supervisor?.close();
    this.#namespaceSets?.close();
    await this.#means.copied.close();
  }

  #roomPlaces() {
    return { home: `${this.#place}/home`, temporary: this.#place };
  }

  #tools(): readonly string[] {
    const { toolchains, roots, readable } = this.#options;
    return toolchainArguments(toolchains, [...roots.map((root) => root.hostPath), ...readable]);
  }

  /** Opens the filter for one start: a separate descriptor, because duplicates share the reading position. */
  #openFilter() {
    const fd = openSync(`/proc/self/fd/${this.#means.filter}`, 'r');
    return { fd, [Symbol.dispose]: () => closeSync(fd) };
  }

  async #spawn(spawnOptions: SpawnOptions, room?: SessionNamespaces): Promise<Child> {
    const { outlet } = spawnOptions;
    // Its own, with a network that an outlet serves.
    const own = outlet && this.#means.relay ? await this.#namespaceSets?.open(outlet) : undefined;
    const close = () => (own ? own.close() : outlet?.close());
    const start = this.#startIn(spawnOptions, { room, own, close });
    start.catch(close);
    return start;
  }

  async #startIn(spawnOptions: SpawnOptions, { room, own, close }: Network): Promise<Child> {
    const { command, overlays } = spawnOptions;
    const { kernel, supervisor, startChild } = this.#means;
    if (overlays && !this.layers) throw new Error('no layer can be shown here');
    using opened = new DisposableStack();
    const namespaces = room ?? own;
    // From 4 on; each returns its number in the child.
    const descriptors = [...(namespaces?.childEnds ?? [])];
    const give = (fd: number | undefined, release = () => closeSync(fd ?? -1)) => {
      if (fd === undefined) return undefined;
      opened.defer(release);
      return 3 + descriptors.push(fd);
    };
    const report = spawnOptions.reports && kernel ? openReport(kernel) : undefined;
    const reportAt = give(report?.childEnd, report?.release);
    const scriptAt = give(kernel && scriptOf(command, kernel));
    const { watched } = spawnOptions;
    const recording = watched && supervisor && kernel ? new Recording(kernel, watched) : undefined;
    try {
      const channel = give(recording ? recording.open() : supervisor?.open());
      const furnished =
        spawnOptions.settings || supervisor
          ? this.#furnisher?.furnish({
              settings: spawnOptions.settings,
              channel,
              isWatched: recording !== undefined,
              next: '/bin/sh',
            })
          : undefined;
      opened.defer(() => furnished?.close());
      const entered = namespaces && { namespaces: [5, 6, 7], close: [4] };
      // It mounts the layer, and is the last descriptor.
      const mounting = { room: entered, channel };
      const mountAt = give(overlays && this.layers?.program(overlays, 4 + descriptors.length, mounting));
      const filter = opened.use(this.#openFilter());
      const passing = room && this.#passing;
      const inner = initArguments(command, spawnOptions.limits, { reportAt, scriptAt, passing });
      const started = await startChild({
        program:
          mountAt !== undefined
            ? `/proc/self/fd/${mountAt}`
            : namespaces
              ? enterProgram
              : this.#options.program,
        args: [
          ...(namespaces || overlays ? [this.#options.program] : []),
          ...(room ? this.#shared : this.#system),
          ...(own ? ['--share-net'] : []),
          ...(namespaces && this.#namespaceSets ? this.#namespaceSets.shown : []),
          ...(furnished ? furnished.args : ['--seccomp', '3']),
          ...this.#mounts(spawnOptions),
          ...['--chdir', spawnOptions.workingFolder, '--'],
          ...(furnished ? [furnishProgram] : []),
          ...inner,
        ],
        // bwrap passes its own environment on, so it gets the command's.
        environment: spawnOptions.environment,
        stdin: spawnOptions.stdin,
        extra: [furnished?.fd ?? filter.fd, ...descriptors],
      });
      const bare = childOf(started, close, report?.stream);
      const child: Child = kernel
        ? { ...bare, openInside: () => openInside(kernel, startChild, bare.members()[0] ?? 0) }
        : bare;
      return recording ? recording.follow(child) : child;
    } catch (error) {
      recording?.close();
      throw error;
    }
  }

  #mounts(spawnOptions: SpawnOptions): readonly string[] {
    const { caches } = this;
    return [
      ...this.#tools(),
      ...(spawnOptions.caches && caches ? ['--bind', this.#options.caches ?? '', caches] : []),
      ...rootArguments(this.#options, spawnOptions),
      ...this.#means.javaArguments(),
    ];
  }

  /** Does the sandbox still hold if our own program is the last to change it? */
  async #holdsFurnished(namespaces?: SessionNamespaces): Promise<boolean> {
    if (!this.#furnisher) return false;
    const copies = [{ original: '/etc/gitconfig', path: 'gitconfig' }];
    const settings = { folder: this.#means.copied.path, copies };
    const roots = this.#options.roots.map((root) => root.hostPath);
    const spawner = {
      ...(namespaces ? this.#roomPlaces() : ownPlaces),
      spawn: (spawnOptions: SpawnOptions) => this.#spawn({ ...spawnOptions, settings }, namespaces),
    };
    return (await findHole(spawner, roots).catch((error: Error) => error.message)) === undefined;
  }
}

const ownPlaces = { home: '/tmp/home', temporary: '/tmp' };

/** A file with the text of a script, which would otherwise stand in the command line; undefined: it stays there. */
function scriptOf(command: SpawnOptions['command'], kernel: Kernel): number | undefined {
  if (command.kind !== 'script' || command.shell !== 'bash' || traces.test(command.script)) return undefined;
  return openMemoryProgram(kernel, Buffer.from(command.script));
}

function childOf(started: Started, close: () => void, report: Child['report']): Child {
  const { pid } = started;
  let running = true;
  return {
    ...started,
    report,
    exited: started.exited.finally(() => {
      running = false;
      close();
    }),
    // bwrap ends after all processes inside.
    members: () => (running ? insiders(pid) : []),
    destroy: () => {
      if (running) destroy(pid);
    },
  };
}

/** Each level of `eval` adds a plus to a shell's trace. */
const traces = /\bset\s+-\w*x|xtrace/;

/** Has programs in the sandbox trust one more authority, each kind by its own files. */
function writeTrust(
  settings: string,
  { authority, environment = {}, network, toolchains }: BubblewrapOptions,
): () => readonly string[] {
  if (authority === undefined || !network) return () => [];
  const authorities = `${trustedAuthorities(environment)}\n${authority}`;
  writeBundle(settings, authorities);
  return writeJavaFiles(settings, { authorities, proxyPort: network.listening[0].port, toolchains });
}

/** A bubblewrap that is set-user-ID gives nobody the right to listen on the ports of the web. */
function socketsFor({ program, network }: BubblewrapOptions): readonly Listening[] {
  const mode = statSync(program, { throwIfNoEntry: false })?.mode ?? 0;
  return (network?.listening ?? []).filter(({ port = 1024 }) => (mode & 0o4000) === 0 || port >= 1024);
}

/** Without sockets nothing is relayed; without a relay commands have no network. */
async function tryRelay(sockets: readonly Listening[]): Promise<{ relay?: Relay; withoutOutlet?: string }> {
  try {
    return sockets.length === 0 ? {} : { relay: openRelay(await openKernel(), sockets) };
  } catch (error) {
    return { withoutOutlet: error instanceof Error ? error.message : String(error) };
  }
}

export const withoutKernel = 'koffi is missing';

/** Without a supervisor commands get no Unix sockets. */
async function supervise(
  program: string,
  { kernel, startChild }: { readonly kernel: Kernel | undefined; readonly startChild: StartChild },
): Promise<{ supervisor?: Supervisor; withoutSockets?: string }> {
  if (!kernel) return { withoutSockets: withoutKernel };
  try {
    const filter = namespaceFilter('supervised');
    return { supervisor: await trySupervisor({ kernel, startChild, program, filter }) };
  } catch (error) {
    return { withoutSockets: error instanceof Error ? error.message : String(error) };
  }
}

/** Killing the first process inside kills all others; bwrap must live on to reap it. */
function destroy(pid: number): void {
  const inside = findMembers({ pid });
  for (const member of inside) signal(member.pid, 'SIGKILL');
  if (inside.length === 0) signal(pid, 'SIGKILL');
}

/** bwrap's own two processes are not the command's: TERM would kill them before the command could clean up. */
function insiders(pid: number): number[] {
  return findMembers({ pid }).flatMap((member) => (member.parent === pid ? [] : [member.pid]));
}

/** May anything in a folder or below have changed since then? Yes if there is too much. `asMade` entries are older. */
function changedBelow(folder: string, sinceMs: number, asMade?: ReadonlyMap<string, number>): boolean {
  const waiting = [`${folder}/.`];
  let seen = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    seen += 1;
    if (!stat || seen > mostSeen) return true;
    if (stat.ctimeMs >= sinceMs && stat.ctimeMs !== asMade?.get(path)) return true;
    if (stat.isDirectory()) for (const name of namesIn(path)) waiting.push(`${path}/${name}`);
  }
  return false;
}

/** The change time of each of a new folder's entries, which file systems count in steps longer than a start takes. */
function timesBelow(folder: string): ReadonlyMap<string, number> {
  const below = orElse(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), []);
  const paths = [`${folder}/.`, ...below.map((name) => `${folder}/./${name}`)];
  return new Map(paths.map((path) => [path, lstatSync(path).ctimeMs]));
}

function namesIn(path: string): readonly string[] {
  // Not readable for us, and so for none of our commands.
  return orElse(() => readdirSync(path), []);
}

const mostSeen = 20_000;
