import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBelow } from '../../ground/inside.ts';
import type { Backend, Child, Room, SpawnOptions } from '../child/child.ts';
import { openPipes } from '../child/pipes.ts';
import { openReport } from '../child/report.ts';
import { applyTag, createTag, hasTag } from '../child/tag.ts';
import { destroyGroup, findMembers } from '../child/tree.ts';
import { createCollector } from '../output/collect.ts';
import { limitedArguments } from '../prelude.ts';
import { systemFiles, systemFolders } from '../sandbox/system-paths.ts';
import { findFilterHole } from '../seccomp/filter-check.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { compileFilter, type FilterPlan, hasSeccomp } from '../seccomp/seccomp.ts';
import type { Toolchains } from '../toolchains/find.ts';
import { partsWithoutSecrets } from '../toolchains/secrets.ts';
import { createLauncher, tryWatching } from '../watched/launch.ts';
import { type ConfinedThread, openConfinedThread } from './pool.ts';
import { landlockVersion, signalsLandlockVersion } from './rules.ts';

export interface LandlockOptions {
  readonly roots: readonly string[];
  readonly readable: readonly string[];
  readonly toolchains: Toolchains;
  /** A folder that commands with caches may write. */
  readonly caches?: string | undefined;
}

/**
 * Confines commands by Landlock and a system call filter on the machine's own file tree: weaker than namespaces (names
 * of outside files can be tested for, `.git` in a root can be written), but fast.
 */
export async function openLandlock(options: LandlockOptions): Promise<Backend> {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no system call filter for ${architecture}`);
  const kernel = await openKernel();
  const plan: FilterPlan = {
    sockets: 'none',
    signals: landlockVersion(kernel) >= signalsLandlockVersion,
    tracing: false,
  };
  const filter = compileFilter(plan, architecture);
  const hole = findFilterHole(filter, plan, architecture);
  if (hole !== undefined) throw new Error(`the system call filter has a hole: ${hole}`);

  const launch = createLauncher(kernel, plan);
  const own = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-commands-')));
  const system = [...systemFolders, ...systemFiles(), ...shownProc];
  const { folders } = options.toolchains;
  const tools = [...folders.flatMap(partsWithoutSecrets), ...options.readable];
  const listable = folders.map(({ real }) => real);
  const collector = createCollector(kernel);
  const threads = new Map<string, Promise<ConfinedThread>>();

  /** A thread keeps its restrictions for life, so each set needs its own. */
  async function threadFor(
    readable: readonly string[],
    writable: readonly string[],
  ): Promise<ConfinedThread> {
    const key = JSON.stringify([readable, writable]);
    let thread = threads.get(key);
    if (thread) {
      // The newest is last; the least recently used one is closed first.
      threads.delete(key);
      threads.set(key, thread);
      return thread;
    }
    thread = openConfinedThread(collector, {
      readable: [...system, ...readable],
      listable,
      writable,
      devices,
      filter,
    });
    threads.set(key, thread);
    thread.catch(() => threads.delete(key));
    await dropIdle();
    return thread;
  }

  async function dropIdle(): Promise<void> {
    for (const [key, opening] of threads) {
      if (threads.size <= maxThreads) return;
      // A thread that did not start does not count.
      const thread = await opening.catch(() => undefined);
      if (thread && thread.working === 0) {
        threads.delete(key);
        await thread.close();
      }
    }
  }

  async function spawnIn(
    folder: string,
    {
      command,
      limits,
      workingFolder,
      environment,
      writable,
      covered = [],
      caches,
      stdin,
      reports,
      watched,
    }: SpawnOptions,
  ): Promise<Child> {
    const cached = caches && options.caches !== undefined ? [options.caches] : [];
    const readable = [...rootsBeside(options.roots, covered), ...tools];
    const writes = [...writable, ...cached, folder];
    const thread = await threadFor(readable, writes);
    const report = reports ? openReport(kernel) : undefined;
    const [program = '', ...args] = limitedArguments(command, limits, {
      waits: true,
      reportAt: report && 4,
    });
    const tag = createTag();
    const pipes = openPipes(kernel, stdin);
    let fault = () => {};
    const launched =
      watched &&
      launch(watched, {
        at: report ? 5 : 4,
        reach: [...writes, ...devices],
        onFault: () => fault(),
      });
    try {
      const { pid, ended } = await thread.start({
        program: launched?.program ?? program,
        args: launched ? [program, ...args] : args,
        environment,
        workingFolder,
        descriptors: [
          ...pipes.childEnds,
          ...(report ? [report.childEnd] : []),
          ...(launched?.descriptors ?? []),
        ],
      });
      // The main thread applies the tag: if the confined thread could, its children could too.
      applyTag(kernel, pid, tag);
      writeSync(pipes.go, '\n');
      let running = true;
      const destroy = () => destroyGroup({ pid, isTagged }, running);
      fault = destroy;
      const exited = ended.then(async ({ code, signal }) => {
        running = false;
        // Processes that it left would stay watched.
        if (launched) destroy();
        launched?.recording.endCalls();
        await launched?.recording.over;
        return { code: code ?? undefined, signal: signal ?? undefined };
      });
      const isTagged = (other: number) => hasTag(other, tag);
      return {
        pid,
        stdin: pipes.stdin,
        stdout: pipes.stdout,
        stderr: pipes.stderr,
        report: report?.stream,
        exited,
        members: () => [
          ...(running ? [pid] : []),
          ...findMembers({ pid, isTagged }).map((member) => member.pid),
        ],
        destroy,
      };
    } catch (error) {
      launched?.recording.close();
      for (const stream of [pipes.stdin, pipes.stdout, pipes.stderr, report?.stream]) stream?.destroy();
      throw error;
    } finally {
      for (const fd of [...pipes.childEnds, pipes.go]) closeSync(fd);
      report?.release();
      launched?.close();
    }
  }

  function openOwn(): Room {
    const folder = mkdtempSync(join(own, 'room-'));
    const home = join(folder, 'home');
    const temporary = join(folder, 'tmp');
    mkdirSync(home);
    mkdirSync(temporary);
    return {
      home,
      temporary,
      spawn: (spawnOptions) => spawnIn(folder, spawnOptions),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  }

  // Restrictions are for life, so separate files for each command would need a thread each: commands without a room
  // share one folder.
  const shared = openOwn();

  const withoutWatching = tryWatching(shared.spawn);
  return {
    ...shared,
    name: 'landlock',
    withoutWatching,
    caches: options.caches,
    withoutOutlet: 'Landlock gives commands no network of their own; bubblewrap does',
    withoutSockets:
      'Landlock does not tell sockets of commands from those of other programs; bubblewrap does',
    openRoom: async () => openOwn(),
    async spawnStage(request) {
      const program = realpathSync(request.program);
      const thread = await threadFor(
        [...request.readable, ...(isSystem(program) ? [] : [program])],
        [...request.writable],
      );
      const { pid, ended } = await thread.start({ ...request, program });
      let running = true;
      const over = ended.finally(() => {
        running = false;
      });
      return {
        pid,
        stdin: null,
        stdout: null,
        stderr: null,
        ended: over,
        async kill() {
          if (running) destroyGroup({ pid }, true);
          await over;
        },
      };
    },
    async close() {
      // A thread that did not start needs no closing.
      for (const thread of threads.values()) await (await thread.catch(() => undefined))?.close();
      threads.clear();
      rmSync(own, { recursive: true, force: true });
    },
  };
}

const maxThreads = 8;
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'];
// Not /proc: it would show the server's variables and every command line of the user.
const shownProc = [
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/stat',
  '/proc/loadavg',
  '/proc/version',
  '/proc/filesystems',
];

function isSystem(path: string): boolean {
  return systemFolders.some((folder) => isBelow(path, folder));
}

/** Landlock's rules only add: a root with hidden content is not granted at all. */
function rootsBeside(roots: readonly string[], covered: readonly string[]): readonly string[] {
  return roots.filter(
    (root) => !covered.some((path) => `${path}/`.startsWith(root === '/' ? '/' : `${root}/`)),
  );
}
