import type { CommandTools } from '../toolchains/find.ts';
import { knownToolchains, versionVariables } from '../toolchains/known.ts';
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
