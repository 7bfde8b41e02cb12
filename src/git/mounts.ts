import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isBelow } from '../ground/inside.ts';
import { orElse } from '../ground/or-else.ts';
import { readConfig } from './config-file.ts';
import { isHarmless } from './harmless-keys.ts';

/** The mounts of a folder's `.git` for commands that may write the folder. */
export interface GitMounts {
  /** Mounted on themselves, so that a command cannot move them aside and make others. */
  readonly itself: readonly string[];
  /** Parts that git runs or follows. */
  readonly readOnly: readonly string[];
}

/**
 * Commands may write objects, references and the index, but only read what git takes programs and other locations from.
 * A missing path cannot be mounted, so it is checked when the command ends.
 */
export function gitMounts(folder: string): GitMounts {
  const git = join(folder, '.git');
  const stat = lstatSync(git, { throwIfNoEntry: false });
  if (stat?.isFile()) return { itself: [], readOnly: [git] };
  if (!stat?.isDirectory()) return { itself: [], readOnly: [] };
  const own = obeyed.map((name) => join(git, name)).filter(isMountable);
  const named = [...namedByConfig(git, folder), realPath(join(git, 'hooks'))];
  const inFolder = named.filter((path) => path !== undefined && isBelow(path, folder)) as readonly string[];
  return { itself: [git], readOnly: [...new Set([...own, ...inFolder])] };
}

const obeyed = [
  ...['config', 'config.worktree', 'hooks', 'commondir', 'remotes', 'branches'],
  ...['info/attributes', 'objects/info/alternates'],
];

function isMountable(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

/** Files and folders of the working tree that a person's configuration names: a hooks folder, a filter, an include. */
function namedByConfig(git: string, folder: string): readonly (string | undefined)[] {
  let content: string;
  try {
    content = readFileSync(join(git, 'config'), 'utf8');
  } catch {
    // Without a configuration, there is nothing that it names.
    return [];
  }
  const harmful = readConfig(content).entries.filter(
    (entry) => !isHarmless(entry) && entry.key !== 'worktree',
  );
  const words = harmful
    .flatMap(({ value }) => value.replace(/^!/, '').split(/\s+/))
    .filter((word) => word !== '');
  return words
    .slice(0, maxWords)
    .flatMap((word) => [folder, git].map((base) => realPath(resolve(base, word))));
}

const maxWords = 64;

function realPath(path: string): string | undefined {
  return orElse(() => realpathSync(path), undefined);
}
