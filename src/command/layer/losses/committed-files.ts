import type { Refs } from './git-names.ts';
import type { GitObjects } from './git-objects.ts';
import { GitTrees } from './git-trees.ts';

/**
 * Decides whether git can find a file's former content: in the index, or in a commit that a ref or a reflog leads to.
 */
export class CommittedFiles {
  readonly #objects: GitObjects;
  readonly #trees: GitTrees;
  readonly #refs: Refs;
  readonly #heads: readonly (string | undefined)[];
  #roots: ReadonlySet<string> | undefined;
  #searches = 0;

  constructor(objects: GitObjects, refs: Refs, heads: readonly (string | undefined)[]) {
    this.#objects = objects;
    this.#trees = new GitTrees(objects);
    this.#refs = refs;
    this.#heads = heads;
  }

  /** `staged`: the blob in the index at that path. */
  has(path: string, blob: string, staged: string | undefined): boolean {
    if (!this.#objects.has(blob)) return false;
    // git packs only objects that something leads to.
    if (staged === blob || !this.#objects.isLoose(blob)) return true;
    return (
      this.#latest()
        .values()
        .some((tree) => this.#isAt(tree, path, blob)) || this.#isInHistory(path, blob)
    );
  }

  #isAt(tree: string, path: string, blob: string): boolean {
    return this.#trees.at(tree, path)?.id === blob;
  }

  #tips(): readonly string[] {
    const heads = this.#heads.flatMap((id) => id ?? []);
    return [...new Set([...heads, ...this.#refs.logged().slice(-mostLogged), ...this.#refs.tips()])];
  }

  /** The trees of the commits that refs and reflogs name, and of those that make up a stash. */
  #latest(): ReadonlySet<string> {
    this.#roots ??= new Set(
      this.#tips().flatMap((tip) => {
        const commit = this.#trees.commit(tip);
        const parts = commit && commit.parents.length > 1 ? commit.parents : [];
        return [commit, ...parts.map((part) => this.#trees.commit(part))].flatMap((each) => each?.tree ?? []);
      }),
    );
    return this.#roots;
  }

  /** Searches older commits, the newest first, for a limited number of files. */
  #isInHistory(path: string, blob: string): boolean {
    if (this.#searches >= mostSearches) return false;
    this.#searches += 1;
    return this.#trees.history(this.#tips(), mostCommits).some(({ tree }) => this.#isAt(tree, path, blob));
  }
}

const mostLogged = 200;
const mostSearches = 25;
const mostCommits = 1000;
