import type { Refs } from './git-names.ts';
import type { GitObjects } from './git-objects.ts';
import { GitTrees } from './git-trees.ts';

/** Whether git can find a blob: in the index (`staged`, at that path), or in a commit of a ref or a reflog. */
export function createCommitted(
  objects: GitObjects,
  refs: Refs,
  heads: readonly (string | undefined)[],
): (path: string, blob: string, staged: string | undefined) => boolean {
  const trees = new GitTrees(objects);
  let known: { readonly tips: readonly string[]; readonly latest: ReadonlySet<string> } | undefined;
  let searches = 0;

  /** The objects that refs and reflogs name, and the trees of these commits and of those that make up a stash. */
  function named() {
    if (known) return known;
    const own = heads.flatMap((id) => id ?? []);
    const tips = [...new Set([...own, ...refs.logged().slice(-mostLogged), ...refs.tips()])];
    const latest = tips.flatMap((tip) => {
      const commit = trees.commit(tip);
      const parts = commit && commit.parents.length > 1 ? commit.parents : [];
      return [commit, ...parts.map((part) => trees.commit(part))].flatMap((each) => each?.tree ?? []);
    });
    known = { tips, latest: new Set(latest) };
    return known;
  }

  return (path, blob, staged) => {
    if (!objects.has(blob)) return false;
    // git packs only objects that something leads to.
    if (staged === blob || !objects.isLoose(blob)) return true;
    const isAt = (tree: string) => trees.at(tree, path)?.id === blob;
    if (named().latest.values().some(isAt)) return true;
    // Searches older commits, the newest first, for a limited number of files.
    searches += 1;
    return (
      searches <= mostSearches && trees.history(named().tips, mostCommits).some(({ tree }) => isAt(tree))
    );
  };
}

const mostLogged = 200;
const mostSearches = 25;
const mostCommits = 1000;
