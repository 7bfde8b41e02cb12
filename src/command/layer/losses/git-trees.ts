import type { GitObjects } from './git-objects.ts';

export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Seconds since 1970 by the committer's clock. */
  readonly committedAt: number;
}

/** Reads commits and trees of a repository, each tree once. */
export class GitTrees {
  readonly #objects: GitObjects;
  readonly #trees = new Map<string, ReadonlyMap<string, TreeEntry>>();

  constructor(objects: GitObjects) {
    this.#objects = objects;
  }

  /** Resolves a tag to its commit. Undefined if there is no readable commit. */
  commit(id: string): Commit | undefined {
    let object = this.#objects.read(id);
    for (let depth = 0; object?.type === 'tag' && depth < deepestTag; depth++) {
      id = /^object (\w+)$/m.exec(object.content.toString('latin1'))?.[1] ?? '';
      object = this.#objects.read(id);
    }
    if (object?.type !== 'commit') return undefined;
    const [head = ''] = object.content.toString('latin1').split('\n\n', 1);
    return {
      id,
      tree: /^tree (\w+)$/m.exec(head)?.[1] ?? '',
      parents: [...head.matchAll(/^parent (\w+)$/gm)].map(([, parent = '']) => parent),
      committedAt: Number(/^committer .* (\d+) [+-]\d+$/m.exec(head)?.[1] ?? 0),
    };
  }

  /** The commits of these tips and their ancestors, the nearest first, up to `most` objects. */
  *history(tips: Iterable<string>, most: number): Generator<Commit> {
    const seen = new Set(tips);
    let count = 0;
    // Grows while it is walked.
    for (const id of seen) {
      count += 1;
      if (count > most) return;
      const commit = this.commit(id);
      if (!commit) continue;
      yield commit;
      for (const parent of commit.parents) seen.add(parent);
    }
  }

  entries(tree: string): ReadonlyMap<string, TreeEntry> {
    const known = this.#trees.get(tree);
    if (known) return known;
    const object = this.#objects.read(tree);
    const entries = object?.type === 'tree' ? entriesIn(object.content, tree.length / 2) : none;
    this.#trees.set(tree, entries);
    return entries;
  }

  /** Finds the entry of a tree at a path (bytes, one per character). */
  at(tree: string, path: string): TreeEntry | undefined {
    let entry: TreeEntry | undefined = { mode: folderMode, id: tree };
    for (const name of path.split('/'))
      entry = entry?.mode === folderMode ? this.entries(entry.id).get(name) : undefined;
    return entry;
  }

  /** Finds up to `most` files of a tree that differ from another tree. */
  differing(tree: string, other: string | undefined, most: number, folder = ''): Map<string, TreeEntry> {
    const found = new Map<string, TreeEntry>();
    if (tree === other) return found;
    const others = other === undefined ? none : this.entries(other);
    for (const [name, entry] of this.entries(tree)) {
      if (found.size >= most) break;
      const was = others.get(name);
      if (was?.id === entry.id) continue;
      if (entry.mode !== folderMode) found.set(folder + name, entry);
      else
        for (const [path, inner] of this.differing(
          entry.id,
          was?.mode === folderMode ? was.id : undefined,
          most - found.size,
          `${folder}${name}/`,
        ))
          found.set(path, inner);
    }
    return found;
  }
}

/** An entry of a tree is: mode, space, name, NUL and the bytes of the id. */
function entriesIn(tree: Buffer, idBytes: number): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0) break;
    entries.set(tree.toString('latin1', space + 1, end), {
      mode: tree.toString('latin1', at, space),
      id: tree.toString('hex', end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return entries;
}

const none: ReadonlyMap<string, TreeEntry> = new Map();
const folderMode = '40000';
const deepestTag = 10;
