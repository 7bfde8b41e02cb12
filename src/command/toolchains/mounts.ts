import { lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import type { ToolFolder } from './collection.ts';
import type { Toolchains } from './find.ts';
import { secretsIn } from './secrets.ts';

/** bwrap's arguments that show toolchains read-only. Entries that were replaced since they were found are left out. */
export function toolchainArguments(
  { folders, links }: Toolchains,
  mounted: readonly string[],
): readonly string[] {
  const args: string[] = [];
  for (const folder of folders) {
    if (!isStill(folder)) continue;
    args.push('--ro-bind-try', folder.real, folder.real);
    for (const path of [...secretsIn(folder), ...secretsIn({ ...folder, secrets: [pyenvRehash] })])
      args.push(...coverArguments(path, folder.real));
  }
  for (const { at, to } of links) {
    // A mount cannot be below a link, and a link cannot be created in a read-only mount.
    const others = [...mounted, ...folders.map(({ real }) => real)];
    if (!others.some((path) => isInside(path, at) || isInside(at, path))) args.push('--symlink', to, at);
  }
  return args;
}

/** After pip, pyenv writes new shims. Commands may not, and a successful installation would exit with 1. */
const pyenvRehash = 'pyenv.d/exec/pip-rehash';

/** A replaced folder, or a link in its place, is not the one that was proven. */
export function isStill({ real, identity }: ToolFolder): boolean {
  return orElse(() => {
    const { dev, ino } = lstatSync(real);
    return dev === identity.dev && ino === identity.ino;
  }, false);
}

function coverArguments(path: string, folder: string): readonly string[] {
  return orElse(() => {
    const real = realpathSync(path);
    // A link that leads out of the folder has no target in the sandbox.
    if (!isInside(real, folder)) return [];
    return lstatSync(real).isDirectory()
      ? ['--tmpfs', real, '--remount-ro', real]
      : ['--ro-bind', '/dev/null', real];
  }, []);
}

/**
 * Makes toolchains in a writable root read-only. The folders on the path are mounted over themselves: a mount point
 * cannot be renamed, so a command cannot move one aside and misplace the next command's mount.
 */
export function heldArguments({ inRoots }: Toolchains, writable: readonly string[]): readonly string[] {
  const args = new Map<string, string>();
  for (const path of inRoots) {
    const root = writable.find((folder) => path !== folder && isInside(path, folder));
    if (root === undefined) continue;
    const way: string[] = [];
    for (let folder = dirname(path); folder !== root; folder = dirname(folder)) way.push(folder);
    if ([path, ...way].some((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() !== false))
      continue;
    for (const folder of way) if (!args.has(folder)) args.set(folder, '--bind');
    args.set(path, '--ro-bind');
  }
  return [...args].sort(([a], [b]) => a.length - b.length).flatMap(([path, option]) => [option, path, path]);
}
