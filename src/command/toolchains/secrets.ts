import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../../ground/or-else.ts';
import type { ToolFolder } from './collection.ts';

/** Existing files below a folder that must stay hidden. */
export function secretsIn({ real, secrets }: Pick<ToolFolder, 'real' | 'secrets'>): readonly string[] {
  return secrets.flatMap((pattern) => matches([real], pattern.split('/')));
}

function matches(folders: readonly string[], [name, ...rest]: readonly string[]): readonly string[] {
  if (name === undefined) return folders;
  const next = folders.flatMap((folder) =>
    name === '*'
      ? entriesOf(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
      : orElse(() => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined, false)
        ? [join(folder, name)]
        : [],
  );
  return matches(next, rest);
}

/** The parts of a folder without such files, even missing ones, for a sandbox that cannot cover a file. */
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
    // A link's target is granted at its own path, or not at all.
    if (entry.isSymbolicLink() || rest.some((names) => names.length === 0)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? parts(path, rest) : [path];
  });
}

/** Empty if it is not readable. */
export function entriesOf(folder: string): readonly Dirent[] {
  return orElse(() => readdirSync(folder, { withFileTypes: true }), []);
}
