import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ConfigError } from '../contract/error.ts';
import type { ConfigFile } from './schema.ts';
import { whyUnreadable } from './why-unreadable.ts';

/** A folder that tools may see: where it really is, and as it was named. */
export interface Root {
  readonly path: string;
  readonly writable: boolean;
  readonly named: string;
}

export type Roots = readonly [Root, ...Root[]];

/** The roots of flags and file, resolved; the current folder where neither names one. */
export function rootsOf(
  flags: { readonly root?: string | undefined; readonly allowPath?: readonly string[] | undefined },
  config: ConfigFile,
  cwd: string,
): Roots {
  const listed = (config.roots ?? []).map((root) =>
    typeof root === 'string'
      ? { path: root, writable: true }
      : { path: root.path, writable: root.writable ?? true },
  );
  const first = flags.root
    ? [{ path: flags.root, writable: true }]
    : listed.length > 0
      ? []
      : [{ path: cwd, writable: true }];
  const more = (flags.allowPath ?? []).map((path) => ({ path, writable: true }));
  const all = [...first, ...listed, ...more].map((root) => ({
    path: existingFolder(resolve(cwd, root.path)),
    writable: root.writable,
    named: resolve(cwd, root.path),
  }));
  const unique = all.filter((root, index) => all.findIndex((other) => other.path === root.path) === index);
  return unique as unknown as Roots;
}

/** Where a folder really is. Throws `ConfigError` where it is none. */
export function existingFolder(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new ConfigError(`The folder ${path} cannot be opened: ${whyUnreadable(error)}.`, { cause: error });
  }
  throw new ConfigError(`${path} is not a folder. Name the folder that it lies in.`);
}

/** Those of the server's own paths that lie in a root, as they are called there. */
export function insideOf(roots: Roots, paths: readonly string[]): readonly string[] {
  const real = [...new Set(paths.map(realPathOf))];
  const inside = real.filter((path) => roots.some((root) => isWithin(root.path, path)));
  // What lies in a hidden folder is hidden with it.
  return inside.filter((path) => !inside.some((other) => other !== path && isWithin(other, path)));
}

/** Where a path leads, also one that is not there yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Throws `ConfigError` for records that tools could reach. */
export function assertOutside(named: string, roots: Roots, key: string): void {
  const folder = realPathOf(named);
  for (const root of roots) {
    if (isWithin(root.path, folder)) {
      // Serving the home folder or `/` is legitimate; the records in it are then hidden from every tool.
      if (folder.includes(`${sep}.local${sep}state${sep}sekisho${sep}`)) continue;
      throw new ConfigError(`${key} must lie outside the folders that tools may see, got ${folder}.`);
    }
  }
}
