import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from '../../contract/text/text.ts';
import { searchPath } from '../sandbox/search-path.ts';
import { type Collection, createCollection, type LeftOut, type ToolFolder } from './collection.ts';
import type { MetLink } from './follow.ts';
import { type FoundToolchain, takeHomes, toldVariables } from './from-homes.ts';
import { takeSearchPath } from './from-path.ts';
import { versionFiles } from './known.ts';
import { createProver, isShared } from './prove.ts';

/** A command's variables and search path for programs. */
export interface CommandTools {
  readonly variables: Readonly<Record<string, string>>;
  /** The folders to search for programs. */
  readonly path: readonly string[];
}

/** The person's toolchains that commands get. */
export interface Toolchains extends CommandTools {
  readonly found: readonly FoundToolchain[];
  readonly leftOut: readonly LeftOut[];
  readonly folders: readonly ToolFolder[];
  readonly links: readonly MetLink[];
  /** Paths in a root that contains the home folder: read-only for commands, as the next shell runs their programs. */
  readonly inRoots: readonly string[];
}

export interface FindOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** With all their names. */
  readonly roots: readonly string[];
  /** Paths that the operator lists as readable. */
  readonly readable?: readonly string[] | undefined;
  /** The server's records and configuration, which no toolchain shows. */
  readonly own?: readonly string[] | undefined;
}

/** Finds toolchains by their variables, usual paths and PATH. Reads names, links, modes and scripts' first lines. */
export function findToolchains({ environment, roots, readable = [], own = [] }: FindOptions): Toolchains {
  const { HOME: home, PATH: path = '' } = environment;
  const collection = createCollection(createProver({ home, roots, readable, own }));
  const homes = takeHomes(collection, environment);
  const searched = takeSearchPath(collection, searchPath(path), home);
  takeVersionFiles(collection, roots);
  for (const entry of path === '' ? [] : path.split(':')) {
    if (entry === '') collection.leaveOut(entry, empty);
    else if (!/^\/./.test(entry)) collection.take(entry);
  }
  return {
    ...homes,
    leftOut: collection.leftOut,
    folders: collection.folders,
    links: collection.links(),
    path: searched,
  };
}

/** Without a sandbox the whole machine is visible, and the server's own settings apply. */
export function withoutWalls(environment: FindOptions['environment']): CommandTools {
  return { path: searchPath(environment.PATH), variables: toldVariables(environment) };
}

const empty = text(
  'an empty entry of PATH is the folder where a command runs',
  'PATH の空の要素は、コマンドを実行するフォルダーを指します',
);

/** Version managers search a folder and those above it for the file with the version: takes those above the roots. */
function takeVersionFiles(collection: Collection, roots: readonly string[]): void {
  const above = new Set<string>();
  for (const root of roots) {
    for (let folder = dirname(root); folder !== '/'; folder = dirname(folder)) above.add(folder);
  }
  for (const folder of [...above].slice(0, mostFolders)) {
    if (!existsSync(folder) || isShared(statSync(folder))) continue;
    for (const name of versionFiles) {
      const path = join(folder, name);
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) collection.take(path);
    }
  }
}

const mostFolders = 32;
