import { posix } from 'node:path';
import { isBelow } from '../../../ground/inside.ts';
import { fromText } from '../../../ground/machine/byte-paths.ts';
import type { Overlay } from '../overlay.ts';
import { lowerPath, type Touched, upperPath } from './collect.ts';
import { type GitFolder, openGitFolder } from './git-folder.ts';
import { readIndex } from './git-index.ts';
import { findLostNames, Refs } from './git-names.ts';
import { type GitObjects, openObjects } from './git-objects.ts';
import { isStashApplied } from './git-stash.ts';
import { GitTrees } from './git-trees.ts';
import { isOverwritten } from './overwritten.ts';
import { readBounded } from './read-bounded.ts';

/** What repositories lost that only git had. Paths are bytes, one per character, as in the overlays. */
export interface GitLosses {
  /** Repositories, by their `.git`, that are removed or lack an essential part. */
  readonly broken: readonly string[];
  /** Refs and reflogs that alone led to a commit or a stash. */
  readonly names: readonly string[];
}

/** `isOurs`: the session itself made it. */
export function findGitLosses(
  touched: readonly Touched[],
  overlay: Overlay,
  isOurs: (path: string) => boolean,
): GitLosses {
  const all = new Map(touched.map((each) => [each.path, each]));
  const byRepository = Map.groupBy(touched, ({ path }) => gitFolderIn.exec(path)?.[1] ?? '');
  const broken: string[] = [];
  const names: string[] = [];
  for (const [path, changes] of byRepository) {
    if (path === '' || isOurs(`${path}/HEAD`)) continue;
    const repository = new TouchedRepository({ path, changes, all, overlay });
    if (repository.isBroken()) broken.push(path);
    else names.push(...repository.lostNames(isOurs));
  }
  return { broken, names };
}

interface Given {
  readonly path: string;
  readonly changes: readonly Touched[];
  /** By path. */
  readonly all: ReadonlyMap<string, Touched>;
  readonly overlay: Overlay;
}

class TouchedRepository {
  readonly #given: Given;
  readonly #folders: readonly [upper: string, on: string];
  readonly #former: GitFolder;
  readonly #latter: GitFolder;

  constructor(given: Given) {
    this.#given = given;
    const { path, overlay, all } = given;
    this.#folders = [`${fromText(overlay.upper)}/${path}/objects`, `${fromText(overlay.on)}/${path}/objects`];
    ({ former: this.#former, latter: this.#latter } = openGitFolder(path, overlay, all));
  }

  /** git's own packing and pruning breaks nothing. */
  isBroken(): boolean {
    const { path: own, changes, all } = this.#given;
    const at = (name: string) => all.get(`${own}/${name}`);
    const head = at('HEAD');
    if (head?.before && !isHead(head)) return true;
    if (['objects', 'refs'].some((name) => isGone(at(name)))) return true;
    const packs = changes.filter(({ path }) => /\/objects\/pack\/[^/]+\.pack$/.test(path));
    const loose = changes.filter(({ path }) => looseObject.test(path));
    // git never rewrites an object.
    if ([...packs, ...loose].some(isSpoilt)) return true;
    const objects = openObjects(this.#folders);
    if (packs.some(isGone) && !packs.some(({ before }) => !before)) return true;
    const missing = new Set(
      loose
        .filter(isGone)
        .map(idOf)
        // An object that is about to go is still there.
        .filter((id) => !objects.hasBesidesLoose(id)),
    );
    return missing.size > 0 && this.#leadsTo(missing, objects);
  }

  lostNames(isOurs: (path: string) => boolean): readonly string[] {
    const { path: own, changes } = this.#given;
    const touched = changes
      // A new ref may stand over a packed one.
      .filter(({ before, now }) => (before ?? now)?.isFile())
      .map(({ path }) => path.slice(own.length + 1));
    const objects = openObjects(this.#folders.toReversed());
    return findLostNames({
      former: this.#former,
      latter: this.#latter,
      touched,
      objects,
      isOurs: (name) => isOurs(`${own}/${name}`),
      isApplied: (stash, trees, tips) =>
        isStashApplied(stash, this.#workingTrees(), { objects, trees, tips }),
    }).map((name) => `${own}/${name}`);
  }

  /**
   * Checks whether the remaining objects lead to a missing one. Only a loose object or a ref leads to a loose object.
   */
  #leadsTo(missing: ReadonlySet<string>, objects: GitObjects): boolean {
    const refs = new Refs(this.#latter);
    const index = readIndex(
      this.#latter.at('index') ?? '',
      missing.values().next().value?.length === 64 ? 32 : 20,
    );
    const waiting = [...refs.tips(), ...refs.logged(), ...[...index.values()].map(({ id }) => id)];
    const trees = new GitTrees(objects);
    const seen = new Set<string>();
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (missing.has(id) || seen.size > mostObjects) return true;
      if (seen.has(id) || !objects.isLoose(id)) continue;
      seen.add(id);
      const commit = trees.commit(id);
      if (commit) waiting.push(commit.id, commit.tree, ...commit.parents);
      else for (const entry of trees.entries(id).values()) waiting.push(entry.id);
    }
    return false;
  }

  /** The working tree around it, its linked worktrees, and a submodule's own. */
  #workingTrees(): readonly GitFolder[] {
    const { path, overlay, all } = this.#given;
    const on = fromText(overlay.on);
    const own = path.endsWith('.git') ? [posix.dirname(path)] : [];
    const module = /^\s*worktree = (.+)$/m.exec(this.#latter.read('config') ?? '')?.[1];
    const linked = this.#latter
      .below('worktrees')
      .filter((name) => name.endsWith('/gitdir'))
      .flatMap((name) => this.#latter.read(name)?.trim() ?? []);
    const hosts = [
      ...linked.map((file) => posix.dirname(file)),
      ...(module === undefined ? [] : [posix.resolve(`${on}/${path}`, module)]),
    ];
    const inside = hosts.filter((host) => isBelow(host, on)).map((host) => posix.relative(on, host));
    return [...own, ...inside].map(
      (folder) => openGitFolder(folder === '.' ? '' : folder, overlay, all).latter,
    );
  }
}

function isGone(change: Touched | undefined): boolean {
  return change !== undefined && change.now === undefined;
}

/** HEAD as git writes it. */
function isHead(head: Touched): boolean {
  return (
    head.now !== undefined &&
    /^(ref: |[0-9a-f]{40})/.test(readBounded(upperPath(head), 4096, false)?.toString('latin1') ?? '')
  );
}

function isSpoilt({ before, now, ...object }: Touched): boolean {
  return (
    before !== undefined &&
    now !== undefined &&
    (before.size !== now.size || isOverwritten(lowerPath(object), before, upperPath(object), now))
  );
}

function idOf({ path }: Touched): string {
  const [, first = '', rest = ''] = looseObject.exec(path) ?? [];
  return first + rest;
}

/** The folder of a repository, or of a submodule in it. */
const gitFolderIn =
  /^((?:.*?\/)?\.git(?:\/modules\/.+?(?=\/(?:HEAD|objects|refs|logs|packed-refs|worktrees|config|index|modules)(?:\/|$)))*)(?:\/|$)/;
const looseObject = /\/objects\/([0-9a-f]{2})\/([0-9a-f]{38,62})$/;
const mostObjects = 100_000;
