import { fromText } from '../../../ground/machine/byte-paths.ts';
import { namesAt, statAt } from '../entries.ts';
import type { Overlay } from '../overlay.ts';
import { isWhiteout } from '../walk.ts';
import { lowerPath, type Touched, upperPath } from './collect.ts';
import { readBounded } from './read-bounded.ts';

/** A repository's own folder, or one like it, before a command or after it. */
export type GitFolder = ReturnType<typeof viewOf>;

/** Opens both views of the folder `path`. Paths are bytes, one per character, relative to the overlay's folder. */
export function openGitFolder(
  path: string,
  overlay: Overlay,
  touched: ReadonlyMap<string, Touched> = new Map(),
): { readonly former: GitFolder; readonly latter: GitFolder } {
  const [on, upper] = [fromText(overlay.on), fromText(overlay.upper)];
  const whole = (name: string) => (path === '' ? name : `${path}/${name}`);
  return {
    former: viewOf([`${on}/${path}`], (name) => {
      const touch = touched.get(whole(name));
      const host = `${on}/${whole(name)}`;
      return touch ? touch.before && lowerPath(touch) : (overlay.lowerOf?.(host) ?? host);
    }),
    latter: viewOf([`${upper}/${path}`, `${on}/${path}`], (name) => {
      const touch = touched.get(whole(name));
      if (touch) return touch.now && upperPath(touch);
      const over = `${upper}/${whole(name)}`;
      const stat = statAt(over);
      if (!stat) return `${on}/${whole(name)}`;
      return isWhiteout(stat) ? undefined : over;
    }),
  };
}

function viewOf(folders: readonly string[], at: (name: string) => string | undefined) {
  return {
    /** Path of a file, given its path below the folder; undefined if there is none. */
    at,
    read(name: string) {
      const path = at(name);
      return path === undefined ? undefined : readBounded(path, mostBytes)?.toString('latin1');
    },
    /** The files below one of its folders. */
    below(top: string): readonly string[] {
      const files = new Set<string>();
      const waiting = [top];
      for (let folder = waiting.pop(); folder !== undefined && files.size < mostFiles; folder = waiting.pop())
        for (const name of new Set(folders.flatMap((each) => namesAt(`${each}/${folder}`)))) {
          const inner = `${folder}/${name}`;
          const path = at(inner);
          const stat = path === undefined ? undefined : statAt(path);
          if (stat?.isDirectory()) waiting.push(inner);
          else if (stat?.isFile()) files.add(inner);
        }
      return [...files];
    },
  };
}

const mostBytes = 16 * 1024 * 1024;
const mostFiles = 20_000;
