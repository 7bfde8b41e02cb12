import { Buffer } from 'node:buffer';
import type { Stats } from 'node:fs';
import { closeSync, linkSync, lstatSync, mkdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { ToolError } from '../../contract/error.ts';
import type { FileChange, FileStat, WriteOptions, Written } from '../../contract/files.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text.ts';
import { syncFolder, writeAtomically } from './atomic.ts';
import { cancelled, changedSince, fault, notAFile, notFound } from './fault.ts';
import { readAtNow } from './io.ts';
import type { HeldPlace } from './place.ts';
import { readStat } from './reading.ts';
import type { Root } from './walk.ts';
import { enterFolder, entryOf, leaveFolder, openFileIn } from './walk.ts';

type Content = string | Uint8Array;

export function create(place: HeldPlace, content: Content, options: WriteOptions): Promise<Written> {
  return change(place, options, async () => {
    const bytes = toBytes(content, place.shown);
    await inOwnFolder(place, async (folder, name) => {
      if (lstatSync(entryOf(folder, name), { throwIfNoEntry: false })) throw exists(place.shown);
      await observed(place, { action: 'create', bytes: bytes.length }, undefined, () =>
        write(place, folder, name, bytes, undefined, options),
      );
    });
    return { bytes: bytes.length, created: true };
  });
}

export function replace(place: HeldPlace, content: Content, options: WriteOptions): Promise<Written> {
  return change(place, options, async () => {
    const bytes = toBytes(content, place.shown);
    const created = await inOwnFolder(place, async (folder, name) => {
      const former = openFormer(place, folder, name, options.expected);
      try {
        const action = former ? 'replace' : 'create';
        await observed(place, { action, bytes: bytes.length }, former, () =>
          write(place, folder, name, bytes, former?.plain, options),
        );
      } finally {
        if (former) closeSync(former.fd);
      }
      return !former;
    });
    return { bytes: bytes.length, created };
  });
}

/** Adds at the end. The file is written anew, so that a crash leaves the old content or the new one whole. */
export function append(place: HeldPlace, content: Content, options: WriteOptions): Promise<Written> {
  return change(place, options, async () => {
    const more = toBytes(content, place.shown);
    const created = await inOwnFolder(place, async (folder, name) => {
      const former = openFormer(place, folder, name, options.expected);
      try {
        const old = former ? readAtNow(former.fd, 0, former.plain.size) : Buffer.alloc(0);
        await observed(place, { action: former ? 'append' : 'create', bytes: more.length }, former, () =>
          write(place, folder, name, Buffer.concat([old, more]), former?.plain, options),
        );
      } finally {
        if (former) closeSync(former.fd);
      }
      return !former;
    });
    return { bytes: more.length, created };
  });
}

/** Makes the folder and those above it; one that is there already is fine. */
export function makeFolder(place: HeldPlace): void {
  place.assertWritable();
  leaveFolder(place.root, makeFolders(place, place.components.length));
}

export function remove(place: HeldPlace, options: WriteOptions): Promise<void> {
  return change(place, options, () =>
    inFolder(place, place.components.length - 1, false, async (folder, name) => {
      const stat = lstatSync(entryOf(folder, name), { throwIfNoEntry: false });
      if (!stat) throw notFound(place.shown);
      if (stat.isDirectory()) {
        attempt(place.shown, () => rmdirSync(entryOf(folder, name)));
      } else {
        const former = openFormer(place, folder, name, options.expected);
        try {
          await observed(place, { action: 'remove' }, former, async () =>
            attempt(place.shown, () => unlinkSync(entryOf(folder, name))),
          );
        } finally {
          if (former) closeSync(former.fd);
        }
      }
      await syncFolder(folder);
    }),
  );
}

/** Gives a file or folder another name. Nothing is replaced: `conflict` where the new name is taken. */
export function move(place: HeldPlace, target: HeldPlace, options: WriteOptions): Promise<void> {
  return change(place, options, async () => {
    target.assertWritable();
    await inFolder(place, place.components.length - 1, false, (folder, name) =>
      inOwnFolder(target, async (targetFolder, targetName) => {
        const from = entryOf(folder, name);
        const to = entryOf(targetFolder, targetName);
        const stat = lstatSync(from, { throwIfNoEntry: false });
        if (!stat) throw notFound(place.shown);
        if (stat.isDirectory()) {
          if (lstatSync(to, { throwIfNoEntry: false })) throw exists(target.shown);
          attempt(target.shown, () => renameSync(from, to));
        } else {
          const former = openFormer(place, folder, name, options.expected);
          try {
            await observed(place, { action: 'move' }, former, () =>
              observed(target, { action: 'create' }, undefined, async () => {
                attempt(target.shown, () => linkSync(from, to));
                attempt(place.shown, () => unlinkSync(from));
              }),
            );
          } finally {
            if (former) closeSync(former.fd);
          }
        }
        await syncFolder(targetFolder);
        await syncFolder(folder);
      }),
    );
  });
}

interface Former {
  readonly fd: number;
  readonly plain: Stats;
  readonly stat: FileStat;
}

function openFormer(place: HeldPlace, folder: number, name: string, expected?: FileStat): Former | undefined {
  if (!lstatSync(entryOf(folder, name), { throwIfNoEntry: false })) {
    if (expected) throw changedSince(place.shown);
    return undefined;
  }
  const { fd, stat: plain } = openFileIn(place.root, folder, name, place.shown);
  const stat = readStat(`/proc/self/fd/${fd}`, true);
  if (expected && !isSame(stat, expected)) {
    closeSync(fd);
    throw changedSince(place.shown);
  }
  return { fd, plain, stat };
}

function isSame(one: FileStat, other: FileStat): boolean {
  return (
    one.device === other.device &&
    one.inode === other.inode &&
    one.bytes === other.bytes &&
    one.modifiedNs === other.modifiedNs &&
    one.changedNs === other.changedNs
  );
}

async function change<T>(place: HeldPlace, options: WriteOptions, work: () => Promise<T>): Promise<T> {
  place.assertWritable();
  return place.facts.desk.turns.take(place.hostPath, async () => {
    if (options.signal?.aborted) throw cancelled(place.shown);
    return work();
  });
}

async function observed(
  place: HeldPlace,
  facts: Pick<FileChange, 'action' | 'bytes'>,
  former: Former | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const { observer } = place.facts.desk;
  if (!observer) return work();
  const told: FileChange = {
    ...facts,
    rootHostPath: place.root.hostPath,
    path: place.components.join('/'),
    ...(former
      ? { former: { stat: former.stat, read: () => readAtNow(former.fd, 0, former.plain.size) } }
      : {}),
  };
  await observer.beforeChange(told);
  await work();
  await observer.afterChange?.(told);
}

async function write(
  place: HeldPlace,
  folder: number,
  name: string,
  bytes: Uint8Array,
  former: Stats | undefined,
  options: WriteOptions,
): Promise<void> {
  await writeAtomically({
    folder,
    name,
    bytes,
    former,
    shown: place.shown,
    signal: options.signal,
    path: place.components.join('/'),
    scratch: place.facts.desk.scratchOf(place.root.hostPath),
  });
}

function inOwnFolder<T>(place: HeldPlace, work: (folder: number, name: string) => Promise<T>): Promise<T> {
  return inFolder(place, place.components.length - 1, true, work);
}

async function inFolder<T>(
  place: HeldPlace,
  depth: number,
  make: boolean,
  work: (folder: number, name: string) => Promise<T>,
): Promise<T> {
  const name = place.components[depth];
  if (name === undefined) throw notAFile(place.shown, 'folder');
  const folder = make
    ? makeFolders(place, depth)
    : enterFolder(place.root, place.components, depth, place.facts.hidden);
  try {
    return await work(folder, name);
  } finally {
    leaveFolder(place.root, folder);
  }
}

/** Walks to a folder and makes what is missing on the way. */
function makeFolders(place: HeldPlace, count: number): number {
  const { root, components } = place;
  try {
    return enterFolder(root, components, count, place.facts.hidden);
  } catch (error) {
    if (!(error instanceof ToolError && error.code === 'not_found')) throw error;
  }
  for (let depth = 0; depth < count; depth++) makeOne(root, components, depth, place);
  return enterFolder(root, components, count, place.facts.hidden);
}

function makeOne(root: Root, components: readonly string[], depth: number, place: HeldPlace): void {
  const folder = enterFolder(root, components, depth, place.facts.hidden);
  try {
    mkdirSync(entryOf(folder, components[depth] ?? ''));
  } catch (cause) {
    // Another made it meanwhile, or it was there: the walk that follows judges what it is.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw fault(cause, place.shown);
  } finally {
    leaveFolder(root, folder);
  }
}

function toBytes(content: Content, shown: string): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  if (bytes.length <= limits.writeBytes) return bytes;
  throw new ToolError(
    'too_large',
    text(
      `The new content of ${shown} has ${bytes.length} bytes; a write takes at most ${limits.writeBytes}.`,
      `${shown} の新しい内容は ${bytes.length} バイトあり、1 回の書き込みの上限 ${limits.writeBytes} バイトを超えています。`,
    ),
    { details: { bytes: bytes.length, max_bytes: limits.writeBytes } },
  );
}

function exists(shown: string): ToolError {
  return new ToolError('conflict', text(`${shown} already exists.`, `${shown} は既に存在します。`));
}

function attempt(shown: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw fault(cause, shown);
  }
}
