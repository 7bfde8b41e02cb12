import { compileGlob, unicodeClasses } from '../../../ground/glob/match.ts';
import { readBounded } from './read-bounded.ts';

interface Pattern {
  readonly isNegated: boolean;
  readonly onlyFolders: boolean;
  /** Takes a path relative to the folder of the ignore file. */
  readonly fits: (path: string) => boolean;
}

/** Whether git ignores a path below this folder: gitignore(5). Paths are bytes, one per character. */
export function createIgnored(
  top: string,
  isTrusted: (hostPath: string) => boolean,
): (path: string, isFolder: boolean) => boolean {
  const lists = new Map<string, readonly Pattern[]>();
  const known = new Map<string, boolean>();

  function listOf(folder: string): readonly Pattern[] {
    let list = lists.get(folder);
    if (!list) {
      const files = folder === '' ? ['.git/info/exclude', '.gitignore'] : [`${folder}/.gitignore`];
      list = files
        .map((file) => `${top}/${file}`)
        .filter(isTrusted)
        .flatMap((file) => patternsIn(readBounded(file, mostBytes)?.toString('latin1') ?? ''));
      lists.set(folder, list);
    }
    return list;
  }

  function isItself(path: string, isFolder: boolean): boolean {
    const parts = path.split('/');
    // The deepest ignore file decides, and in it the last matching line.
    for (let depth = parts.length - 1; depth >= 0; depth--) {
      const below = parts.slice(depth).join('/');
      const found = listOf(parts.slice(0, depth).join('/')).findLast(
        ({ onlyFolders, fits }) => (isFolder || !onlyFolders) && fits(below),
      );
      if (found) return !found.isNegated;
    }
    return false;
  }

  return function isIgnored(path, isFolder): boolean {
    const before = known.get(path);
    if (before !== undefined) return before;
    const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const answer = (parent !== '' && isIgnored(parent, true)) || isItself(path, isFolder);
    known.set(path, answer);
    return answer;
  };
}

function patternsIn(text: string): readonly Pattern[] {
  return text
    .split('\n')
    .slice(0, mostLines)
    .flatMap((line) => {
      const written = line.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '');
      if (written === '' || written.startsWith('#')) return [];
      const isNegated = written.startsWith('!');
      const plain = isNegated ? written.slice(1) : written;
      const onlyFolders = plain.endsWith('/');
      const pattern = onlyFolders ? plain.slice(0, -1) : plain;
      const isAnchored = pattern.includes('/');
      const glob = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`;
      return [{ isNegated, onlyFolders, fits: compileGlob(glob, { classes: unicodeClasses }) }];
    });
}

const mostBytes = 256 * 1024;
const mostLines = 5000;
