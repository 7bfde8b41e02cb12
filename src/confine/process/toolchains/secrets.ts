import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolFolder } from './collection.ts';

/** Files below a folder that must not be seen and are there. */
export function secretsIn({ real, secrets }: Pick<ToolFolder, 'real' | 'secrets'>): readonly string[] {
  return secrets.flatMap((pattern) => matches([real], pattern.split('/')));
}

function matches(folders: readonly string[], [name, ...rest]: readonly string[]): readonly string[] {
  if (name === undefined) return folders;
  const next = folders.flatMap((folder) =>
    name === '*'
      ? entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
      : exists(join(folder, name))
        ? [join(folder, name)]
        : [],
  );
  return matches(next, rest);
}

/** The parts of a folder without such files, for walls that cannot cover one; also where none is there yet. */
export function partsWithoutSecrets({ real, secrets }: ToolFolder): readonly string[] {
  return parts(
    real,
    secrets.map((pattern) => pattern.split('/')),
  );
}

function parts(folder: string, patterns: readonly (readonly string[])[]): readonly string[] {
  if (patterns.length === 0) return [folder];
  return entriesOf(folder).flatMap((entry) => {
    const rest = patterns.flatMap(([name, ...rest]) => (name === '*' || name === entry.name ? [rest] : []));
    // What a link leads to is granted where it is, or not at all.
    if (entry.isSymbolicLink() || rest.some((names) => names.length === 0)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? parts(path, rest) : [path];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
