import { lstatSync, readdirSync, type Stats } from 'node:fs';
import type { LandingSide } from '../../contract/capabilities/landing.ts';
import { kindOf } from '../../files/reading.ts';
import { entryOf } from '../../files/walk.ts';
import { asBytes, toText } from '../../ground/machine/byte-paths.ts';
import { orElse } from '../../ground/or-else.ts';

/* Paths and names here are bytes, one per character. */

/** Identifies an entry, so that a repeated step can tell whether it is still the same. */
export function signatureOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}

export function statOf(folder: number, name: string): Stats | undefined {
  return lstatSync(asBytes(entryOf(folder, name)), { throwIfNoEntry: false });
}

/** Undefined also if a file has the place of a folder above. */
export function statAt(path: string): Stats | undefined {
  return orElse(() => lstatSync(asBytes(path), { throwIfNoEntry: false }), undefined);
}

/** Empty if there is no such folder, or it is not readable. */
export function namesAt(path: string): readonly string[] {
  return orElse(() => namesIn(asBytes(path)), []);
}

export function namesIn(path: Buffer | string): readonly string[] {
  return readdirSync(path, { encoding: 'latin1' as BufferEncoding }) as string[];
}

export function sideOf(stat: Stats, entry: string): LandingSide {
  return { kind: kindOf(stat), bytes: stat.size, mode: stat.mode & 0o7777, entry: toText(entry) };
}

export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
