import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { asBytes } from '../../ground/byte-paths.ts';

/** The target of a `.git` that is a file or a link. Undefined if git would not follow it. */
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

/** The target of a path in one of git's files; undefined if it does not exist. */
export function realPath(base: string, target: string): string | undefined {
  try {
    // Component by component, as git does: `link/..` is not the folder that contains the link.
    return realpathSync.native(asBytes(target.startsWith('/') ? target : `${base}/${target}`), 'latin1');
  } catch {
    return undefined;
  }
}
