import type { GitFolder } from './git-folder.ts';
import { type GitObjects, idOf } from './git-objects.ts';
import type { GitTrees, TreeEntry } from './git-trees.ts';
import { readBounded } from './read-bounded.ts';

/**
 * Is the content of a stash in a working tree, as after `git stash pop`, or in a commit at the same path? For a text,
 * the lines that the stash added are enough, since they may have been merged.
 */
export function isStashApplied(
  stash: string,
  workingTrees: readonly GitFolder[],
  {
    objects,
    trees,
    tips,
  }: { readonly objects: GitObjects; readonly trees: GitTrees; readonly tips: readonly string[] },
): boolean {
  const commit = trees.commit(stash);
  const [base, , untracked] = (commit?.parents ?? []).map((parent) => trees.commit(parent)?.tree);
  if (!commit || base === undefined) return false;
  const held = trees.differing(commit.tree, base, mostFiles);
  if (untracked !== undefined)
    for (const [path, entry] of trees.differing(untracked, undefined, mostFiles)) held.set(path, entry);
  const committed = tips.slice(0, mostTips).flatMap((tip) => trees.commit(tip)?.tree ?? []);

  function isThere(path: string, { id }: TreeEntry): boolean {
    if (committed.some((tree) => trees.at(tree, path)?.id === id)) return true;
    const files = workingTrees.flatMap((folder) => folder.at(path) ?? []);
    return files.some((file) => {
      const content = readBounded(file, mostBytes);
      return (
        content !== undefined &&
        (idOf({ type: 'blob', content }, id.length) === id || hasAdded(path, id, content))
      );
    });
  }

  function hasAdded(path: string, id: string, content: Buffer): boolean {
    const added = objects.read(id)?.content;
    const former = trees.at(base ?? '', path);
    if (!added || added.includes(0)) return false;
    const known = linesOf((former && objects.read(former.id)?.content) ?? Buffer.alloc(0));
    const now = linesOf(content);
    return [...linesOf(added)].every((line) => known.has(line) || now.has(line));
  }

  return held.size < mostFiles && [...held].every(([path, entry]) => !isFile(entry) || isThere(path, entry));
}

/** Excludes links and submodules. */
function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith('100');
}

function linesOf(text: Buffer): ReadonlySet<string> {
  return new Set(text.toString('latin1').split(/\r?\n/));
}

const mostFiles = 5000;
const mostTips = 200;
const mostBytes = 16 * 1024 * 1024;
