import type { GitFolder } from './git-folder.ts';
import type { GitObjects } from './git-objects.ts';
import { createReach } from './git-reach.ts';
import { GitTrees } from './git-trees.ts';

/** A repository, by its common folder, before and after a command. */
export interface NamedRepository {
  readonly former: GitFolder;
  readonly latter: GitFolder;
  /** Paths below its folder of the files that the command changed or took away, and of no folders. */
  readonly touched: readonly string[];
  /** Those that the command took away as well, as far as they can be read. */
  readonly objects: GitObjects;
  /** Did the session itself make the ref of this name? */
  readonly isOurs: (name: string) => boolean;
  /** Is what a stash held in the working tree, or committed? */
  readonly isApplied: (stash: string, trees: GitTrees, tips: readonly string[]) => boolean;
}

/**
 * Names and logs of git that were all that led to a commit or a stash, and that a command took away or set anew, by their
 * paths below the repository's folder. A branch or a tag that is deleted leaves its commits to other refs, or they are lost;
 * one that moves may leave them to a log, as `git commit --amend` does. What only a remote's branch had is the remote's.
 */
export function findLostNames(repository: NamedRepository): readonly string[] {
  const { former, latter, touched, isOurs, isApplied } = repository;
  const trees = new GitTrees(repository.objects);
  const before = new Refs(former);
  const after = new Refs(latter);
  // A stash is soon gone.
  const refsReach = createReach(trees, () => after.tips(after.names().filter((name) => name !== stashRef)));
  const isReached = createReach(trees, () => [...after.tips(), ...after.logged()]);
  const lost: string[] = [];
  /** Did the command put others in the place of its commits, before it took the name away? */
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
    const isKept = isNamed && !isRewritten(was) ? isOurs(name) || refsReach(was) : isReached(was);
    if (!isKept) lost.push(name);
  }

  const since = Date.now() / 1000 - gitKeepsSeconds;
  for (const log of touched.filter((name) => isLog(name) && name !== stashLog)) {
    // What a log says goes with the ref that it is of.
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

/** What the names of a repository stand for. */
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
    return [...new Set([...this.#folder.below('refs'), ...this.#inPacked.keys()])];
  }

  /** What refs and the heads of working trees lead to. */
  tips(names = this.names()): readonly string[] {
    const heads = this.#folder.below('worktrees').filter((name) => name.endsWith('/HEAD') && !isLog(name));
    return [...names, 'HEAD', ...heads].flatMap((name) => this.idOf(name) ?? []);
  }

  logged(): readonly string[] {
    const logs = ['logs', 'worktrees'].flatMap((folder) => this.#folder.below(folder)).filter(isLog);
    return [...new Set(logs.flatMap((log) => idsIn(this.#folder.read(log) ?? '')))];
  }
}

/** Ids of lines of a log that are no longer there; git itself lets go of old ones (git-gc(1)). */
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

/** A line of a log says what its name stood for, and stands for since. */
function idsIn(log: string): readonly string[] {
  const ids = log
    .matchAll(/^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /gm)
    .flatMap(([, was = '', is = '']) => [was, is]);
  return [...new Set(ids)].filter((id) => !/^0+$/.test(id));
}

/** Neither a remote's, nor what git keeps while it is at work, nor a stash. */
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
const gitKeepsSeconds = 29 * 24 * 60 * 60;
