import { Buffer } from 'node:buffer';

/*
 * Paths that are bytes, one a character (latin1): a name that is no UTF-8 is a name to the system and to git all the same,
 * and read as UTF-8 it could not be found again.
 */

/** What the kernel takes for such a path. */
export function asBytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

/** A path as others have it, in this form. */
export function fromText(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** The same to be read by people, and by the rest of the house. */
export function toText(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
