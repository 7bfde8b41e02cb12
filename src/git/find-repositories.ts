import { spawn } from 'node:child_process';
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { asBytes, toText } from '../ground/machine/byte-paths.ts';
import { orElse } from '../ground/or-else.ts';

/* Paths here are bytes, one per character. */

export interface Found {
  /** Folders that git takes for a repository, or would once their other parts exist. */
  readonly gitFolders: readonly string[];
  /** `.git` as a file that names a folder, or as a link. */
  readonly pointers: readonly string[];
}

/** Everything below a folder that git could take for a repository. Follows no link. */
export async function findRepositories(folder: string): Promise<Found> {
  const names =
    walkSmall(folder) ?? (await walkByFind(folder)) ?? walk(folder, Number.POSITIVE_INFINITY) ?? [];
  return repositoriesOf(names);
}

/** The possible repositories among these names. */
export function repositoriesOf(names: readonly Named[]): Found {
  const gitFolders = new Set<string>();
  const pointers: string[] = [];
  for (const { path, isFolder } of names) {
    if (!/\/\.git$/i.test(path)) {
      // A folder with a HEAD is a bare repository, or becomes one.
      gitFolders.add(path.slice(0, path.lastIndexOf('/')));
    } else if (isFolder) {
      for (const inner of [path, ...innerFolders(path)]) gitFolders.add(inner);
    } else {
      pointers.push(path);
    }
  }
  return { gitFolders: [...gitFolders], pointers };
}

/** Folders of submodules and linked worktrees inside `.git`, at any depth. */
export function innerFolders(gitFolder: string): string[] {
  const found: string[] = [];
  for (const { name } of foldersIn(`${gitFolder}/worktrees`)) found.push(`${gitFolder}/worktrees/${name}`);
  // The name of a submodule may contain slashes, and a submodule may have its own.
  const open = [`${gitFolder}/modules`];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = entriesIn(folder);
    const isGit = entries.some(({ name }) => name === 'HEAD');
    if (isGit) found.push(folder);
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      if (isGit && ownFolders.has(name)) continue;
      open.push(`${folder}/${name}`);
    }
  }
  return found;
}

/** Large folders of a repository that contain no other. */
const ownFolders: ReadonlySet<string> = new Set(['objects', 'refs', 'logs', 'hooks', 'info', 'lfs']);

/** A `.git`, or a HEAD, by its path. */
export interface Named {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Synchronously for a small tree: starting a process takes longer. */
function walkSmall(folder: string): Named[] | undefined {
  return walk(folder, smallEntries);
}

const smallEntries = 1500;

function walk(folder: string, maxEntries: number): Named[] | undefined {
  const found: Named[] = [];
  const open = [folder];
  let entries = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of entriesIn(at)) {
      if (++entries > maxEntries) return undefined;
      const path = `${at}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (isGitName(entry.name)) found.push({ path, isFolder });
      else if (isFolder) open.push(path);
      if (entry.name === 'HEAD') found.push({ path, isFolder });
    }
  }
  return found;
}

// On a case-insensitive file system, git ignores case, too.
function isGitName(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === '.git';
}

async function walkByFind(folder: string): Promise<Named[] | undefined> {
  if (finder === undefined) return undefined;
  const wanted = ['(', '-iname', '.git', '-prune', '-o', '-name', 'HEAD', ')', '-printf', '%y%p\\0'];
  const output = await outputOf(finder, [toText(folder), ...wanted]);
  return output
    ?.split('\0')
    .filter((line) => line !== '')
    .map((line) => ({ path: line.slice(1), isFolder: line.startsWith('d') }));
}

const finder = ['/usr/bin/find', '/bin/find'].find((path) => existsSync(path));

/** Undefined unless it is GNU find. */
function outputOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { LC_ALL: 'C' } });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', () => resolve(undefined));
    // Code 1: something vanished or is unreadable, but the rest was searched; in busybox, unknown options.
    child.on('close', (code) =>
      resolve(
        code === 0 || (code === 1 && chunks.length > 0)
          ? Buffer.concat(chunks).toString('latin1')
          : undefined,
      ),
    );
  });
}

function foldersIn(folder: string): Dirent[] {
  return entriesIn(folder).filter((entry) => entry.isDirectory());
}

/** Empty if the folder is gone or unreadable. */
export function entriesIn(folder: string): Dirent[] {
  return orElse(
    () => readdirSync(asBytes(folder), { withFileTypes: true, encoding: 'latin1' }) as unknown as Dirent[],
    [],
  );
}
