import type { GitFolder } from './git-folder.ts';
import type { GitObjects } from './git-objects.ts';
import { createReach } from './git-reach.ts';
import { GitTrees } from './git-trees.ts';

/** A repository's common folder before and after a command. */
export interface NamedRepository {
  readonly former: GitFolder;
  readonly latter: GitFolder;
  /** Files that the command changed or removed, relative to the common folder; no folders. */
  readonly touched: readonly string[];
  /** Includes objects that the command removed, as far as they can be read. */
  readonly objects: GitObjects;
  /** Did the session itself make this ref? */
  readonly isOurs: (name: string) => boolean;
  /** Is the content of a stash in the working tree, or committed? */
  readonly isApplied: (stash: string, trees: GitTrees, tips: readonly string[]) => boolean;
}

/**
 * Finds the refs and reflogs that alone led to a commit or a stash, and that a command removed or moved; paths are
 * relative to the repository's folder. The commits of a deleted branch or tag are lost unless other refs lead to them;
 * for a moved one a reflog is enough, as after `git commit --amend`. Commits that only a remote's branch had belong to
 * the remote.
 */
export function findLostNames(repository: NamedRepository): readonly string[] {
  const { former, latter, touched, isOurs, isApplied } = repository;
  const trees = new GitTrees(repository.objects);
  const before = new Refs(former);
  const after = new Refs(latter);
  // A stash does not count: it does not last.
  const refsReach = createReach(trees, () => after.tips(after.names().filter((name) => name !== stashRef)));
  const isReached = createReach(trees, () => [...after.tips(), ...after.logged()]);
  const lost: string[] = [];
  /** Did the command replace its commits by others before it removed the ref? */
  const isRewritten = (id: string) =>
    touched
      .filter((name) => name.endsWith('logs/HEAD'))
      .flatMap((name) => addedTo(former.read(name) ?? '', latter.read(name) ?? ''))
      .some((line) => line.startsWith(`${id} `) && !/^\S+ 0+ |\tcheckout: /.test(line));

  const names = [...touched, ...(touched.includes('packed-refs') ? before.names() : [])];
  for (const name of new Set(names.filter(isOwnRef))) {
    const [was, is] = [before.idOf(name), after.idOf(name)];
    if (was === undefined || was === is) continue;
    const isNamed = is === undefined && /^refs\/(heads|tags)\//.test(name);
    if (is === undefined && idsIn(latter.read(renamedLog) ?? '').includes(was)) continue;
    const isKept = isNamed && !isRewritten(was) ? isOurs(name) || refsReach(was) : isReached(was);
    if (!isKept) lost.push(name);
  }

  const since = Date.now() / 1000 - gitKeepsSeconds;
  for (const log of touched.filter((name) => isLog(name) && name !== stashLog)) {
    // A reflog is removed together with its ref.
    const ref = log.replace(/^((?:worktrees\/[^/]+\/)?)logs\//, '$1');
    if (latter.read(ref) === undefined && after.idOf(ref) === undefined) continue;
    const ids = dropped(former.read(log) ?? '', latter.read(log) ?? '', since);
    if (!ids.every(isReached)) lost.push(log);
  }

  if (touched.includes(stashRef) || touched.includes(stashLog) || names.includes(stashRef)) {
    const stashes = new Set([before.idOf(stashRef) ?? [], idsIn(former.read(stashLog) ?? '')].flat());
    const left = new Set([after.idOf(stashRef) ?? [], idsIn(latter.read(stashLog) ?? '')].flat());
    const gone = [...stashes].filter((id) => !left.has(id));
    if (!gone.every((id) => refsReach(id) || isApplied(id, trees, [...after.tips(), ...after.logged()])))
      lost.push(stashRef);
  }
  return lost;
}

/** Resolves the refs of a repository. */
export class Refs {
  readonly #folder: GitFolder;
  #packed: ReadonlyMap<string, string> | undefined;

  constructor(folder: GitFolder) {
    this.#folder = folder;
  }

  get #inPacked(): ReadonlyMap<string, string> {
    this.#packed ??= new Map(
      (this.#folder.read('packed-refs') ?? '')
        .matchAll(/^([0-9a-f]{40,64}) (\S+)$/gm)
        .map(([, id = '', name = '']) => [name, id]),
    );
    return this.#packed;
  }

  idOf(name: string): string | undefined {
    return /^[0-9a-f]{40,64}/.exec(this.#folder.read(name) ?? '')?.[0] ?? this.#inPacked.get(name);
  }

  names(): readonly string[] {
    const loose = this.#folder.below('refs').filter((name) => !name.endsWith('.lock'));
    return [...new Set([...loose, ...this.#inPacked.keys()])];
  }

  /** The objects that refs and the HEADs of working trees name. */
  tips(names = this.names()): readonly string[] {
    const heads = this.#folder.below('worktrees').filter((name) => name.endsWith('/HEAD') && !isLog(name));
    return [...names, 'HEAD', ...heads].flatMap((name) => this.idOf(name) ?? []);
  }

  logged(): readonly string[] {
    const logs = ['logs', 'worktrees'].flatMap((folder) => this.#folder.below(folder)).filter(isLog);
    return [...new Set(logs.flatMap((log) => idsIn(this.#folder.read(log) ?? '')))];
  }
}

/** Ids in removed lines of a reflog; git itself removes old lines (git-gc(1)). */
function dropped(was: string, is: string, since: number): readonly string[] {
  if (is.startsWith(was)) return [];
  const left = new Set(is.split('\n'));
  const lines = was.split('\n').filter((line) => !left.has(line) && timeOf(line) > since);
  const ids = new Set(idsIn(is));
  return idsIn(lines.join('\n')).filter((id) => !ids.has(id));
}

function addedTo(was: string, is: string): readonly string[] {
  return (is.startsWith(was) ? is.slice(was.length) : is).split('\n');
}

function timeOf(line: string): number {
  return Number(/> (\d+) [+-]\d+(?:\t|$)/.exec(line)?.[1] ?? 0);
}

/** A line of a reflog has the former and the new id of its ref. */
function idsIn(log: string): readonly string[] {
  const ids = log
    .matchAll(/^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /gm)
    .flatMap(([, was = '', is = '']) => [was, is]);
  return [...new Set(ids)].filter((id) => !/^0+$/.test(id));
}

/** Excludes remote refs, git's temporary refs and the stash. */
function isOwnRef(name: string): boolean {
  return /^(worktrees\/[^/]+\/)?(HEAD|refs\/(?!(remotes|pull|changes|merge-requests|prefetch|bisect|rewritten|stash)(\/|$)).+)$/.test(
    name,
  );
}

function isLog(name: string): boolean {
  return /^(worktrees\/[^/]+\/)?logs\/(?!refs\/remotes\/)/.test(name);
}

const stashRef = 'refs/stash';
const stashLog = 'logs/refs/stash';
/** git moves the log of a ref here while it renames the ref, which it deletes first. */
const renamedLog = 'logs/refs/.tmp-renamed-log';
const gitKeepsSeconds = 29 * 24 * 60 * 60;
