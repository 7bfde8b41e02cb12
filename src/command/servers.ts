import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandRecording } from '../contract/capabilities/command-life.ts';
import type { FolderRoot } from '../contract/capabilities/files.ts';
import type { ServerProcess } from '../contract/capabilities/process.ts';
import { type Secrets, someSecrets } from '../contract/capabilities/secrets.ts';
import { ToolError } from '../contract/error.ts';
import type { StdioStart } from '../contract/upstream.ts';
import { isInside } from '../ground/inside.ts';
import { fillSecrets, hasNone, secretsIn } from '../ground/secrets/named.ts';
import type { HostProxy } from '../network/proxy/open.ts';
import type { Backend, Child } from './child/child.ts';
import { memoryUsed } from './child/memory-used.ts';
import { stopTree } from './child/run-child.ts';
import { defaultProcessLimits } from './prelude.ts';
import { buildEnvironment } from './sandbox/environment.ts';
import { resolveRoots } from './sandbox/roots.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { watchUse } from './watch-use.ts';
import { guardServer, serversProtectedNames } from './watched/guard-server.ts';

export interface ServerProcessesOptions {
  readonly roots: readonly FolderRoot[];
  readonly serverEnvironment: Readonly<Record<string, string | undefined>>;
  /** More readable folders, as for commands. */
  readonly readable?: readonly string[] | undefined;
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Hosts that no proxied server reaches, whatever its own list allows. */
  readonly deniedHosts?: readonly string[] | undefined;
  /** Credentials that servers name in their variables. */
  readonly secrets?: Secrets | undefined;
  /** Sekisho's records and configuration, hidden from every server whatever its folders are. */
  readonly ownPaths?: readonly string[] | undefined;
  /** Opens the record of what a server changes in these roots; undefined if the operator keeps none. */
  readonly record?: ((who: string, roots: readonly string[]) => Promise<CommandRecording>) | undefined;
}

/** Starts the programs of proxied servers: long-running, in the same sandbox as commands. */
export function openServerProcesses(options: ServerProcessesOptions) {
  const sandboxes = new Map<string, Sandbox>();
  // A server's writes are not reviewed: it may write only folders that the operator named, and can read the rest.
  const readRoots = options.roots.map((root) => ({ ...root, writable: false }));
  const running = new Set<ServerProcess>();
  const recordings = new Set<Promise<unknown>>();

  function sandboxFor(stdioStart: StdioStart): Sandbox {
    const own = options.ownPaths ?? [];
    const named = stdioStart.sandbox === 'off' ? [] : readableFor([stdioStart.command, ...stdioStart.args]);
    const harmless = named.filter((path) => !own.some((each) => isInside(each, path)));
    const readable = [...(options.readable ?? []), ...harmless];
    const folders = stdioStart.folders.map(({ path, writable }) => ({ hostPath: path, writable }));
    const { network } = stdioStart;
    const credentials = secretsIn(stdioStart.env);
    const key = JSON.stringify([stdioStart.sandbox, folders, readable, network, credentials]);
    let sandbox = sandboxes.get(key);
    if (!sandbox) {
      sandbox = openSandbox({
        roots: [...readRoots, ...folders],
        sandbox: stdioStart.sandbox,
        network: network && {
          ...network,
          deniedHosts: options.deniedHosts,
          // Its calls were judged before they reached it.
          asks: false,
          secrets: someSecrets(options.secrets, ({ name }) => credentials.includes(name)),
        },
        readable,
        readOnlyNames: serversProtectedNames,
        serverEnvironment: options.serverEnvironment,
        ownPaths: own,
        hiddenPaths: [
          ...(options.hiddenPaths ?? []),
          ...own.filter((path) => folders.some(({ hostPath }) => isInside(path, hostPath))),
        ],
      });
      sandboxes.set(key, sandbox);
    }
    return sandbox;
  }

  /** Undefined: it writes nothing, has no sandbox, or is not watched here. */
  async function record({ command, sandbox }: StdioStart, backend: Backend, writable: readonly string[]) {
    if (!options.record || sandbox === 'off' || writable.length === 0) return undefined;
    if ((await backend.withoutWatching()) !== undefined) return undefined;
    const served = resolveRoots(options.roots).writable;
    const rootOf = (path: string) => served.find((root) => isInside(path, root)) ?? path;
    const roots = [...new Set(writable.map(rootOf))];
    const recording = await options.record(
      basename(command),
      roots.filter((root) => served.includes(root)),
    );
    return { ...recording, roots };
  }

  /** The stand-in for a credential; for a server without walls, the value. */
  function credentialFor(name: string, proxy: HostProxy | undefined, sandbox: StdioStart['sandbox']): string {
    const { variable } = options.secrets?.rules.find((rule) => rule.name === name) ?? {};
    const found =
      sandbox === 'off'
        ? options.secrets?.valueOf(name)
        : variable === undefined
          ? undefined
          : proxy?.environment[variable];
    if (found !== undefined) return found;
    throw sandbox === 'off' ? new ToolError('unavailable', hasNone(name)) : withoutEdge(name);
  }

  return {
    /** Throws `unavailable` if there is no sandbox or the program cannot be started. */
    async start(stdioStart: StdioStart): Promise<ServerProcess> {
      await options.secrets?.refresh(secretsIn(stdioStart.env));
      const sandbox = sandboxFor(stdioStart);
      const { backend, proxy, gitConfig, toolchains } = await sandbox.open();
      const roots = sandbox.roots();
      const recording = await record(stdioStart, backend, roots.writable);
      const child = await backend
        .spawn({
          command: { kind: 'program', program: stdioStart.command, args: stdioStart.args },
          // It runs for days.
          limits: { ...defaultProcessLimits, cpuSeconds: 30 * 24 * 3600 },
          workingFolder: roots.folder(stdioStart.cwd ?? roots.all[0]?.hostPath ?? '/'),
          environment: buildEnvironment({
            server: options.serverEnvironment,
            allowed: [],
            places: backend,
            gitConfig,
            toolchains,
            gitSettings: proxy?.gitSettings,
            more: {
              ...proxy?.environment,
              ...fillSecrets(stdioStart.env, (name) => credentialFor(name, proxy, stdioStart.sandbox)),
            },
          }),
          writable: roots.writable,
          stdin: 'pipe',
          outlet: proxy?.openOutlet(),
          watched: recording && guardServer(recording, recording.roots, roots.writable),
        })
        .catch(async (cause) => {
          await recording?.end();
          throw new ToolError('unavailable', 'It could not be started.', '起動できませんでした。', { cause });
        });
      const confined = lend(child);
      running.add(confined);
      void confined.ended.then(() => running.delete(confined));
      if (recording) {
        const recorded = confined.ended.then(recording.end).finally(() => recordings.delete(recorded));
        recordings.add(recorded);
      }
      return confined;
    },
    async close() {
      await Promise.all([...running].map((child) => child.kill()));
      await Promise.allSettled(recordings);
      for (const sandbox of sandboxes.values()) await sandbox.close();
      sandboxes.clear();
    },
  };
}

function withoutEdge(name: string): ToolError {
  return new ToolError(
    'unavailable',
    `It needs the secret “${name}”, and its sandbox reaches no host. \`sekisho doctor\` says why, on the line “network”.`,
    `シークレット「${name}」が必要ですが、サンドボックスからはどのホストにも接続できません。理由は \`sekisho doctor\` の「network」の行にあります。`,
  );
}

/** It runs for days, mostly idle. */
const watchMs = 1000;
/** The time for a server to exit after its input ends. */
const politeMs = 500;

function lend(child: Child): ServerProcess {
  let stopping: Promise<void> | undefined;
  const watch = watchUse(child, defaultProcessLimits, () => void stopTree(child, 0), watchMs);
  const ended = child.exited.finally(() => {
    watch.close();
    // The processes that it left end with it.
    child.destroy();
  });

  async function stop(): Promise<void> {
    // The thread that reports its end does not keep the process alive.
    const awake = setInterval(() => {}, politeMs);
    try {
      child.stdin?.end();
      await Promise.race([child.exited, sleep(politeMs, undefined, { ref: false })]);
      await stopTree(child);
    } finally {
      clearInterval(awake);
    }
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }

  return {
    pid: child.pid,
    stdin: child.stdin ?? null,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    memory: () => memoryUsed(child.members(), 0),
    kill() {
      stopping ??= stop();
      return stopping;
    },
  };
}

/**
 * The paths that a proxied server needs in order to run: the operator named them in its command line, so it may read
 * them, with the package of a program. It may write none of them.
 */
function readableFor(words: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const word of words) {
    if (!isAbsolute(word) || !existsSync(word)) continue;
    for (const path of new Set([word, realpathSync(word)])) found.add(packageOf(path));
  }
  return [...found];
}

const marks = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod'];

function packageOf(path: string): string {
  if (statSync(path).isDirectory()) return path;
  const modules = path.indexOf('/node_modules/');
  // Its dependencies are beside it.
  if (modules > 0) return path.slice(0, modules + '/node_modules'.length);
  let folder = dirname(path);
  for (let level = 0; level < 4 && !isTooWide(folder); level++) {
    if (marks.some((name) => existsSync(join(folder, name)))) return folder;
    folder = dirname(folder);
  }
  return isTooWide(dirname(path)) ? path : dirname(path);
}

/** A home folder or the machine's root contains more than a program. */
function isTooWide(folder: string): boolean {
  return folder === '/' || folder === homedir() || folder === '/home' || folder === '/tmp';
}
