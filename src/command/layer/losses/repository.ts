import { existsSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { readAtNow } from '../../../files/io.ts';
import { asBytes, fromText, toText } from '../../../ground/byte-paths.ts';
import { isBelow } from '../../../ground/inside.ts';
import { statAt } from '../entries.ts';
import type { Overlay } from '../overlay.ts';
import type { Touched } from './collect.ts';
import { CommittedFiles } from './committed-files.ts';
import { type GitFolder, openGitFolder } from './git-folder.ts';
import { countIndex, type IndexEntry, readIndex } from './git-index.ts';
import { Refs } from './git-names.ts';
import { idOf as objectId, openObjects } from './git-objects.ts';
import { readBounded, withFile } from './read-bounded.ts';

/** A repository before a command and after it. Paths are bytes, one per character. */
export interface Repository {
  /** Path of its `.git`, relative to the overlay's folder. */
  readonly path: string;
  /**
   * Does git have a file's former content, in the index or in a commit that a ref or a reflog leads to? `path` is
   * relative to the overlay's folder, `lower` is the path of the content.
   */
  keeps(path: string, before: Stats, lower?: string): boolean;
  /** Did the command check out another commit that has files, and is this file as in that commit? */
  movedOn(file: Pick<Touched, 'path' | 'now'>): boolean;
  /** Is a git at work on the folders themselves, of which only its new index will tell whether it moves on? */
  isAtWork(): boolean;
}

/** Finds the repository of a path: the nearest folder above it that has one, within the overlay. */
export function createRepositories(overlay: Overlay): (path: string) => Repository | undefined {
  const on = fromText(overlay.on);
  const known = new Map<string, Repository | undefined>();

  function at(folder: string): Repository | undefined {
    if (known.has(folder)) return known.get(folder);
    const path = folder === '' ? '.git' : `${folder}/.git`;
    const stat = statAt(`${on}/${path}`);
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
  /** The path after the command; untouched files are only below. */
  const above = (host: string) => (isBelow(host, on) ? `${upper}/${posix.relative(on, host)}` : host);
  const views = (host: string) =>
    isBelow(host, on)
      ? openGitFolder(posix.relative(on, host), overlay)
      : openGitFolder('', { on: toText(host), upper: toText(host), data: '' });
  const own = views(gitFolder);
  const shared = views(common);
  const config = readBounded(`${common}/config`, 1024 * 1024)?.toString('latin1') ?? '';
  const idBytes = /objectformat\s*=\s*sha256/i.test(config) ? 32 : 20;
  const indexIn = (view: GitFolder) => readIndex(view.at('index') ?? '', idBytes);
  let former: ReadonlyMap<string, IndexEntry> | undefined;
  let latter: ReadonlyMap<string, IndexEntry> | undefined;
  let committed: CommittedFiles | undefined;
  let moved: boolean | undefined;
  const latterIndex = () => (latter ??= indexIn(own.latter));
  const within = (file: string) => (folder === '' ? file : file.slice(folder.length + 1));

  /** Filters may make a working file differ from its blob: if the index says that it is unchanged, trust its id. */
  function idOf(entry: IndexEntry | undefined, stat: Stats, hostPath: string): string | undefined {
    if (entry && isClean(entry, stat)) return entry.id;
    return withFile(hostPath, (fd, size) =>
      size > mostHashed
        ? undefined
        : objectId({ type: 'blob', content: readAtNow(fd, 0, size) }, idBytes * 2),
    );
  }

  function headIn(view: 'former' | 'latter'): string | undefined {
    const words = own[view].read('HEAD') ?? '';
    const [, name] = /^ref: (\S+)/.exec(words) ?? [];
    return new Refs(name === undefined ? own[view] : shared[view]).idOf(name ?? 'HEAD');
  }

  /**
   * To a commit that existed before, or to one with about as many files: a commit that only removes files is still a
   * removal.
   */
  function hasMovedOn(): boolean {
    const files = countIndex(`${above(gitFolder)}/index`);
    if (files === 0) return false;
    const [was, is] = [headIn('former'), headIn('latter')];
    const isAnother = was !== is && own.former.read('HEAD') !== own.latter.read('HEAD');
    if (isAnother && is !== undefined && openObjects([`${common}/objects`]).has(is)) return true;
    return files * 2 >= countIndex(own.former.at('index') ?? '');
  }

  /** Without a layer, an index that is not replaced yet tells nothing. */
  const isAtWork = () =>
    overlay.lowerOf !== undefined &&
    overlay.lowerOf(`${gitFolder}/index`) === undefined &&
    existsSync(asBytes(`${gitFolder}/index.lock`));

  return {
    path,
    isAtWork,
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
      if (overlay.lowerOf !== undefined && overlay.lowerOf(`${gitFolder}/index`) === undefined)
        return isAtWork();
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
  // Some gits store no fractions of seconds, and Node's times are exact to a millisecond.
  return mtimeNanos === 0 || Math.abs((stat.mtimeMs % 1000) - mtimeNanos / 1e6) < 1;
}

/** The `.git` of a worktree or submodule is a file with the path of the folder. */
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
