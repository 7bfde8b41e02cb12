import { accessSync, closeSync, constants, lstatSync, type Stats } from 'node:fs';
import type { FileChange, FileStat, FormerFile, WriteOptions } from '../../contract/capabilities/files.ts';
import { changedSince, fault, leftUnchanged } from '../fault.ts';
import { readAtNow } from '../io.ts';
import type { ProvenPath } from '../place-facts.ts';
import { readStat } from '../reading.ts';
import { entryOf, itself, openFileIn } from '../walk.ts';
import { alone } from './alone.ts';
import type { Made } from './atomic.ts';

/** Runs a change of a file while no other runs. Throws `forbidden` if it may not be written. */
export async function change<T>(
  place: ProvenPath,
  options: WriteOptions,
  work: () => Promise<T>,
): Promise<T> {
  place.assertWritable();
  return alone(place, options.signal, async () => {
    if (options.signal?.aborted) throw leftUnchanged(place.shown);
    return work();
  });
}

/** Makes a change. It may prepare before `agreed` resolves, and must then await it: a rejection stops the change. */
export type Work = (agreed: Promise<void>) => Promise<Made>;

/** Notifies the observer before and after. */
export async function observed(
  place: ProvenPath,
  facts: Omit<FileChange, 'rootHostPath' | 'path'>,
  work: Work,
): Promise<void> {
  const { observer } = place.facts.dependencies;
  if (!observer) return (await work(Promise.resolve())).durable;
  const change: FileChange = {
    ...facts,
    rootHostPath: place.root.hostPath,
    path: place.components.join('/'),
  };
  const agreed = Promise.try(() => observer.beforeChange(change));
  // Awaited by the work later; this only prevents an unhandled rejection.
  agreed.catch(() => {});
  let durable: Promise<void>;
  try {
    durable = (await work(agreed)).durable;
  } catch (error) {
    // If the observer refused, throw its error.
    await agreed;
    observer.changeFailed?.(change);
    throw error;
  }
  if (observer.afterChange) await observer.afterChange(change, durable);
  else await durable;
}

/** The file that a change replaces, for the observer. */
export function formerFile(former: Former | undefined): FormerFile | undefined {
  if (!former) return undefined;
  const { fd, plain, stat } = former;
  return { stat, read: () => readAtNow(fd, 0, plain.size), descriptor: fd };
}

/** The open file that a change will replace. */
export interface Former {
  readonly fd: number;
  readonly plain: Stats;
  readonly stat: FileStat;
}

/** Opens the current file, if any. Throws `conflict` if it is not the expected one. */
export function openFormer(
  place: ProvenPath,
  folder: number,
  name: string,
  expected?: FileStat,
): Former | undefined {
  if (!lstatSync(entryOf(folder, name), { throwIfNoEntry: false })) {
    if (expected) throw changedSince(place.shown);
    return undefined;
  }
  const { fd, stat: plain } = openFileIn(place.root, folder, name, place.shown);
  try {
    const stat = readStat(itself(fd), true);
    if (expected) assertUnchanged(stat, expected, place.shown);
    return { fd, plain, stat };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The same for a change of content: unlike a rename, of no read-only or foreign file. Throws `forbidden`. */
export function openOverwritable(
  place: ProvenPath,
  folder: number,
  name: string,
  expected?: FileStat,
): Former | undefined {
  const former = openFormer(place, folder, name, expected);
  if (!former) return undefined;
  try {
    accessSync(itself(former.fd), constants.W_OK);
    return former;
  } catch (cause) {
    closeSync(former.fd);
    throw fault(cause, place.shown);
  }
}

/** Throws `conflict` if a file is not the one that was read. */
export function assertUnchanged(found: FileStat, expected: FileStat, shown: string): void {
  const isSame =
    found.device === expected.device &&
    found.inode === expected.inode &&
    found.bytes === expected.bytes &&
    found.modifiedNs === expected.modifiedNs &&
    found.changedNs === expected.changedNs;
  if (!isSame) throw changedSince(shown);
}
