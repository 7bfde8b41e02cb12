import type { GitObjects } from '../losses/git-objects.ts';
import { GitTrees } from '../losses/git-trees.ts';
import type { Pause } from '../pauses.ts';

/** A blob to look for at a path of a repository, as a file or as a link; without a blob, anything at that path. */
export interface Wanted {
  /** Bytes, one per character. */
  readonly path: string;
  readonly blob?: string;
  readonly isLink?: boolean;
}

/**
 * Is it in one of these commits or their ancestors? Each object is checked against its id, so that a forged one does
 * not count. The newest commits come first, up to some thousands.
 */
export async function isCommitted(
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

const mostCommits = 3000;
