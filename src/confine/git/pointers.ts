import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { asBytes } from '../../ground/byte-paths.ts';

/** Where a `.git` leads that is no folder: a file that names one, or a link. Undefined where git would not follow it. */
export function targetOf(pointer: string): string | undefined {
  try {
    const stat = lstatSync(asBytes(pointer));
    if (stat.isSymbolicLink()) return realPath('/', pointer);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const named = /^gitdir: (.*?)[\r\n]*$/s.exec(readFileSync(asBytes(pointer), 'latin1'))?.[1];
    return named === undefined ? undefined : realPath(dirname(pointer), named);
  } catch {
    return undefined;
  }
}

/** Longer than any path. */
const maxBytes = 8192;

/** Where a path leads that stands in a file of git's; undefined where nothing is. */
export function realPath(base: string, target: string): string | undefined {
  try {
    // Component by component, as git does: `link/..` is not where it was written.
    return realpathSync.native(asBytes(target.startsWith('/') ? target : `${base}/${target}`), 'latin1');
  } catch {
    return undefined;
  }
}
