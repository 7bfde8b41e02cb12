import { createHash } from 'node:crypto';
import { existsSync, lstatSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { asBytes, fromText, toText } from '../../../ground/byte-paths.ts';
import { readAtNow } from '../../files/io.ts';
import type { Overlay } from '../overlay.ts';
import type { Touched } from './collect.ts';
import { CommittedFiles } from './committed-files.ts';
import { type GitFolder, openGitFolder } from './git-folder.ts';
import { countIndex, type IndexEntry, readIndex } from './git-index.ts';
import { Refs } from './git-names.ts';
import { openObjects } from './git-objects.ts';
import { readBounded, withFile } from './read-bounded.ts';

/** A repository as it was before a command, and beside it what the command made of it. Paths are bytes, one a character. */
export interface Repository {
  /** Of its `.git`, relative to the folder of the overlay. */
  readonly path: string;
  /**
   * Has git what a file held, be it in a commit that a name or a log leads to, or in the index? `path` is relative to the overlay's folder, `lower` where
   * its content lies.
   */
  keeps(path: string, before: Stats, lower?: string): boolean;
  /** Did the command go over to another commit that has files as well, and is this file as that has it? */
  movedOn(file: Pick<Touched, 'path' | 'now'>): boolean;
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
  const views = (host: string) =>
    host.startsWith(`${on}/`)
      ? openGitFolder(host.slice(on.length + 1), overlay)
      : openGitFolder('', { on: toText(host), upper: toText(host), data: '' });
  const own = views(gitFolder);
  const shared = views(common);
  const config = readBounded(`${common}/config`, 1024 * 1024)?.toString('latin1') ?? '';
  const algorithm = /objectformat\s*=\s*sha256/i.test(config) ? 'sha256' : 'sha1';
  const idBytes = algorithm === 'sha256' ? 32 : 20;
  const indexIn = (view: GitFolder) => readIndex(view.at('index') ?? '', idBytes);
  let former: ReadonlyMap<string, IndexEntry> | undefined;
  let latter: ReadonlyMap<string, IndexEntry> | undefined;
  let committed: CommittedFiles | undefined;
  let moved: boolean | undefined;
  const latterIndex = () => (latter ??= indexIn(own.latter));
  const within = (file: string) => (folder === '' ? file : file.slice(folder.length + 1));

  /** Filters may make another file of what git keeps: where it is as git left it, its index says so. */
  function idOf(entry: IndexEntry | undefined, stat: Stats, hostPath: string): string | undefined {
    if (entry && isClean(entry, stat)) return entry.id;
    return withFile(hostPath, (fd, size) =>
      size > mostHashed
        ? undefined
        : createHash(algorithm)
            .update(`blob ${size}\0`)
            .update(readAtNow(fd, 0, size))
            .digest('hex'),
    );
  }

  function headIn(view: 'former' | 'latter'): string | undefined {
    const words = own[view].read('HEAD') ?? '';
    const [, name] = /^ref: (\S+)/.exec(words) ?? [];
    return new Refs(name === undefined ? own[view] : shared[view]).idOf(name ?? 'HEAD');
  }

  /** To a commit that was there before, or to one with about as many files: what is only removed, be it in a commit, is removed. */
  function hasMovedOn(): boolean {
    const files = countIndex(`${above(gitFolder)}/index`);
    if (files === 0) return false;
    const [was, is] = [headIn('former'), headIn('latter')];
    const isAnother = was !== is && own.former.read('HEAD') !== own.latter.read('HEAD');
    if (isAnother && is !== undefined && openObjects([`${common}/objects`]).has(is)) return true;
    return files * 2 >= countIndex(own.former.at('index') ?? '');
  }

  return {
    path,
    keeps(file, before, lower = `${on}/${file}`) {
      former ??= indexIn(own.former);
      const id = idOf(former.get(within(file)), before, lower);
      if (id === undefined) return false;
      committed ??= new CommittedFiles(
        openObjects([above(`${common}/objects`), `${common}/objects`]),
        new Refs(shared.latter),
        [headIn('former'), headIn('latter')],
      );
      return committed.has(within(file), id, latterIndex().get(within(file))?.id);
    },
    movedOn({ path: file, now }) {
      // In the folder itself, what was not touched says nothing, and a git that is at work is about to move on.
      if (overlay.lowerOf !== undefined && overlay.lowerOf(`${gitFolder}/index`) === undefined)
        return existsSync(asBytes(`${gitFolder}/index.lock`));
      moved ??= hasMovedOn();
      if (!moved) return false;
      const entry = latterIndex().get(within(file));
      return now
        ? entry !== undefined && idOf(entry, now, `${upper}/${file}`) === entry.id
        : entry === undefined;
    },
  };
}

function isClean({ bytes, mtimeSeconds, mtimeNanos }: IndexEntry, stat: Stats): boolean {
  if (bytes !== stat.size % 2 ** 32 || Math.floor(stat.mtimeMs / 1000) !== mtimeSeconds) return false;
  // Some gits keep no parts of seconds; a millisecond is as far as we see.
  return mtimeNanos === 0 || Math.abs((stat.mtimeMs % 1000) - mtimeNanos / 1e6) < 1;
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
