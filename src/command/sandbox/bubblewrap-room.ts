import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInside } from '../../ground/inside.ts';
import { compileProgram, type Step } from '../../ground/machine/static-program.ts';
import type { Outlet } from '../../network/proxy/outlet.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { type Relay, relayProgram } from '../child/relay.ts';
import type { StartChild } from '../child/start-child.ts';
import { findMembers } from '../child/tree.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { type BubblewrapOptions, writeLogins } from './bubblewrap-mounts.ts';
import { openSigningFolder } from './signing-folder.ts';

/** User, mount and network namespaces that outlive the command for which they were created. */
export interface SessionNamespaces {
  /** Descriptors for the child from 4 on, where `enterProgram` expects them. */
  readonly childEnds: readonly number[];
  /** An open descriptor of its own folder. */
  readonly own: number;
  close(): void;
}

export type NamespaceSets = ReturnType<typeof openNamespaceSets>;

/** Runs first to enter namespaces, followed by bubblewrap's arguments. */
export const enterProgram = '/proc/self/fd/4';

interface NamespaceMeans {
  readonly kernel: Kernel;
  readonly startChild: StartChild;
  readonly relay: Relay | undefined;
  /** Whether the relay listens for those who want a signature. */
  readonly signs: boolean;
}

/**
 * Descriptors keep the namespaces alive, so no process waits in them, and they end with the server in any case.
 */
export function openNamespaceSets(
  { program, temporaryBytes, network }: Pick<BubblewrapOptions, 'program' | 'temporaryBytes' | 'network'>,
  { kernel, startChild, relay, signs }: NamespaceMeans,
) {
  const enter = openMemoryProgram(kernel, compileEnter(program, { self: 4, namespaces: [5, 6, 7] }));
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-room-'));
  const signing = signs ? openSigningFolder(kernel) : undefined;

  /** One that an outlet can serve, made ahead: making it takes longer than starting a command. */
  let spare: Promise<Awaited<ReturnType<typeof make>> | undefined> | undefined;
  let isClosed = false;

  async function make(isServed: boolean) {
    const landing = isServed ? relay?.open() : undefined;
    const [self] = landing?.childEnds ?? [];
    // The relay closes its descriptor 3, so give it one.
    const ends = landing && self !== undefined ? [self, ...landing.childEnds] : [];
    const made = signing?.make(3 + ends.length);
    const started = await startChild({
      program,
      args: [
        ...['--unshare-user', '--unshare-net', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
        // No command runs here, only the relay, which listens on the ports of the web.
        ...(landing && relay?.needsRight ? ['--cap-add', 'CAP_NET_BIND_SERVICE'] : []),
        ...['--dev-bind', '/', '/', '--size', String(temporaryBytes), '--perms', '0700', '--tmpfs', folder],
        ...['--dir', `${folder}/home`],
        ...(made?.args ?? []),
        '--',
        ...(landing ? [relayProgram] : []),
        ...['/bin/sh', '-c', 'echo; read -r line'],
      ],
      environment: { PATH: '/usr/bin:/bin' },
      stdin: 'pipe',
      extra: [...ends, ...(made?.descriptors ?? [])],
    }).finally(() => {
      landing?.close();
      made?.close();
    });
    try {
      await firstLine(started.stdout, started.exited);
      const inside = findMembers({ pid: started.pid }).find(({ parent }) => parent === started.pid);
      if (!inside) throw new Error('the namespaces were gone before they were entered');
      const namespaces = openNamespaces(inside.pid);
      const own = openSync(`/proc/${inside.pid}/root${folder}`, constants.O_RDONLY | constants.O_DIRECTORY);
      writeLogins(`/proc/self/fd/${own}/home`, network?.homeFiles ?? new Map());
      return { namespaces, own, listeners: landing?.listeners };
    } finally {
      started.stdin?.destroy();
      started.stdout.destroy();
      started.stderr.destroy();
    }
  }

  return {
    /** Mount point of each set's own file system, whose size the kernel limits. */
    folder,
    /** Shows a command in one of them where it finds what signs for it. */
    shown: signing?.shown ?? [],
    async open(outlet?: Outlet): Promise<SessionNamespaces> {
      const ready = outlet && spare;
      if (ready) spare = undefined;
      const { namespaces, own, listeners } = (await ready) ?? (await make(outlet !== undefined));
      listeners?.then(
        (all) => outlet?.adopt(all),
        () => outlet?.close(),
      );
      return {
        childEnds: [enter, ...namespaces],
        own,
        close() {
          outlet?.close();
          for (const fd of [...namespaces, own]) closeSync(fd);
          // Not earlier, as it would slow the command down.
          if (outlet && !isClosed) spare ??= make(true).catch(() => undefined);
        },
      };
    },
    close() {
      isClosed = true;
      void spare?.then(async (made) => {
        if (!made) return;
        const listeners = await made.listeners?.catch(() => []);
        for (const fd of [...made.namespaces, made.own, ...(listeners ?? [])]) closeSync(fd);
      });
      closeSync(enter);
      signing?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Descriptors of the program, besides the three streams. */
interface EnterDescriptors {
  /** The program itself. */
  readonly self: number;
  /** Namespaces, the user namespace first: it gives the right to enter the others. */
  readonly namespaces: readonly number[];
}

/** A program that enters namespaces, closes these descriptors and becomes the program at `path`, with its arguments. */
function compileEnter(path: string, { self, namespaces }: EnterDescriptors): Buffer {
  const steps = [
    ...namespaces.map((fd): Step => ({ call: 'setns', args: [fd, 0] })),
    ...[self, ...namespaces].map((fd): Step => ({ call: 'close', args: [fd] })),
  ];
  return compileProgram(steps, Buffer.from(`${path}\0`));
}

function openNamespaces(pid: number): readonly number[] {
  const opened: number[] = [];
  try {
    for (const kind of ['user', 'mnt', 'net']) opened.push(openSync(`/proc/${pid}/ns/${kind}`, 'r'));
    return opened;
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  }
}

function firstLine(output: NodeJS.ReadableStream, exited: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    output.once('data', () => resolve());
    void exited.then(() => reject(new Error('bubblewrap made no namespaces')));
  });
}

/** The first path that neither contains nor is inside a mount; the last one if there is none. */
export function freePlace(places: readonly string[], mounted: readonly string[]): string {
  const free = (place: string) =>
    mounted.every((path) => path !== '/' && !isInside(path, place) && !isInside(place, path));
  return places.find(free) ?? places.at(-1) ?? '/';
}
