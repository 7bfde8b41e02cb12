import { createHash } from 'node:crypto';
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { asBytes, fromText } from '../../../ground/byte-paths.ts';
import { readAtNow } from '../../files/io.ts';
import type { Overlay } from '../overlay.ts';
import { countIndex, type IndexEntry, readIndex } from './git-index.ts';
import { type GitObjects, openObjects } from './git-objects.ts';
import { readBounded, withFile } from './read-bounded.ts';

/** A repository as it was before a command, and beside it what the command made of it. Paths are bytes, one a character. */
export interface Repository {
  /** Of its `.git`, relative to the folder of the overlay. */
  readonly path: string;
  /**
   * Has git what a file held, be it in a commit or in the index? `path` is relative to the overlay's folder, `lower` where
   * its content lies.
   */
  keeps(path: string, before: Stats, lower?: string): boolean;
  /** Did the command go over to another commit that has files as well? */
  movedOn(): boolean;
}

/** The repository that a path lies in: of the nearest folder above it that has one, within the overlay. */
export function createRepositories(overlay: Overlay): (path: string) => Repository | undefined {
  const on = fromText(overlay.on);
  const known = new Map<string, Repository | undefined>();

  function at(folder: string): Repository | undefined {
    if (known.has(folder)) return known.get(folder);
    const path = folder === '' ? '.git' : `${folder}/.git`;
    const stat = lstatSync(asBytes(`${on}/${path}`), { throwIfNoEntry: false });
    const isThere = stat?.isDirectory() === true || stat?.isFile() === true;
    const above = folder === '' ? undefined : () => at(parentOf(folder));
    const found = isThere ? openRepository(overlay, folder, path) : above?.();
    known.set(folder, found);
    return found;
  }

  return (path) => at(parentOf(path));
}

function openRepository(overlay: Overlay, folder: string, path: string): Repository {
  const on = fromText(overlay.on);
  const upper = fromText(overlay.upper);
  const gitFolder = gitFolderOf(`${on}/${path}`);
  const common = commonFolderOf(gitFolder);
  /** The same as the command left it; what it did not touch is below. */
  const above = (host: string) =>
    host.startsWith(`${on}/`) ? `${upper}/${host.slice(on.length + 1)}` : host;
  const config = readBounded(`${common}/config`, 1024 * 1024)?.toString('latin1') ?? '';
  const algorithm = /objectformat\s*=\s*sha256/i.test(config) ? 'sha256' : 'sha1';
  const idBytes = algorithm === 'sha256' ? 32 : 20;
  let index: ReadonlyMap<string, IndexEntry> | undefined;
  let after: GitObjects | undefined;
  let moved: boolean | undefined;

  function idOf(hostPath: string): string | undefined {
    return withFile(hostPath, (fd, size) =>
      size > mostHashed
        ? undefined
        : createHash(algorithm)
            .update(`blob ${size}\0`)
            .update(readAtNow(fd, 0, size))
            .digest('hex'),
    );
  }

  return {
    path,
    keeps(file, before, lower = `${on}/${file}`) {
      after ??= openObjects([above(`${common}/objects`), `${common}/objects`]);
      index ??= readIndex(overlay.lowerOf?.(`${gitFolder}/index`) ?? `${gitFolder}/index`, idBytes);
      const entry = index.get(folder === '' ? file : file.slice(folder.length + 1));
      // Filters may make another file of what git keeps: where it is as git left it, its index says so.
      const id = entry && isClean(entry, before) ? entry.id : idOf(lower);
      return id !== undefined && after.has(id);
    },
    movedOn() {
      const formerly = (name: string) => overlay.lowerOf?.(`${gitFolder}/${name}`) ?? `${gitFolder}/${name}`;
      // In the folder itself, what was not touched says nothing, and a git that is at work is about to move on.
      const isUntouched =
        overlay.lowerOf !== undefined && overlay.lowerOf(`${gitFolder}/index`) === undefined;
      moved ??= isUntouched
        ? existsSync(asBytes(`${gitFolder}/index.lock`))
        : hasMovedOn(formerly, (name) => `${above(gitFolder)}/${name}`);
      return moved;
    },
  };
}

/** To another branch, or to a commit with about as many files: what is only removed, be it in a commit, is removed. */
function hasMovedOn(before: (name: string) => string, after: (name: string) => string): boolean {
  const files = countIndex(after('index'));
  if (files === 0) return false;
  const [was, is] = [before, after].map((at) => readBounded(at('HEAD'), 4096)?.toString());
  return (is !== undefined && is !== was) || files * 2 >= countIndex(before('index'));
}

function isClean({ bytes, mtimeSeconds, mtimeNanos }: IndexEntry, before: Stats): boolean {
  if (bytes !== before.size % 2 ** 32 || Math.floor(before.mtimeMs / 1000) !== mtimeSeconds) return false;
  // Some gits keep no parts of seconds; a millisecond is as far as we see.
  return mtimeNanos === 0 || Math.abs((before.mtimeMs % 1000) - mtimeNanos / 1e6) < 1;
}

/** A worktree's and a submodule's `.git` is a file that says where it is. */
export function gitFolderOf(path: string): string {
  const said = readBounded(path, 4096)?.toString('latin1');
  const [, where] = /^gitdir: (.+?)\s*$/.exec(said ?? '') ?? [];
  return where === undefined ? path : posix.resolve(posix.dirname(path), where);
}

export function commonFolderOf(gitFolder: string): string {
  const said = readBounded(`${gitFolder}/commondir`, 4096)?.toString('latin1').trim();
  return said === undefined || said === '' ? gitFolder : posix.resolve(gitFolder, said);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

const mostHashed = 64 * 1024 * 1024;
