import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { ConfigError } from '../../contract/error.ts';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import { whyUnreadable } from '../file/why-unreadable.ts';
import type { ConfigFile } from '../schema.ts';

/** A folder or file that tools may see: its real path, and the path by which it was named. */
export interface Root {
  readonly path: string;
  readonly writable: boolean;
  readonly named: string;
}

export type Roots = readonly [Root, ...Root[]];

/** The roots of flags and file, resolved; without any, the folder `otherwise`. Files are served individually. */
export function rootsOf(
  flags: { readonly root?: string | undefined; readonly allowPath?: readonly string[] | undefined },
  config: ConfigFile,
  cwd: string,
  /** `shown`: the current folder in the person's shell. */
  otherwise: { readonly folder?: string | undefined; readonly shown?: string | undefined } = {},
): { readonly roots: Roots; readonly files: readonly Root[] } {
  const listed = (config.roots ?? []).map((root) =>
    typeof root === 'string'
      ? { path: root, writable: true }
      : { path: root.path, writable: root.writable ?? true },
  );
  const first = flags.root
    ? [{ path: flags.root, writable: true }]
    : listed.length > 0
      ? []
      : [{ path: otherwise.folder ?? cwd, writable: true }];
  const shown = otherwise.shown ?? cwd;
  const more = (flags.allowPath ?? []).map((path) => ({ path, writable: true }));
  const isFile = ({ path }: { path: string }) => kindOf(resolve(cwd, path)) === 'file';
  const folders = [...first, ...listed, ...more.filter((each) => !isFile(each))];
  const located = ({ path, writable }: { readonly path: string; readonly writable: boolean }): Root => {
    const named = resolve(cwd, path);
    const real = realpathSync(named);
    const asShown = resolve(shown, path === cwd ? '.' : path);
    return { path: real, writable, named: leadsTo(asShown, real) ? asShown : named };
  };
  for (const { path } of folders) existingFolder(resolve(cwd, path));
  return {
    roots: unique(folders.map(located)) as unknown as Roots,
    files: unique(more.filter(isFile).map(located)),
  };
}

function unique(roots: readonly Root[]): readonly Root[] {
  return roots.filter((root, index) => roots.findIndex((other) => other.path === root.path) === index);
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  // The error is reported when it is opened as a folder.
  return orElse(() => (statSync(path).isFile() ? 'file' : 'folder'), undefined);
}

function leadsTo(path: string, real: string): boolean {
  return orElse(() => realpathSync(path) === real, false);
}

/** The real path of a folder. Throws `ConfigError` if it is not a folder. */
export function existingFolder(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new ConfigError(
      `The folder ${path} cannot be opened: ${whyUnreadable(error).en}.`,
      `フォルダー ${path} を開けません: ${whyUnreadable(error).ja}。`,
      { cause: error },
    );
  }
  throw new ConfigError(
    `${path} is not a folder. Name the folder that contains it.`,
    `${path} はフォルダーではありません。それが入っているフォルダーを指定してください。`,
  );
}

/** Throws `ConfigError` if `--allow-path` would serve a file of the server itself. */
export function assertNotOwn(files: readonly Root[], paths: readonly string[]): void {
  const own = paths.map(realPathOf);
  const file = files.find(({ path }) => own.some((folder) => isInside(path, folder)));
  if (file)
    throw new ConfigError(
      `--allow-path ${file.named} belongs to this server and is not shown to tools.`,
      `--allow-path ${file.named} はこのサーバー自身のファイルなので、ツールからは見えません。`,
    );
}

/** The server's own paths inside a root, by their names there. */
export function insideOf(roots: Roots, paths: readonly string[]): readonly string[] {
  const real = [...new Set(paths.map(realPathOf))];
  const inside = real.filter((path) => roots.some((root) => isInside(path, root.path)));
  // Paths in a hidden folder are hidden with it.
  return inside.filter((path) => !inside.some((other) => other !== path && isInside(path, other)));
}

/** The real path, also of a path that does not exist yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

/** Throws `ConfigError` for records that tools could reach. */
export function assertOutside(named: string, roots: Roots, key: string): void {
  const folder = realPathOf(named);
  for (const root of roots) {
    if (isInside(folder, root.path)) {
      // Serving the home folder or `/` is legitimate; the records in it are then hidden from every tool.
      if (folder.includes(`${sep}.local${sep}state${sep}sekisho${sep}`)) continue;
      throw notOutside(key, folder);
    }
  }
}

/** The mistake of a file or folder of the server that tools could reach. */
export function notOutside(key: string, path: string): ConfigError {
  return new ConfigError(
    `${key} must be outside the folders that tools can see, got ${path}.`,
    `${key} はツールから見えるフォルダーの外に置いてください（指定値: ${path}）。`,
  );
}
