import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * The paths that a proxied server needs in order to run: the operator named them in its command line, so it may read
 * them, with the package of a program. It may write none of them.
 */
export function readableFor(words: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const word of words) {
    if (!isAbsolute(word) || !existsSync(word)) continue;
    for (const path of new Set([word, realpathSync(word)])) found.add(packageOf(path));
  }
  return [...found];
}

const marks = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod'];

function packageOf(path: string): string {
  if (statSync(path).isDirectory()) return path;
  const modules = path.indexOf('/node_modules/');
  // Its dependencies are beside it.
  if (modules > 0) return path.slice(0, modules + '/node_modules'.length);
  let folder = dirname(path);
  for (let level = 0; level < 4 && !isTooWide(folder); level++) {
    if (marks.some((name) => existsSync(join(folder, name)))) return folder;
    folder = dirname(folder);
  }
  return isTooWide(dirname(path)) ? path : dirname(path);
}

/** A home folder or the machine's root contains more than a program. */
function isTooWide(folder: string): boolean {
  return folder === '/' || folder === homedir() || folder === '/home' || folder === '/tmp';
}
