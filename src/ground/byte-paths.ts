import { Buffer } from 'node:buffer';

/*
 * Paths that are bytes, one a character (latin1): a name that is no UTF-8 is a name to the system and to git all the same,
 * and read as UTF-8 it could not be found again.
 */

/** The bytes of such a path, as the kernel takes them. */
export function asBytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

/** An ordinary path, which stands for its UTF-8, in this form. */
export function fromText(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** Such a path as an ordinary one, to be shown and compared elsewhere; bytes that are no UTF-8 become U+FFFD. */
export function toText(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
