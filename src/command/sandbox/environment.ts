import { realpathSync } from 'node:fs';
import { isInside } from '../../ground/inside.ts';
import { orElse } from '../../ground/or-else.ts';
import type { CommandTools } from '../toolchains/find.ts';
import { toldVariables } from '../toolchains/from-homes.ts';
import { knownToolchains, versionVariables } from '../toolchains/known.ts';
import { searchPath } from './search-path.ts';
import { certificatesOf, certificateVariables } from './settings/certificates.ts';

/** Paths of the files that a confined command needs; they differ by backend. */
export interface Places {
  readonly home: string;
  readonly temporary: string;
}

/** Builds a command's variables from nothing: a secret of the server reaches a child only if the operator named it. */
export function buildEnvironment({
  server,
  allowed,
  places,
  gitConfig,
  toolchains,
  gitSettings = [],
  more = {},
}: {
  readonly server: Readonly<Record<string, string | undefined>>;
  /** Names that the operator allows. */
  readonly allowed: readonly string[];
  readonly places: Places;
  /** Replaces a person's own git settings. */
  readonly gitConfig: string;
  readonly toolchains: CommandTools;
  /** Further settings of git. */
  readonly gitSettings?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly more?: Readonly<Record<string, string>> | undefined;
}): Record<string, string> {
  const environment: Record<string, string> = {
    ...certificatesOf(server).variables,
    ...toolchains.variables,
    PATH: toolchains.path.join(':'),
    LANG: 'C.UTF-8',
  };
  for (const [name, value] of Object.entries(server)) {
    if (value === undefined || value.includes('\0')) continue;
    if (name === 'LANG' || name === 'TZ' || /^LC_[A-Z]+$/.test(name) || allowed.includes(name)) {
      environment[name] = value;
    }
  }
  Object.assign(environment, gitVariables([...gitPinned, ...gitSettings]), {
    GIT_CONFIG_SYSTEM: gitConfig,
    HOME: places.home,
    TMPDIR: places.temporary,
    TERM: 'dumb',
    // A pager would wait for a key forever.
    PAGER: 'cat',
    // An editor would wait too. This one keeps the text, so that git takes its proposed message.
    EDITOR: 'true',
    // Python's output to a pipe is buffered: a command that is watched or stopped would have printed nothing.
    PYTHONUNBUFFERED: '1',
  });
  for (const [name, value] of Object.entries(more)) environment[name] = value;
  return environment;
}

/**
 * The variables of a command outside the sandbox: those by which a person's programs find their home, desktop, agent and
 * toolchains, as they are, and those that the operator allows. Few, because a person reads them.
 */
export function outsideEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  { allowed, roots, isSecret }: OutsideOptions,
): Record<string, string> {
  const names = [...personal, ...allowed, ...Object.keys(server).filter((name) => /^LC_[A-Z]+$/.test(name))];
  const own = { ...certificatesOf(server).variables, ...toldVariables(server) };
  for (const name of names) Object.assign(own, server[name] !== undefined && { [name]: server[name] });
  // The agent could put its own sudo into a folder that it can write.
  const path = searchPath(server.PATH).filter((folder) => {
    const real = orElse(() => realpathSync(folder), folder);
    return !roots.some((root) => isInside(real, root));
  });
  const told = Object.entries({ ...own, PATH: path.join(':'), TERM: 'dumb' });
  return Object.fromEntries(
    told.filter(([, value]) => value.length <= longestShown && !value.includes('\0') && !isSecret?.(value)),
  );
}

interface OutsideOptions {
  /** Names that the operator allows. */
  readonly allowed: readonly string[];
  /** Folders that agents may write. */
  readonly roots: readonly string[];
  /** Does it hold a value that commands get only as a stand-in? */
  readonly isSecret?: ((value: string) => boolean) | undefined;
}

const personal =
  'HOME USER LOGNAME SHELL LANG TZ TMPDIR DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SUDO_ASKPASS'.split(
    ' ',
  );
/** A question leaves out the middle of longer ones. */
const longestShown = 4000;

/** Whether what commands get depends on this variable of the server, without the operator's permission. */
export function reachesCommands(name: string): boolean {
  if (/^(PATH|LANG|TZ|LC_[A-Z]+|GIT_\w+|npm_config_userconfig|NPM_CONFIG_USERCONFIG)$/.test(name))
    return true;
  if (certificateVariables.includes(name) || versionVariables.test(name)) return true;
  return knownToolchains.some(({ variables }) => variables.includes(name));
}

// A repository's own config can name programs to run (`core.fsmonitor`, hooks, pagers); these settings override it.
const gitPinned = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
] as const;

function gitVariables(settings: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const environment: Record<string, string> = {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(settings.length),
  };
  for (const [index, [name, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return environment;
}
