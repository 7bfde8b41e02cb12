import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Flags, Settings } from '../../config/settings.ts';
import { configFolderOf, configPathOf, homeOf, stateFolderOf } from '../../config/state.ts';

/** Files outside every root that the server reads at start, each if it exists. */
export interface OwnFiles {
  readonly config: string | undefined;
  readonly variables: string | undefined;
  /** The list of servers that `MCP_CONFIG_PATH` names. */
  readonly servers: string | undefined;
  /** A company's certificate authorities. */
  readonly authorities: string | undefined;
}

export function ownFilesOf(flags: Flags, environment: NodeJS.ProcessEnv): OwnFiles {
  const home = homeOf(environment);
  const there = (path: string | undefined) => (path && existsSync(path) ? resolve(path) : undefined);
  return {
    config: there(configPathOf(flags.config, environment, home, process.cwd())),
    variables: there(flags.envFile ?? join(configFolderOf(environment, home), '.env')),
    servers: there(environment.MCP_CONFIG_PATH),
    authorities: there(environment.NODE_EXTRA_CA_CERTS),
  };
}

/** The state folder, if a flag or the file named one; otherwise a volume has the state. */
export function namedState(
  { stateFolder, roots }: Pick<Settings, 'stateFolder' | 'roots'>,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const usual = stateFolderOf(roots[0]?.path ?? '/', environment, homeOf(environment));
  return stateFolder === usual ? undefined : stateFolder;
}
