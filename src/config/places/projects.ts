import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';

/** The folder that a server serves if none was named, and its project. */
export interface Placement {
  /** The folder to serve, links resolved: the project, the git working tree, or the folder itself. */
  readonly root: string;
  /** The key in `projects` whose settings apply; undefined if the folder is in no project. */
  readonly project?: string | undefined;
  /** The folder that the client works in, links resolved: `root` or below it. */
  readonly startedIn: string;
}

/** Thrown if a server was started in `/`, a home or a system folder that was not named. */
export class UnnamedFolderError extends ConfigError {}

/**
 * Finds the folder to serve for a client that works in `start`. The nearest project that contains it wins; `PARENT/*`
 * makes each folder in PARENT a project. Otherwise the top of git's working tree, to include `.git`, or `start`. A
 * linked worktree is a separate root with the settings of its main working tree. Throws `UnnamedFolderError`.
 */
export function placementOf(projects: readonly string[], start: string, home: string): Placement {
  const startedIn = realpathSync(start);
  const tree = workingTreeOf(startedIn);
  const project = projectOf(projects, startedIn, home);
  if (tree?.mainRoot !== undefined && (!project || isInside(tree.root, project.root))) {
    const main = projectOf(projects, tree.mainRoot, home);
    return { root: tree.root, project: main?.key, startedIn };
  }
  if (project) return { root: project.root, project: project.key, startedIn };
  const root = tree && !isReserved(tree.root, home) ? tree.root : startedIn;
  if (isReserved(root, home)) throw unnamed(startedIn, projects);
  return { root, startedIn };
}

/** The project that contains `folder`, and its root. */
export function projectOf(
  projects: readonly string[],
  folder: string,
  home: string,
): { readonly key: string; readonly root: string } | undefined {
  let nearest: { key: string; root: string } | undefined;
  for (const key of projects) {
    const root = rootIn(folder, pathOfProject(key, home));
    if (root === undefined) continue;
    // A folder's own key wins over a `PARENT/*` for the same folder.
    const isNearer = !nearest || root.length > nearest.root.length;
    if (isNearer || (root === nearest?.root && !isParent(key))) nearest = { key, root };
  }
  return nearest;
}

/** The folder of a key in `projects`, with links resolved if it exists; `PARENT/*` keeps its last part. */
export function pathOfProject(key: string, home: string): string {
  const path = key.replace(/^~(?=\/|$)/, home);
  const named = isParent(path) ? path.slice(0, -2) : path;
  if (!isAbsolute(named || sep) || named.includes('*'))
    throw new ConfigError(
      `projects.${key} must be an absolute path or begin with ~/, and may end in /* for each folder in it.`,
      `projects.${key} は絶対パスか ~/ で始まるパスで指定してください。末尾を /* にすると、その中の各フォルダーを表します。`,
    );
  const real = realPathOf(resolve(named || sep));
  return isParent(path) ? join(real, '*') : real;
}

export function isParent(key: string): boolean {
  return key.endsWith('/*');
}

function rootIn(folder: string, path: string): string | undefined {
  if (!isParent(path)) return isInside(folder, path) ? path : undefined;
  const parent = dirname(path);
  if (folder === parent || !isInside(folder, parent)) return undefined;
  const [first = ''] = folder.slice(parent === sep ? 1 : parent.length + 1).split(sep);
  return join(parent, first);
}

export function realPathOf(path: string): string {
  // It may not exist yet, or be on a disk that is not mounted.
  return orElse(() => realpathSync(path), path);
}

interface WorkingTree {
  readonly root: string;
  /** Of a linked worktree: the main one, if it confirms the link. */
  readonly mainRoot?: string | undefined;
}

/** The git working tree that contains a folder. A submodule belongs to the tree around it. */
function workingTreeOf(folder: string): WorkingTree | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, '.git');
    const kind = statSync(git, { throwIfNoEntry: false });
    if (kind?.isDirectory()) return { root: at };
    if (kind?.isFile()) {
      const mainRoot = mainRootOf(git);
      if (mainRoot !== undefined) return { root: at, mainRoot };
      if (!isSubmodule(git)) return { root: at };
    }
    if (at === dirname(at)) return undefined;
  }
}

function gitFolderIn(file: string): string | undefined {
  const [, named] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8').slice(0, 8192)) ?? [];
  return named === undefined ? undefined : resolve(dirname(file), named.trim());
}

function isSubmodule(file: string): boolean {
  return gitFolderIn(file)?.includes(`${sep}.git${sep}modules${sep}`) === true;
}

/** A workspace's `.git` file proves nothing: the repository must point back to it (gitrepository-layout). */
function mainRootOf(file: string): string | undefined {
  const folder = gitFolderIn(file);
  if (folder === undefined || basename(dirname(folder)) !== 'worktrees') return undefined;
  const common = dirname(dirname(folder));
  const back = join(folder, 'gitdir');
  if (basename(common) !== '.git' || !existsSync(back)) return undefined;
  const pointsBack = realPathOf(resolve(folder, readFileSync(back, 'utf8').trim())) === realPathOf(file);
  return pointsBack ? realPathOf(dirname(common)) : undefined;
}

/** System folders with everything in them; of the top folders only the folder itself. */
const systemFolders = 'bin boot dev etc lib lib32 lib64 libx32 proc sbin sys usr System Library'.split(' ');
const topFolders = 'home media mnt opt root run srv tmp var Users Volumes Applications'.split(' ');

/** Whether it is `/`, a home, or a system folder. Nothing there is served unless a person names it. */
function isReserved(folder: string, home: string): boolean {
  const [first = '', second, third] = folder.split(sep).slice(1);
  if (folder === sep || folder === realPathOf(home)) return true;
  if (systemFolders.includes(first)) return true;
  if (second === undefined) return topFolders.includes(first);
  // Other homes, and the Windows system folder, in which WSL starts programs.
  const isHome = ['home', 'Users'].includes(first) && third === undefined;
  return isHome || (first === 'mnt' && third?.toLowerCase() === 'windows');
}

function unnamed(folder: string, projects: readonly string[]): UnnamedFolderError {
  const known = projects.length === 0 ? undefined : projects.slice(0, 10).join(', ');
  const list: Text = known
    ? text(` Your projects: ${known}.`, ` 登録済みのプロジェクト: ${known}。`)
    : text('', '');
  return new UnnamedFolderError(
    `Started in ${folder}, which is no project. Name the folder with --root PATH, or run \`sekisho init\` in it.${list.en}`,
    `起動したフォルダー ${folder} はプロジェクトではありません。--root PATH でフォルダーを指定するか、そのフォルダーで \`sekisho init\` を実行してください。${list.ja}`,
  );
}
