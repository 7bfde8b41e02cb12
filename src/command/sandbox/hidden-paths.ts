import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBelow } from '../../ground/inside.ts';

/**
 * Covers hidden paths. The folders on the path are mounted over themselves: a mount point cannot be renamed, so a
 * command cannot move one aside and misplace the next command's cover.
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
    // A hidden path that does not exist must not be created by a command either.
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
