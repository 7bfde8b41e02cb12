import { hash } from 'node:crypto';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { posix } from 'node:path';
import { readAtNow } from '../../../files/io.ts';
import { isBelow } from '../../../ground/inside.ts';
import { asBytes } from '../../../ground/machine/byte-paths.ts';
import { orElse } from '../../../ground/or-else.ts';
import { statAt } from '../entries.ts';
import { type GitObjects, idOf, openObjects } from '../losses/git-objects.ts';
import { GitTrees } from '../losses/git-trees.ts';
import { readBounded, withFile } from '../losses/read-bounded.ts';
import { commonFolderOf, createNearest, gitFolderOf } from '../losses/repository.ts';
import { isWhiteout, type Pause } from '../walk.ts';
import type { Makers } from './makers.ts';
import { fetchedIn, idsIn, tipsOf } from './refs.ts';

/** `asked`: a person decides. `never`: no tool writes it, even with approval. */
export type Entry = 'free' | 'asked' | 'never';

export interface GateOptions {
  /** The guarded folder. Paths here are bytes, one per character. */
  readonly on: string;
  /** The command's layer; undefined if it wrote to the folder itself. */
  readonly upper?: string | undefined;
  /** Takes a path below the root. */
  readonly isObeyed: (path: string) => boolean;
  readonly isProtected: (path: string) => boolean;
  readonly makers: Makers;
  /** Did the command only fetch from a remote, and reach it? */
  readonly isFetched: boolean;
  readonly pause: Pause;
}

export type Gate = ReturnType<typeof createGate>;

/** Decides which content may come to paths that editors, agents, shells and git obey. */
export function createGate(options: GateOptions) {
  const { on, upper, isObeyed, isProtected, makers, pause } = options;
  const repositoryOf = createFinder(options);

  async function isKnown(
    path: string,
    { at, stat, former }: { readonly at: string; readonly stat: Stats; readonly former: string | undefined },
  ): Promise<boolean> {
    const host = `${on}/${path}`;
    const isLink = stat.isSymbolicLink();
    const raw = contentId(at, stat);
    if (raw === undefined) return false;
    if (former !== undefined) {
      const was = statAt(former);
      if (was && was.isSymbolicLink() === isLink && contentId(former, was) === raw) return true;
    }
    if (makers.hasStood(host, raw)) return true;
    const repository = repositoryOf(path);
    const blob = repository && contentId(at, stat, repository.digits);
    if (!repository || blob === undefined) return false;
    return isCommitted({ path: path.slice(repository.folder.length), blob, isLink }, repository, pause);
  }

  return {
    /**
     * May this content come to this path? Always if nothing obeys the path, if the same content is or was there, and if a
     * person or a remote committed it at this path. `shown`: the path below the root, as people write it; `path`: the
     * path below the gate's folder; `at`: the path of the content; `former`: the path of the former content, if not below
     * the gate's folder.
     */
    async mayEnter(
      shown: string,
      path: string,
      {
        at,
        stat,
        former,
      }: { readonly at: string; readonly stat: Stats; readonly former?: string | undefined },
    ): Promise<Entry> {
      const isBarred = isProtected(shown);
      if (!isBarred && !isObeyed(shown)) return 'free';
      const before = former ?? (upper === undefined ? undefined : `${on}/${path}`);
      if (await isKnown(path, { at, stat, former: before })) return 'free';
      return isBarred ? 'never' : 'asked';
    },
    /** Could some content come to this path without a question? Yes if one was there before, or others committed one. */
    async hasOthers(path: string): Promise<boolean> {
      if (makers.hasStood(`${on}/${path}`, '')) return true;
      const repository = repositoryOf(path);
      if (!repository) return false;
      return isCommitted({ path: path.slice(repository.folder.length) }, repository, pause);
    },
    /** Notes an entry that a command removes or replaces at such a path. `at`: where to read it, if not there. */
    leaves(path: string, before: Stats, at = `${on}/${path}`): void {
      const content = contentId(at, before);
      if (content === undefined) return;
      makers.stood(`${on}/${path}`, content);
      makers.stood(`${on}/${path}`, '');
    },
    /** Notes the commits that a command made: those that these ref files name now and no ref named before. */
    notesCommits(refFiles: readonly string[]): void {
      const byRepository = Map.groupBy(refFiles, (path) => /^((?:.*?\/)?\.git)\//.exec(path)?.[1] ?? '');
      for (const [git, paths] of byRepository) {
        const idsOf = (folder: string | undefined) => paths.flatMap((path) => idsIn(`${folder}/${path}`));
        const known = git === '' ? undefined : repositoryOf(git)?.tips();
        if (known) makers.changed(upper === undefined ? [] : idsOf(on), idsOf(upper ?? on), known);
      }
    },
  };
}

interface Repository {
  /** The working tree below the gate's folder, with a trailing slash; empty for the folder itself. */
  readonly folder: string;
  /** Of its ids. */
  readonly digits: 40 | 64;
  readonly objects: GitObjects;
  /** Commits that people and remotes made. */
  tips(): ReadonlySet<string>;
}

/** Finds the repository of a path, as a command left it. */
function createFinder({ on, upper, makers, isFetched }: GateOptions) {
  const above = (host: string) =>
    upper !== undefined && isBelow(host, on) ? `${upper}/${posix.relative(on, host)}` : undefined;

  /** Where to read the content of a path; undefined if there is none. */
  function seen(host: string): string | undefined {
    const over = above(host);
    if (over === undefined) return host;
    // A folder above it may have been removed, or replaced by a file.
    return orElse(() => {
      const stat = lstatSync(asBytes(over), { throwIfNoEntry: false });
      if (!stat) return host;
      return isWhiteout(stat) ? undefined : over;
    }, undefined);
  }

  function read(host: string, mostBytes = 8192): string {
    const at = seen(host);
    return at === undefined ? '' : (readBounded(at, mostBytes)?.toString('latin1') ?? '');
  }

  function isFolder(host: string): boolean {
    const at = seen(host);
    return at !== undefined && statAt(at)?.isDirectory() === true;
  }

  function commonOf(git: string): string | undefined {
    const folder = gitFolderOf(git, read);
    return folder === git && !isFolder(git) ? undefined : commonFolderOf(folder, read);
  }

  /** The commits of others that refs named before the command. */
  function othersIn(common: string): readonly string[] {
    return [...tipsOf(common)].filter((id) => !makers.isCommands(id));
  }

  function open(folder: string, common: string): Repository {
    const config = read(`${common}/config`, 1024 * 1024);
    const over = above(common);
    const objects = openObjects([...(over === undefined ? [] : [`${over}/objects`]), `${common}/objects`]);
    let tips: Set<string> | undefined;
    return {
      folder: folder === '' ? '' : `${folder}/`,
      digits: /objectformat\s*=\s*sha256/i.test(config) ? 64 : 40,
      objects,
      tips() {
        if (tips) return tips;
        tips = new Set([...othersIn(common), ...makers.others()]);
        const isNew = over !== undefined && !statAt(common);
        // A repository cloned from another one below the same folder has the commits of that one.
        for (const [, path = ''] of isNew ? config.matchAll(/^\s*url\s*=\s*"?(\/[^"\n]*)/gm) : []) {
          const source = commonOf(`${path}/.git`) ?? path;
          if (isBelow(source, on)) for (const id of othersIn(source)) tips.add(id);
        }
        if (isFetched && over !== undefined)
          for (const id of isNew ? tipsOf(over) : fetchedIn(over)) if (!makers.isCommands(id)) tips.add(id);
        return tips;
      },
    };
  }

  return createNearest((folder) => {
    const common = commonOf(folder === '' ? `${on}/.git` : `${on}/${folder}/.git`);
    return common === undefined ? undefined : open(folder, common);
  });
}

/** A blob to look for at a path of a repository, as a file or as a link; without a blob, anything at that path. */
interface Wanted {
  /** Bytes, one per character. */
  readonly path: string;
  readonly blob?: string;
  readonly isLink?: boolean;
}

/**
 * Is it in one of these commits or their ancestors? Each object is checked against its id, so that a forged one does
 * not count. The newest commits come first, up to some thousands.
 */
async function isCommitted(
  { path, blob, isLink = false }: Wanted,
  { objects, tips }: { readonly objects: GitObjects; readonly tips: () => Iterable<string> },
  pause: Pause,
): Promise<boolean> {
  const trees = new GitTrees(objects);
  for (const { tree } of trees.history(tips(), mostCommits)) {
    const pausing = pause();
    if (pausing) await pausing;
    const entry = trees.at(tree, path);
    if (!entry) continue;
    if (blob === undefined) return true;
    if (entry.id === blob && (isLink ? entry.mode === '120000' : entry.mode.startsWith('100'))) return true;
  }
  return false;
}

/** git's id of a content, with that number of digits, or its plain digest; undefined if it is not readable. */
function contentId(path: string, stat: Stats, digits?: 40 | 64): string | undefined {
  const digest = (content: Buffer) =>
    digits === undefined ? hash('sha256', content) : idOf({ type: 'blob', content }, digits);
  if (stat.isSymbolicLink()) return digest(readlinkSync(asBytes(path), { encoding: 'buffer' }));
  return withFile(path, (fd, size) => (size > mostBytes ? undefined : digest(readAtNow(fd, 0, size))));
}

const mostBytes = 16 * 1024 * 1024;
const mostCommits = 3000;
