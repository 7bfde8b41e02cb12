import type { Buffer } from 'node:buffer';
import type { GitObjects } from '../losses/git-objects.ts';
import type { Pause } from '../pauses.ts';

/** A blob to look for at a path of a repository, as a file or as a link; without a blob, anything at that path. */
export interface Wanted {
  /** Bytes, one per character. */
  readonly path: string;
  readonly blob?: string;
  readonly isLink?: boolean;
}

export interface Searched {
  readonly algorithm: 'sha1' | 'sha256';
  readonly objects: GitObjects;
  /** The commits to start from. */
  tips(): Iterable<string>;
}

/**
 * Is it in one of these commits or their ancestors? Each object is checked against its id, so that a forged one does
 * not count. The newest commits come first, up to some thousands.
 */
export async function isCommitted(
  { path, blob, isLink = false }: Wanted,
  { algorithm, objects, tips }: Searched,
  pause: Pause,
): Promise<boolean> {
  const names = path.split('/');
  const idBytes = algorithm === 'sha1' ? 20 : 32;
  const seen = new Set<string>(tips());
  const trees = new Set<string>();
  const waiting = [...seen];

  function isIn(tree: string, depth: number): boolean {
    const key = `${depth} ${tree}`;
    // Most commits leave most folders unchanged.
    if (trees.has(key)) return false;
    trees.add(key);
    const content = objects.read(tree);
    const entry =
      content?.type === 'tree' ? entryIn(content.content, names[depth] ?? '', idBytes) : undefined;
    if (!entry) return false;
    if (depth < names.length - 1) return entry.mode === '40000' && isIn(entry.id, depth + 1);
    if (blob === undefined) return true;
    return entry.id === blob && (isLink ? entry.mode === '120000' : entry.mode.startsWith('100'));
  }

  for (let count = 0; count < waiting.length && count < mostCommits; count++) {
    const pausing = pause();
    if (pausing) await pausing;
    let commit = objects.read(waiting[count] ?? '');
    if (commit?.type === 'tag')
      commit = objects.read(/^object (\w+)$/m.exec(words(commit.content))?.[1] ?? '');
    if (commit?.type !== 'commit') continue;
    const [head = ''] = words(commit.content).split('\n\n', 1);
    if (isIn(/^tree (\w+)$/m.exec(head)?.[1] ?? '', 0)) return true;
    for (const [, parent = ''] of head.matchAll(/^parent (\w+)$/gm))
      if (!seen.has(parent)) {
        seen.add(parent);
        waiting.push(parent);
      }
  }
  return false;
}

function words(content: Buffer): string {
  return content.toString('latin1');
}

/** An entry of a tree is: mode, space, name, NUL and the bytes of the id. */
function entryIn(tree: Buffer, name: string, idBytes: number) {
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0) return undefined;
    if (tree.toString('latin1', space + 1, end) === name)
      return {
        mode: tree.toString('latin1', at, space),
        id: tree.toString('hex', end + 1, end + 1 + idBytes),
      };
    at = end + 1 + idBytes;
  }
  return undefined;
}

const mostCommits = 3000;
