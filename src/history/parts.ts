/** A folder divided into parts of similar size, so that several processors can look at it. */
export interface Parts {
  /** Folders whose entries are looked at one by one; the folder itself is ''. */
  readonly opened: ReadonlySet<string>;
  /** Folders that are looked at whole, by part. */
  readonly bins: readonly (readonly string[])[];
}

/**
 * Divides a folder; undefined below `worthEntries`, because a single look is as quick then. `childrenOf` maps folders
 * to their names.
 */
export function divide(
  childrenOf: ReadonlyMap<string, ReadonlySet<string>>,
  isFolder: (path: string) => boolean,
  ways: number,
  worthEntries = 4000,
): Parts | undefined {
  const sizes = new Map<string, number>();
  const total = sizeBelow('', childrenOf, sizes);
  if (total < worthEntries || ways < 2) return undefined;
  const opened = new Set<string>();
  const units: string[] = [];
  const queue = [''];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const inside = [...(childrenOf.get(path) ?? [])].map((name) => (path === '' ? name : `${path}/${name}`));
    const folders = inside.filter(isFolder);
    const isTooLarge = (sizes.get(path) ?? 0) > total / (ways * 2);
    const mayOpen = inside.length <= openEntries && opened.size < openFolders && folders.length > 0;
    if (isTooLarge && mayOpen) {
      opened.add(path);
      queue.push(...folders);
    } else {
      units.push(path);
    }
  }
  if (!opened.has('') || units.length > manyUnits) return undefined;
  const bins = Array.from({ length: ways }, () => ({ entries: 0, units: [] as string[] }));
  for (const unit of units.sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0))) {
    const smallest = bins.reduce((least, bin) => (bin.entries < least.entries ? bin : least));
    smallest.units.push(unit);
    smallest.entries += sizes.get(unit) ?? 1;
  }
  return { opened, bins: bins.map((bin) => bin.units) };
}

function sizeBelow(
  path: string,
  childrenOf: ReadonlyMap<string, ReadonlySet<string>>,
  sizes: Map<string, number>,
): number {
  let size = 1;
  for (const name of childrenOf.get(path) ?? []) {
    size += sizeBelow(path === '' ? name : `${path}/${name}`, childrenOf, sizes);
  }
  sizes.set(path, size);
  return size;
}

const openEntries = 500;
const openFolders = 64;
const manyUnits = 1000;
