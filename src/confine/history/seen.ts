import { isTemporaryName } from '../files/temporary-name.ts';

/** A name that is not UTF-8 cannot be written as text; the mirror and temporary files are our own. */
export function isShown(path: string): boolean {
  if (path.includes('\ufffd') || path === '.shelpa' || path.startsWith('.shelpa/')) return false;
  return !isTemporaryName(path.slice(path.lastIndexOf('/') + 1));
}
