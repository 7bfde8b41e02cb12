import { existsSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { readAtNow } from '../../../files/io.ts';
import { isBelow } from '../../../ground/inside.ts';
import { asBytes, fromText, toText } from '../../../ground/machine/byte-paths.ts';
import { statAt } from '../entries.ts';
import type { Overlay } from '../overlay.ts';
import type { Touched } from './collect.ts';
import { createCommitted } from './committed-files.ts';
import { type GitFolder, openGitFolder } from './git-folder.ts';
import { countIndex, type IndexEntry, readIndex } from './git-index.ts';
import { Refs } from './git-names.ts';
import { idOf as objectId, openObjects } from './git-objects.ts';
import { readBounded, withFile } from './read-bounded.ts';

type Repository = ReturnType<typeof openRepository>;

/** Finds the repository of a path: the nearest folder above it that has one, within the overlay. */
export function createRepositories(overlay: Overlay): (path: string) => Repository | undefined {
  const on = fromText(overlay.on);
  return createNearest((folder) => {
    const path = folder === '' ? '.git' : `${folder}/.git`;
    const stat = statAt(`${on}/${path}`);
    const isThere = stat?.isDirectory() === true || stat?.isFile() === true;
    return isThere ? openRepository(overlay, folder, path) : undefined;
  });
}

/** Finds what the nearest folder above a path has. Each folder is looked at once; '' is the outermost. */
export function createNearest<T>(openAt: (folder: string) => T | undefined): (path: string) => T | undefined {
  const known = new Map<string, T | undefined>();
  return function find(path) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (!known.has(folder)) known.set(folder, openAt(folder) ?? (folder === '' ? undefined : find(folder)));
    return known.get(folder);
  };
}

/** A repository before a command and after it. Paths are bytes, one per character. */
function openRepository(overlay: Overlay, folder: string, path: string) {
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
  let isCommitted: ReturnType<typeof createCommitted> | undefined;
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

  /** To a commit that existed before, or one with about as many files: to remove files only is still a removal. */
  function hasMovedOn(): boolean {
    const files = countIndex(`${above(gitFolder)}/index`);
    if (files === 0) return false;
    const [was, is] = [headIn('former'), headIn('latter')];
    const isAnother = was !== is && own.former.read('HEAD') !== own.latter.read('HEAD');
    if (isAnother && is !== undefined && openObjects([`${common}/objects`]).has(is)) return true;
    return files * 2 >= countIndex(own.former.at('index') ?? '');
  }

  /** Is a git at work on the folders themselves, of which only its new index will tell whether it moves on? */
  const isAtWork = (): boolean =>
    overlay.lowerOf !== undefined &&
    overlay.lowerOf(`${gitFolder}/index`) === undefined &&
    existsSync(asBytes(`${gitFolder}/index.lock`));

  return {
    /** Of its `.git`, relative to the overlay's folder. */
    path,
    isAtWork,
    /**
     * Does git have a file's former content, in the index or in a commit that a ref or a reflog leads to? `file` is
     * relative to the overlay's folder, `lower` is the path of the content.
     */
    keeps(file: string, before: Stats, lower = `${on}/${file}`): boolean {
      former ??= indexIn(own.former);
      const id = idOf(former.get(within(file)), before, lower);
      if (id === undefined) return false;
      isCommitted ??= createCommitted(
        openObjects([above(`${common}/objects`), `${common}/objects`]),
        new Refs(shared.latter),
        [headIn('former'), headIn('latter')],
      );
      return isCommitted(within(file), id, latterIndex().get(within(file))?.id);
    },
    /** Did the command check out another commit that has files, and is this file as in that commit? */
    movedOn({ path: file, now }: Pick<Touched, 'path' | 'now'>): boolean {
      // Without a layer, an index that is not replaced yet tells nothing.
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
export function gitFolderOf(path: string, read = readSmall): string {
  const [, where] = /^gitdir: (.+?)\s*$/.exec(read(path)) ?? [];
  return where === undefined ? path : posix.resolve(posix.dirname(path), where);
}

/** The folder that all worktrees of a repository share. */
export function commonFolderOf(gitFolder: string, read = readSmall): string {
  const said = read(`${gitFolder}/commondir`).trim();
  return said === '' ? gitFolder : posix.resolve(gitFolder, said);
}

/** Empty if there is no such file. */
function readSmall(path: string): string {
  return readBounded(path, 4096)?.toString('latin1') ?? '';
}

const mostHashed = 64 * 1024 * 1024;
