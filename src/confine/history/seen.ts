import { lstatSync, readlinkSync } from 'node:fs';
import { kindOf } from '../files/kind-of.ts';
import { isTemporaryName } from '../files/temporary-name.ts';

/** What the file system says of a path. Two that are equal are the same content, but for changes of the same tick. */
export interface Seen {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
  readonly inode: string;
  readonly bytes: number;
  readonly mode: number;
  /** Seconds with nine or more digits after the point. */
  readonly modified: string;
  readonly changed: string;
  readonly target: string;
}

/** One path; `undefined` where nothing is there. */
export function seenAt(hostPath: string, path: string): Seen | undefined {
  const stat = lstatSync(hostPath, { bigint: true, throwIfNoEntry: false });
  if (!stat) return undefined;
  return {
    path,
    kind: kindOf(stat),
    inode: `${stat.dev}:${stat.ino}`,
    bytes: Number(stat.size),
    mode: Number(stat.mode) & 0o7777,
    modified: seconds(stat.mtimeNs),
    changed: seconds(stat.ctimeNs),
    target: stat.isSymbolicLink() ? readlinkSync(hostPath) : '',
  };
}

/** As find prints it. */
function seconds(ns: bigint): string {
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, '0')}0`;
}

/** The folder that a path lies in; '' for the first. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at === -1 ? '' : path.slice(0, at);
}

/** Did it change after this moment? Nothing but the system sets that time. */
export function isAfter(seen: Seen, ms: number): boolean {
  return Number(seen.changed) * 1000 > ms;
}

/** A name that is no UTF-8 cannot be said again; the mirror and writes under way are ours. */
export function isShown(path: string): boolean {
  if (path.includes('\ufffd') || path === '.shelpa' || path.startsWith('.shelpa/')) return false;
  return !isTemporaryName(path.slice(path.lastIndexOf('/') + 1));
}
