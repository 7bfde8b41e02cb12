import { resolve } from 'node:path';
import { locales } from '../contract/text/text.ts';
import { shellQuote } from '../ground/shell-quote.ts';
import { homeOf, stateFolderOf } from './places/state.ts';
import type { Flags, Settings } from './settings.ts';

/** Arguments and variables that reproduce the settings. */
export interface Repeated {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Reproduces the settings for a program that another one starts, in another folder and with little environment: every
 * flag as it was meant, with absolute paths, and what the environment determined.
 */
export function repeatSettings(
  flags: Flags,
  settings: Settings,
  environment: NodeJS.ProcessEnv = process.env,
  cwd: string = process.cwd(),
): Repeated {
  const args: string[] = [];
  const add = (flag: string, value: string | undefined) => {
    if (value !== undefined) args.push(flag, value);
  };
  const path = (value: string | undefined) => (value === undefined ? undefined : resolve(cwd, value));
  add('--config', path(flags.config));
  add('--profile', flags.profile);
  // If neither flag nor file names a folder, it followed from the current one, which differs for the other program.
  add('--root', flags.root === undefined ? settings.startedIn : path(flags.root));
  for (const more of flags.allowPath ?? []) add('--allow-path', path(more));
  if (flags.toolsets) add('--toolsets', flags.toolsets.join(','));
  add('--only', flags.only);
  add('--mode', flags.mode);
  add('--sandbox', flags.sandbox);
  add('--env-file', path(flags.envFile));
  for (const kind of flags.allowMime ?? []) add('--allow-mime', kind);
  if (flags.allowExecutable) args.push('--allow-executable');
  add('--state', flags.state === undefined ? movedState(settings, environment) : path(flags.state));
  add('--locale', flags.locale ?? (settings.locale === locales[0] ? undefined : settings.locale));
  return { args, env: variablesOf(environment, cwd) };
}

/** Shell-quoted flags by which another command from the same folder finds what these flags name. */
export function placeFlags({ config, root, state }: Flags, cwd: string = process.cwd()): string {
  const given = Object.entries({ config, root, state });
  return given
    .flatMap(([name, path]) => (path === undefined ? [] : ` --${name} ${shellQuote(resolve(cwd, path))}`))
    .join('');
}

/** The state folder if it depends on a variable that the other program may lack. */
function movedState({ stateFolder, roots }: Settings, environment: NodeJS.ProcessEnv): string | undefined {
  const [root] = roots;
  if (!root || !environment.XDG_STATE_HOME) return undefined;
  return stateFolder === stateFolderOf(root.path, environment, homeOf(environment)) ? stateFolder : undefined;
}

const paths = ['MCP_CONFIG_PATH', 'XDG_CONFIG_HOME'];
const bounds = ['HARD_MAX_CHARS', 'VAULT_SCAN_DEFAULT_CHUNK_LINES', 'VAULT_SCAN_MAX_CHUNK_LINES'];

/** The non-secret variables that affect settings. */
function variablesOf(environment: NodeJS.ProcessEnv, cwd: string): Record<string, string> {
  const given = (name: string): [string, string][] => {
    const value = environment[name];
    return value ? [[name, value]] : [];
  };
  return Object.fromEntries([
    ...paths.flatMap(given).map(([name, value]) => [name, resolve(cwd, value)]),
    ...bounds.flatMap(given),
  ]);
}
