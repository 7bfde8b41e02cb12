import { text } from '../../../contract/text/text.ts';
import { searchPath } from '../sandbox/search-path.ts';
import { createCollection, type LeftOut, type ToolFolder } from './collection.ts';
import type { MetLink } from './follow.ts';
import { takeVersionFiles } from './from-above.ts';
import { type FoundToolchain, takeHomes, toldVariables } from './from-homes.ts';
import { takeSearchPath } from './from-path.ts';
import { createProver } from './prove.ts';

/** How a command finds the programs. */
export interface CommandTools {
  readonly variables: Readonly<Record<string, string>>;
  /** Where programs are looked for. */
  readonly path: readonly string[];
}

/** What of the person's toolchains commands are given. */
export interface Toolchains extends CommandTools {
  readonly found: readonly FoundToolchain[];
  readonly leftOut: readonly LeftOut[];
  readonly folders: readonly ToolFolder[];
  readonly links: readonly MetLink[];
  /** In a root that holds the home folder: what the person's next shell runs, so commands may not write it. */
  readonly inRoots: readonly string[];
}

export interface FindOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By every name they have. */
  readonly roots: readonly string[];
  /** What commands may read anyway, by the operator's word. */
  readonly readable?: readonly string[] | undefined;
  /** Records and configuration of the server, which no toolchain shows. */
  readonly own?: readonly string[] | undefined;
}

/**
 * Finds them by their variables, in their usual places and by PATH. Starts nothing: it looks at names, links and modes,
 * and at the first lines of scripts.
 */
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

/** Without walls all of the machine is there, and everything is as the server was told. */
export function withoutWalls(environment: FindOptions['environment']): CommandTools {
  return { path: searchPath(environment.PATH), variables: toldVariables(environment) };
}

const empty = text(
  'an empty entry of PATH is the folder where a command runs',
  'PATH の空の要素は、コマンドを実行するフォルダーを指します',
);
