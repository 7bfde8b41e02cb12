import { isTemporaryName } from '../files/temporary-name.ts';

/** A name that is no UTF-8 cannot be said again; the mirror and writes under way are ours. */
export function isShown(path: string): boolean {
  if (path.includes('\ufffd') || path === '.shelpa' || path.startsWith('.shelpa/')) return false;
  return !isTemporaryName(path.slice(path.lastIndexOf('/') + 1));
}
