import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FolderRoot } from '../../contract/capabilities/files.ts';
import { gitMounts } from '../../git/mounts.ts';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import type { SpawnOptions } from '../child/child.ts';

/** bwrap's arguments that protect guarded names in a command's folders. */
export function guardingArguments(
  {
    roots,
    readOnlyNames,
    keptNames = [],
  }: {
    readonly roots: readonly FolderRoot[];
    readonly readOnlyNames: readonly string[];
    readonly keptNames?: readonly string[] | undefined;
  },
  spawnOptions: SpawnOptions,
): readonly string[] {
  const args: string[] = [];
  const names = spawnOptions.overlays ? readOnlyNames : [...readOnlyNames, ...keptNames];
  const copied = new Set(spawnOptions.settings?.copies.map(({ original }) => original));
  for (const folder of guardedFolders(roots, spawnOptions.writable)) {
    const { itself, readOnly } = gitMounts(folder);
    if (isWritable(folder, spawnOptions)) {
      for (const path of itself) args.push('--bind', path, path);
      for (const path of readOnly) if (!copied.has(path)) args.push('--ro-bind-try', path, path);
    }
    args.push(...readingArguments(folder, names, isWritable(folder, spawnOptions)));
  }
  return args;
}

function readingArguments(
  folder: string,
  names: readonly string[],
  isInWritable: boolean,
): readonly string[] {
  const paths = names.map((name) => join(folder, name)).filter((path) => isOwn(folder, path));
  // The folders on the path are mounted over themselves, so that a command cannot move one aside and create another.
  const parents = new Set(paths.flatMap((path) => parentsOf(folder, path)));
  return [
    ...(isInWritable ? [...parents].flatMap((parent) => ['--bind', parent, parent]) : []),
    ...paths.flatMap((path) => ['--ro-bind-try', path, path]),
  ];
}

/** Does it exist, without a link on its path? */
function isOwn(folder: string, path: string): boolean {
  // ENOENT, or ENOTDIR below a file.
  return orElse(
    () => [path, ...parentsOf(folder, path)].every((each) => !lstatSync(each).isSymbolicLink()),
    false,
  );
}

/** Outermost first. */
function parentsOf(folder: string, path: string): readonly string[] {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) parents.unshift(parent);
  return parents;
}

/** The folders whose `.git` a command may write, except the parts that git obeys. */
export function writableRepositories(
  roots: readonly FolderRoot[],
  writable: readonly string[],
): readonly string[] {
  return guardedFolders(roots, writable).filter((folder) => isWritable(folder, { writable }));
}

/** The guarded settings that a command can only read, except its copies. */
export function heldSettings(roots: readonly FolderRoot[], writable: readonly string[]): readonly string[] {
  return guardedFolders(roots, writable).flatMap((folder) => gitMounts(folder).readOnly);
}

function isWritable(folder: string, { writable }: Pick<SpawnOptions, 'writable'>): boolean {
  return writable.some((each) => isInside(folder, each));
}

/** The roots and the folders from them to the working folder: a repository's `.git` may be in any of these. */
export function foldersOnTheWay(
  roots: readonly FolderRoot[],
  { workingFolder, writable }: Pick<SpawnOptions, 'workingFolder' | 'writable'>,
): readonly string[] {
  const folders = new Set(guardedFolders(roots, writable));
  for (let folder = workingFolder; folder !== '/'; folder = dirname(folder)) {
    if (folders.has(folder)) break;
    folders.add(folder);
  }
  return [...folders];
}

/**
 * The folders in which paths are mounted read-only. None is below a root, because the kernel refuses to remove a folder
 * with a mount in it, even the one that a command begins in. What a command writes there is judged at its end.
 */
export function guardedFolders(roots: readonly FolderRoot[], writable: readonly string[]): readonly string[] {
  return [...new Set([...roots.map((root) => root.hostPath), ...writable])];
}
