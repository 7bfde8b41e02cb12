import { lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isInside } from '../../../ground/inside.ts';
import type { ToolFolder } from './collection.ts';
import type { Toolchains } from './find.ts';
import { secretsIn } from './secrets.ts';

/** bwrap's arguments that show toolchains to a command, to be read. What was exchanged since it was found is left out. */
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
    // Nothing can be mounted below a link, and none be made in what is mounted to be read.
    const others = [...mounted, ...folders.map(({ real }) => real)];
    if (!others.some((path) => isInside(path, at) || isInside(at, path))) args.push('--symlink', to, at);
  }
  return args;
}

/** After pip, pyenv writes new shims. No command may, and a good installation would end with exit code 1. */
const pyenvRehash = 'pyenv.d/exec/pip-rehash';

/** A folder that another was put in the place of, or a link, is no longer what was proven. */
export function isStill({ real, identity }: ToolFolder): boolean {
  try {
    const { dev, ino } = lstatSync(real);
    return dev === identity.dev && ino === identity.ino;
  } catch {
    return false;
  }
}

function coverArguments(path: string, folder: string): readonly string[] {
  try {
    const real = realpathSync(path);
    // A link that leads out of the folder leads nowhere inside.
    if (!isInside(real, folder)) return [];
    return lstatSync(real).isDirectory()
      ? ['--tmpfs', real, '--remount-ro', real]
      : ['--ro-bind', '/dev/null', real];
  } catch {
    return [];
  }
}

/**
 * Makes toolchains in a writable root read-only. The folders on the way are mounted over themselves: a mount point
 * cannot be renamed, so nobody moves them aside and finds the next command's mount on another.
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
