import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { orElse } from '../../ground/or-else.ts';

/** The folder of a workspace's records: outside it, so that no tool can reach them (`server.md`, Keeping). */
export function stateFolderOf(rootPath: string, environment: NodeJS.ProcessEnv, home: string): string {
  const digest = createHash('sha256').update(rootPath).digest('hex').slice(0, 12);
  const name =
    basename(rootPath)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 40) || 'root';
  return join(stateBaseOf(environment, home), `${name}-${digest}`);
}

/** The state folders with records of all this user's workspaces, the most recently used first. */
export function stateFoldersOf(environment: NodeJS.ProcessEnv, home: string): readonly string[] {
  const base = stateBaseOf(environment, home);
  if (!existsSync(base)) return [];
  const used = readdirSync(base).flatMap((name) => {
    const stat = statSync(join(base, name, 'sekisho.db'), { throwIfNoEntry: false });
    return stat ? [{ folder: join(base, name), atMs: stat.mtimeMs }] : [];
  });
  return used
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, mostFolders)
    .map(({ folder }) => folder);
}

/** The folder in which clients' hooks find their servers. */
export function hookFolderOf(environment: NodeJS.ProcessEnv, home: string): string {
  return join(stateBaseOf(environment, home), 'hooks');
}

/** The folder of the sockets of resident servers. */
export function residentFolderOf(environment: NodeJS.ProcessEnv, home: string): string {
  return join(stateBaseOf(environment, home), 'resident');
}

/** An empty folder, served if the client works in none that may be served. */
export function nowhereFolderOf(environment: NodeJS.ProcessEnv, home: string): string {
  return join(stateBaseOf(environment, home), 'nowhere', 'empty');
}

function stateBaseOf(environment: NodeJS.ProcessEnv, home: string): string {
  return join(absolute(environment.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'sekisho');
}

const mostFolders = 200;

/** The folder of the operator's own configuration. */
export function configFolderOf(environment: NodeJS.ProcessEnv, home: string): string {
  return join(absolute(environment.XDG_CONFIG_HOME) ?? join(home, '.config'), 'sekisho');
}

/** The configuration file: the named one, else the operator's own; never a workspace's. */
export function configPathOf(
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
  home: string,
  cwd: string,
): string {
  return named ? resolve(cwd, named) : join(configFolderOf(environment, home), 'sekisho.jsonc');
}

/** The person's home, by the system's record if HOME is empty or relative: it would lead into the current folder. */
export function homeOf(environment: NodeJS.ProcessEnv): string {
  return absolute(environment.HOME) ?? recordedHome();
}

function recordedHome(): string {
  // An account without a record, as in a container.
  return orElse(() => absolute(userInfo().homedir) ?? '/', '/');
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
