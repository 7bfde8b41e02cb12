/*
 * Paths as bytes, one per character (latin1): to the system and to git a name need not be UTF-8, and decoded as such it
 * could not be found again.
 */

/** The bytes of such a path, for the kernel. */
export function asBytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Converts an ordinary path (UTF-8) to this form. */
export function fromText(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** Converts such a path to an ordinary one for display and comparison; invalid UTF-8 becomes U+FFFD. */
export function toText(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
