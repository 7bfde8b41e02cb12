import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBelow } from '../../../ground/inside.ts';

/**
 * Covers what must not be seen. The folders on the way there are mounted over themselves: a mount point cannot be
 * renamed, so nobody moves them aside and finds the next command's cover in the wrong place.
 */
export function hidingArguments(
  hiddenPaths: readonly string[],
  folders: readonly string[],
  writable: ReadonlySet<string>,
): readonly string[] {
  const covers = new Map<string, readonly string[]>();
  for (const path of hiddenPaths) {
    const root = folders.findLast((folder) => isBelow(path, folder));
    if (root === undefined) continue;
    for (let parent = dirname(path); parent !== root && isBelow(parent, root); parent = dirname(parent)) {
      covers.set(parent, [writable.has(root) ? '--bind' : '--ro-bind', parent, parent]);
    }
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // One that is not there yet must not be made by a command either.
    if (!stat) mkdirSync(path, { recursive: true, mode: 0o700 });
    covers.set(
      path,
      stat && !stat.isDirectory()
        ? ['--ro-bind', '/dev/null', path]
        : ['--size', '4096', '--perms', '0500', '--tmpfs', path, '--remount-ro', path],
    );
  }
  return [...covers].sort(([a], [b]) => a.length - b.length).flatMap(([, args]) => args);
}
