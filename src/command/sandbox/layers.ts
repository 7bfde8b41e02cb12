import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { join } from 'node:path';
import { type Text, text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';
import { defer, deferred } from '../../ground/waiting/defer.ts';
import { once } from '../../ground/waiting/once.ts';
import type { Spawner } from '../child/child.ts';
import { compileLayer, type LayerOptions } from '../child/layer-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { waitForEnd } from '../child/run-child.ts';
import { createInTurn } from '../layer/land.ts';
import { recoverLayers } from '../layer/left.ts';
import { allMarks, type Marks } from '../layer/marks.ts';
import { NoLayer, whyNone } from '../layer/no-layer.ts';
import { openMakers } from '../layer/obeyed/makers.ts';
import { assertFree, type Layer, openLayer, openLeft } from '../layer/open.ts';
import type { Overlay } from '../layer/overlay.ts';
import { defaultProcessLimits } from '../prelude.ts';
import type { Kernel } from '../seccomp/kernel.ts';

export type MountedLayers = ReturnType<typeof createLayers>;

interface LayersOptions {
  /** The folder for layers. */
  readonly base: string;
  /** The path of bubblewrap. */
  readonly next: string;
  readonly caches?: string | undefined;
}

/** Makes layers for commands. */
export function createLayers({ base, next, caches }: LayersOptions, kernel: Kernel, spawner: () => Spawner) {
  const marks = createMarks(kernel);
  const inTurn = createInTurn();
  const makers = openMakers(join(base, 'makers'));
  const open = (folders: readonly string[]) => openLayer(base, folders, { marks, inTurn, makers });
  const tested = once(async () => {
    await recoverLayers(base);
    const leak = await findLeak(base, open, spawner());
    if (leak !== undefined) throw new NoLayer(leak);
  });
  const mountable = new Map<string, Promise<void>>();

  /** The kernel may refuse one folder and accept another: some file systems allow no layer. */
  async function assertMountable(folders: readonly string[]): Promise<void> {
    // Not cached: mounts there may be removed again.
    assertFree(base, folders);
    // The file system of the self-test's own folder is known to work.
    const { dev } = lstatSync(base);
    if (folders.every((folder) => lstatSync(folder).dev === dev)) return;
    const key = folders.join('\0');
    const known = mountable.get(key);
    if (known) return known;
    const tried = (async () => tryMount(open(folders), spawner()))();
    mountable.set(key, tried);
    return tried;
  }

  async function assertWorking(folders: readonly string[]): Promise<void> {
    await tested();
    await assertMountable(folders);
  }

  return {
    left: () => openLeft(base, { marks, inTurn, makers }),
    async open(folders: readonly string[], withCaches = false): Promise<Layer> {
      const covered = withCaches && caches ? [...folders, caches] : folders;
      await assertWorking(covered);
      return open(covered);
    },
    whyNot: (folders: readonly string[]): Promise<Text | undefined> =>
      assertWorking(folders).then(() => undefined, whyNone),
    /**
     * A descriptor of the program that mounts the layers and becomes the next program; it is passed as descriptor
     * `self`. In a room, the room's namespaces are open for it. `channel`: see there.
     */
    program: (
      overlays: readonly Overlay[],
      self: number,
      { room, channel }: Pick<LayerOptions, 'room' | 'channel'>,
    ): number =>
      openMemoryProgram(
        kernel,
        compileLayer({
          overlays,
          user: process.getuid?.() ?? 0,
          group: process.getgid?.() ?? 0,
          self,
          next,
          room,
          channel,
        }),
      ),
  };
}

/** Reads extended attributes without following links, which Node cannot do. */
function createMarks({ syscall, errno }: Kernel): Marks {
  const readMark = (entry: Buffer, name: Buffer | null, into: Buffer) =>
    syscall('lgetxattr', entry, name, into, into.length);
  const names = new Map(allMarks.map((name) => [name, Buffer.from(`${name}\0`)] as const));
  const pathOf = (path: string | Buffer) => Buffer.concat([Buffer.from(path), Buffer.alloc(1)]);
  const listed = Buffer.alloc(4096);
  return {
    read(path, name) {
      const value = Buffer.alloc(16);
      const length = readMark(pathOf(path), names.get(name) ?? null, value);
      return length < 0 ? undefined : value.toString('latin1', 0, length);
    },
    attributes(path) {
      const entry = pathOf(path);
      const length = syscall('llistxattr', entry, listed, listed.length);
      if (length <= 0) return '';
      const value = Buffer.alloc(65_536);
      return listed
        .toString('latin1', 0, length)
        .split('\0')
        .filter((name) => isAttribute.test(name))
        .toSorted()
        .map((name) => {
          const bytes = readMark(entry, Buffer.from(`${name}\0`), value);
          return `${name}=${value.toString('latin1', 0, Math.max(0, bytes))}`;
        })
        .join('\n');
    },
    isBeingWritten(path) {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const fd = orElse(() => openSync(path, flags), undefined);
      // It is gone, or not readable for us: then it is not checked.
      if (fd === undefined) return false;
      using _ = defer(() => closeSync(fd));
      // A program that opens the file for writing right now causes a signal, whose default action would end this
      // process.
      syscall('fcntl', fd, setSignal, SIGURG);
      if (syscall('fcntl', fd, setLease, readLease) < 0) return errno() === system.errno.EAGAIN;
      syscall('fcntl', fd, setLease, noLease);
      return false;
    },
    remove(path) {
      const entry = pathOf(path);
      // Most entries have none, and hardly any have several.
      const length = syscall('llistxattr', entry, listed, listed.length);
      if (length === 0) return;
      const has = length < 0 ? undefined : listed.toString('latin1', 0, length).split('\0');
      for (const [mark, name] of names) if (has?.includes(mark) ?? true) syscall('lremovexattr', entry, name);
    },
  };
}

/** fcntl(2): a read lease is refused if the file is open for writing. */
const [setSignal, setLease, readLease, noLease] = [10, 1024, 0, 2];
const { SIGURG } = system.signals;
const isAttribute = /^(?:user\.(?!overlay\.)|system\.posix_acl_access$)/;

/** Runs a script of a test on a layer, in the first of its folders. */
async function runOn(layer: Layer, script: string, spawner: Spawner) {
  const folders = layer.overlays.map(({ on }) => on);
  const child = await spawner.spawn({
    command: { kind: 'script', script, shell: 'sh' },
    limits: defaultProcessLimits,
    workingFolder: folders[0] ?? '/',
    environment: { PATH: '/usr/bin:/bin' },
    writable: folders,
    overlays: layer.overlays,
    stdin: 'null',
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  child.stdout.resume();
  const { exitCode } = await waitForEnd(child, {
    timeoutMs: trialMs,
    signal: new AbortController().signal,
    most: defaultProcessLimits,
  });
  return { exitCode, said };
}

/** Throws the error of a command that could not start on the layer; the layer is removed. */
async function tryMount(layer: Layer, spawner: Spawner): Promise<void> {
  await using _ = deferred(() => layer.close());
  const [first] = layer.overlays;
  if (!first) return;
  const { exitCode } = await runOn(layer, ':', spawner);
  if (exitCode !== 0)
    throw new NoLayer(
      `the kernel mounts no overlay over ${first.on}`,
      `カーネルが ${first.on} にオーバーレイをマウントできません`,
    );
}

/** Tries a layer over a test folder: changes must be in it and nowhere else. Returns the first that is not. */
async function findLeak(
  base: string,
  open: (folders: readonly string[]) => Layer,
  spawner: Spawner,
): Promise<Text | undefined> {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const trial = mkdtempSync(join(base, 'trial-'));
  const folder = join(trial, 'folder');
  mkdirSync(folder);
  writeFileSync(join(folder, 'kept'), 'as it was\n');
  writeFileSync(join(folder, 'removed'), '');
  const layer = open([folder]);
  try {
    const script = 'echo written >kept && rm removed && echo written >made';
    const { exitCode, said } = await runOn(layer, script, spawner);
    const isAsBefore =
      readFileSync(join(folder, 'kept'), 'utf8') === 'as it was\n' &&
      existsSync(join(folder, 'removed')) &&
      !existsSync(join(folder, 'made'));
    if (!isAsBefore) return leaks;
    if (exitCode !== 0) return notMounted(said.trim().slice(0, 200) || `exit code ${exitCode}`);
    const { changes } = await layer.read([folder], false);
    const seen = changes.map(({ change, path }) => `${change} ${path}`).join(', ');
    return seen === 'deleted removed, changed kept, created made'
      ? undefined
      : text(
          `a layer did not show what a command wrote: ${seen}`,
          `コマンドが書いたものがレイヤーに現れませんでした: ${seen}`,
        );
  } finally {
    await layer.close();
    await rm(trial, { recursive: true, force: true });
  }
}

const leaks = text(
  'what a command wrote on a layer reached the folder below',
  'コマンドがレイヤーに書いたものが、下のフォルダーに届きました',
);

function notMounted(said: string): Text {
  return text(`no overlay could be mounted (${said})`, `オーバーレイをマウントできませんでした (${said})`);
}

const trialMs = 10_000;
