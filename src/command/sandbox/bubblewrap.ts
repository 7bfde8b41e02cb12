import { spawn } from 'node:child_process';
import { closeSync, lstatSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { writeGitSettings } from '../../git/settings-folder.ts';
import { defer } from '../../ground/defer.ts';
import { once } from '../../ground/once.ts';
import type { Listening } from '../../network/proxy/listening.ts';
import { adoptStage } from '../child/adopt.ts';
import type { Backend, Child, SpawnOptions } from '../child/child.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { openRelay, type Relay } from '../child/relay.ts';
import { openReport } from '../child/report.ts';
import { openStarter, type StartChild } from '../child/start-child.ts';
import { findMembers, signal } from '../child/tree.ts';
import { initArguments } from '../prelude.ts';
import { type Kernel, openKernel } from '../seccomp/kernel.ts';
import { namespaceFilter, openFilter } from '../seccomp/open-filter.ts';
import type { Supervisor } from '../sockets/supervisor.ts';
import { trySupervisor } from '../sockets/try-supervisor.ts';
import { toolchainArguments } from '../toolchains/mounts.ts';
import { openRecording, type Recording } from '../watched/recording.ts';
import { type BubblewrapOptions, rootArguments, systemArguments } from './bubblewrap-mounts.ts';
import { enterProgram, freePlace, openNamespaceSets, type SessionNamespaces } from './bubblewrap-room.ts';
import { createFurnisher, furnishProgram } from './furnish.ts';
import { hidingArguments } from './hidden-paths.ts';
import { createLayers } from './layers.ts';
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
  const filter = openFilter(namespaceFilter('private'));
  // Without koffi, sessions have no rooms, and kills by the kernel are not reported.
  const kernel = await openKernel().catch(() => undefined);
  // Its thread starts while the settings are copied.
  const supervising = supervise(options.program, { kernel, startChild });
  const copied = await copySystemSettings(
    { system: systemFiles(), listed: options.readable.filter(isSetting) },
    { kernel, writable: options.roots.map((root) => root.hostPath) },
  );
  const settings = copied.path;
  writeGitSettings(settings, options.git, '/etc');
  writeNpmSettings(settings, options.environment ?? {}, '/etc');
  if (options.network) writeHosts(settings, options.network.addresses);
  const javaArguments = writeTrust(settings, options);
  const system = systemArguments(options, settings);
  const { relay, withoutOutlet } = await tryRelay(socketsFor(options));
  const { supervisor, withoutSockets } = await supervising;
  const rules = namespaceFilter(supervisor ? 'supervised' : 'private');
  const furnisher =
    kernel && createFurnisher(kernel, rules, supervisor ? namespaceFilter('supervised', 'watched') : rules);
  const namespaceSets = kernel && openNamespaceSets(options, { kernel, startChild, relay });
  const ownPlaces = { home: '/tmp/home', temporary: '/tmp' };
  const layers =
    kernel && options.layers !== undefined
      ? createLayers({ base: options.layers, next: options.program }, kernel, () => ({
          ...ownPlaces,
          spawn: (spawnOptions) => spawnCommand(spawnOptions),
        }))
      : undefined;
  const mounted = [
    ...options.roots.map((root) => root.hostPath),
    ...options.toolchains.folders.map(({ real }) => real),
    ...options.toolchains.links.map(({ at }) => at),
    ...options.readable,
  ];
  const place = freePlace(['/tmp', '/var/tmp', '/run/tmp', '/.tmp'], mounted);
  const caches = options.caches && freePlace(['/var/cache/sekisho', '/run/caches', '/.caches'], mounted);
  const tools = () =>
    toolchainArguments(options.toolchains, [
      ...options.roots.map((root) => root.hostPath),
      ...options.readable,
    ]);
  const shared = systemArguments(options, settings, namespaceSets && { folder: namespaceSets.folder, place });

  /** Opens the filter for one start: a separate descriptor, because duplicates share the reading position. */
  async function withFilter<T>(use: (fd: number) => Promise<T>): Promise<T> {
    const fd = openSync(`/proc/self/fd/${filter}`, 'r');
    using _ = defer(() => closeSync(fd));
    return await use(fd);
  }

  async function spawnCommand(spawnOptions: SpawnOptions, room?: SessionNamespaces): Promise<Child> {
    // Its own, with a network that an outlet serves.
    const own = spawnOptions.outlet && relay ? await namespaceSets?.open(spawnOptions.outlet) : undefined;
    const close = () => (own ? own.close() : spawnOptions.outlet?.close());
    const start = startIn(spawnOptions, { room, own, close });
    start.catch(close);
    return start;
  }

  async function startIn(
    spawnOptions: SpawnOptions,
    {
      room,
      own,
      close,
    }: {
      readonly room: SessionNamespaces | undefined;
      readonly own: SessionNamespaces | undefined;
      readonly close: () => void;
    },
  ): Promise<Child> {
    if (spawnOptions.overlays && !layers) throw new Error('no layer can be shown here');
    const mounts = [
      ...(spawnOptions.caches && caches ? ['--bind', options.caches ?? '', caches] : []),
      ...rootArguments(options, spawnOptions),
    ];
    const namespaces = room ?? own;
    const given = namespaces?.childEnds ?? [];
    const report = spawnOptions.reports && kernel ? openReport(kernel) : undefined;
    const { command } = spawnOptions;
    const script =
      kernel && command.kind === 'script' && command.shell === 'bash' && !traces.test(command.script)
        ? openMemoryProgram(kernel, Buffer.from(command.script))
        : undefined;
    let fault = () => {};
    const recording: Recording | undefined =
      spawnOptions.watched && supervisor && kernel
        ? openRecording(kernel, spawnOptions.watched, () => fault())
        : undefined;
    const supervised = recording ? recording.open() : supervisor?.open();
    const reportAt = report && 4 + given.length;
    const scriptAt = script === undefined ? undefined : 4 + given.length + (report ? 1 : 0);
    const next = 4 + given.length + (report ? 1 : 0) + (script === undefined ? 0 : 1);
    const channel = supervised === undefined ? undefined : next;
    const furnished =
      spawnOptions.settings || supervisor
        ? furnisher?.furnish({
            settings: spawnOptions.settings,
            channel,
            isWatched: recording !== undefined,
            next: '/bin/sh',
          })
        : undefined;
    const args = [
      ...(namespaces || spawnOptions.overlays ? [options.program] : []),
      ...(room ? shared : system),
      ...(own ? ['--share-net'] : []),
      ...(furnished ? furnished.args : ['--seccomp', '3']),
      ...tools(),
      ...mounts,
      ...javaArguments(),
      '--chdir',
      spawnOptions.workingFolder,
      '--',
      ...(furnished ? [furnishProgram] : []),
      ...initArguments(command, spawnOptions.limits, { reportAt, scriptAt }),
    ];
    // It mounts the layer, and is the last descriptor.
    const last = next + (channel === undefined ? 0 : 1);
    const entered = namespaces && { namespaces: [5, 6, 7], close: [4] };
    const mounter = spawnOptions.overlays && layers?.program(spawnOptions.overlays, last, entered);
    const started = await withFilter((filterFd) =>
      startChild({
        program:
          mounter === undefined ? (namespaces ? enterProgram : options.program) : `/proc/self/fd/${last}`,
        args,
        // bwrap passes its own environment on, so it gets the command's.
        environment: spawnOptions.environment,
        stdin: spawnOptions.stdin,
        extra: [
          furnished?.fd ?? filterFd,
          ...given,
          ...(report ? [report.childEnd] : []),
          ...(script === undefined ? [] : [script]),
          ...(supervised === undefined ? [] : [supervised]),
          ...(mounter === undefined ? [] : [mounter]),
        ],
      }),
    )
      .finally(() => {
        report?.release();
        if (script !== undefined) closeSync(script);
        furnished?.close();
        if (supervised !== undefined) closeSync(supervised);
        if (mounter !== undefined) closeSync(mounter);
      })
      .catch((error) => {
        if (recording) recording.close();
        throw error;
      });
    const { pid } = started;
    let running = true;
    const exited = started.exited.finally(async () => {
      running = false;
      close();
      recording?.endCalls();
      await recording?.over;
    });
    fault = () => {
      if (running) destroy(pid);
    };
    return {
      ...started,
      report: report?.stream,
      exited,
      // bwrap ends after all processes inside.
      members: () => (running ? insiders(pid) : []),
      destroy: () => {
        if (running) destroy(pid);
      },
    };
  }

  /** Does the sandbox still hold if our own program is the last to change it? */
  async function holdsFurnished(namespaces?: SessionNamespaces): Promise<boolean> {
    if (!furnisher) return false;
    const trial = { folder: settings, copies: [{ original: '/etc/gitconfig', path: 'gitconfig' }] };
    const roots = options.roots.map((root) => root.hostPath);
    const spawner = {
      ...(namespaces ? roomPlaces : ownPlaces),
      spawn: (spawnOptions: SpawnOptions) => spawnCommand({ ...spawnOptions, settings: trial }, namespaces),
    };
    return (await findHole(spawner, roots).catch((error: Error) => error.message)) === undefined;
  }

  const cachesChanged = (ms: number) => options.caches !== undefined && changedBelow(options.caches, ms);

  const roomPlaces = { home: `${place}/home`, temporary: place };
  const rooms: { showCopies?: Promise<boolean> } = {};

  return {
    name: 'bubblewrap',
    ...ownPlaces,
    caches,
    openLayer:
      layers &&
      ((folders, caches) => layers.open(caches && options.caches ? [...folders, options.caches] : folders)),
    leftLayers: layers?.left,
    whyNoLayer: layers && ((folders) => layers.whyNot(folders)),
    withoutOutlet,
    withoutSockets,
    withoutWatching: async () => (supervisor ? undefined : withoutSockets),
    showsCopies: once(() => holdsFurnished()),
    changedSince: (ms) => cachesChanged(ms),
    spawn: (spawnOptions) => spawnCommand(spawnOptions),
    async openRoom(outlet) {
      if (!namespaceSets) throw new Error('koffi is missing, or the processor is not known');
      const namespaces = await namespaceSets.open(outlet);
      const own = `/proc/self/fd/${namespaces.own}`;
      const asMade = timesBelow(own);
      return {
        ...roomPlaces,
        showsCopies: () => (rooms.showCopies ??= holdsFurnished(namespaces)),
        changedSince: (ms) => changedBelow(own, ms, asMade) || cachesChanged(ms),
        spawn: (spawnOptions) => spawnCommand(spawnOptions, namespaces),
        close: async () => namespaces.close(),
      };
    },
    async spawnStage({ program, args, environment, workingFolder, descriptors, readable, writable }) {
      const binds = [
        ...[realpathSync(program), ...readable].flatMap((path) => ['--ro-bind-try', path, path]),
        ...writable.flatMap((path) => ['--bind-try', path, path]),
      ];
      const inner = [
        ...tools(),
        ...binds,
        ...hidingArguments(options.hiddenPaths, [...readable, ...writable], new Set(writable)),
        '--remount-ro',
        '/',
        '--chdir',
        workingFolder,
        '--',
        realpathSync(program),
        ...args,
      ];
      return withFilter((fd) => {
        const child = spawn(options.program, [...system, '--seccomp', String(descriptors.length), ...inner], {
          env: environment,
          cwd: '/',
          stdio: [...descriptors, fd],
          detached: true,
        });
        return adoptStage(child, destroy);
      });
    },
    async close() {
      closeSync(filter);
      relay?.close();
      furnisher?.close();
      await supervisor?.close();
      namespaceSets?.close();
      await copied.close();
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
  return (network?.listening ?? []).filter(({ port }) => (mode & 0o4000) === 0 || port >= 1024);
}

/** Without sockets nothing is relayed; without a relay commands have no network. */
async function tryRelay(sockets: readonly Listening[]): Promise<{ relay?: Relay; withoutOutlet?: string }> {
  try {
    return sockets.length === 0 ? {} : { relay: openRelay(await openKernel(), sockets) };
  } catch (error) {
    return { withoutOutlet: error instanceof Error ? error.message : String(error) };
  }
}

/** Without a supervisor commands get no Unix sockets. */
async function supervise(
  program: string,
  { kernel, startChild }: { readonly kernel: Kernel | undefined; readonly startChild: StartChild },
): Promise<{ supervisor?: Supervisor; withoutSockets?: string }> {
  if (!kernel) return { withoutSockets: 'koffi is missing' };
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

/**
 * May anything in a folder or below have changed since that time? Yes if there is too much to look at. Entries that are
 * `asMade` count as older.
 */
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
  const paths = [`${folder}/.`, ...namesIn(folder).map((name) => `${folder}/./${name}`)];
  return new Map(paths.map((path) => [path, lstatSync(path).ctimeMs]));
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    // Not readable for us, and so for none of our commands.
    return [];
  }
}

const mostSeen = 20_000;
