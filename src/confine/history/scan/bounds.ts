import { parentOf } from '../seen.ts';

/** What of a folder is looked at: so many entries, whatever somebody unpacked there. */
export interface Bounds {
  /** Counts an entry of this look; says whether it is looked at. */
  take(path: string): boolean;
  /** Is what lies in this folder left out? '' is the folder itself: then nothing is looked at. */
  leavesOut(folder: string): boolean;
  /** Folders that hold too many, or '' for all. Once left out they stay so: what was missed cannot be told from what is new. */
  readonly leftOut: ReadonlySet<string>;
  /** Begins another look. */
  begin(): void;
  /** The same bounds for a look at a part, whose paths begin there. */
  below(folder: string): Omit<Bounds, 'below'>;
}

export interface BoundsOptions {
  /** Of all that lies below. */
  readonly maxEntries: number;
  /** Of one folder alone: rather that folder is left out than everything. */
  readonly maxInFolder: number;
}

/** A look keeps some 1.4 KB and takes some 40 µs for each entry that is new. */
export const usualBounds: BoundsOptions = { maxEntries: 200_000, maxInFolder: 50_000 };

export function createBounds({ maxEntries, maxInFolder }: BoundsOptions): Bounds {
  const leftOut = new Set<string>();
  const inFolder = new Map<string, number>();
  let total = 0;

  function leavesOut(folder: string): boolean {
    if (leftOut.size === 0) return false;
    for (let above = folder; above !== ''; above = parentOf(above)) if (leftOut.has(above)) return true;
    return leftOut.has('');
  }

  function take(path: string): boolean {
    const folder = parentOf(path);
    if (leavesOut(folder)) return false;
    const here = (inFolder.get(folder) ?? 0) + 1;
    inFolder.set(folder, here);
    total += 1;
    if (here > maxInFolder) {
      leftOut.add(folder);
      total -= here;
      return false;
    }
    if (total > maxEntries) leftOut.add('');
    return total <= maxEntries;
  }

  function begin(): void {
    inFolder.clear();
    total = 0;
  }

  return {
    take,
    leavesOut,
    leftOut,
    begin,
    below: (folder) => ({
      take: (path) => take(joined(folder, path)),
      leavesOut: (path) => leavesOut(joined(folder, path)),
      get leftOut() {
        const inside = [...leftOut].filter((path) => path.startsWith(`${folder}/`));
        return new Set(inside.map((path) => path.slice(folder.length + 1)));
      },
      begin,
    }),
  };
}

function joined(folder: string, path: string): string {
  return path === '' || folder === '' ? folder + path : `${folder}/${path}`;
}

/** What a command's reply says of it, in the words of its other notes. */
export function leftOutNotes({ leftOut }: Pick<Bounds, 'leftOut'>, bounds: BoundsOptions): readonly string[] {
  const end =
    'undo does not bring back what commands change there; history.ignore leaves folders out by name';
  if (leftOut.has(''))
    return [`[history: this folder holds more than ${bounds.maxEntries} files and folders; ${end}]\n`];
  return [...leftOut].map(
    (name) => `[history: ${name} holds more than ${bounds.maxInFolder} entries; ${end}]\n`,
  );
}
