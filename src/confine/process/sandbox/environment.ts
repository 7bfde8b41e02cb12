import type { CommandTools } from '../toolchains/find.ts';
import { certificatesOf } from './settings/certificates.ts';

/** Where a confined command finds what it needs; each backend has its own. */
export interface Places {
  readonly home: string;
  readonly temporary: string;
}

/**
 * The variables that a command sees, built from nothing: a secret in the server's environment reaches no child
 * unless the operator named it.
 */
export function buildEnvironment({
  server,
  allowed,
  places,
  gitConfig,
  toolchains,
  more = {},
}: {
  readonly server: Readonly<Record<string, string | undefined>>;
  /** Names that the operator lets through. */
  readonly allowed: readonly string[];
  readonly places: Places;
  /** What stands for a person's own settings of git. */
  readonly gitConfig: string;
  readonly toolchains: CommandTools;
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
  Object.assign(environment, gitPinned, {
    GIT_CONFIG_SYSTEM: gitConfig,
    HOME: places.home,
    TMPDIR: places.temporary,
    TERM: 'dumb',
    // Pagers wait for a key that nobody presses.
    PAGER: 'cat',
    // Editors wait for keys as well. This one keeps the text as it is, so that git takes the message that it proposes.
    EDITOR: 'true',
    // To a pipe, Python prints nothing until its buffer is full: a command that is watched, or stopped, would have printed nothing.
    PYTHONUNBUFFERED: '1',
  });
  for (const [name, value] of Object.entries(more)) environment[name] = value;
  return environment;
}

// A repository's own config can name programs to run (`core.fsmonitor`, hooks, pagers); these win over it.
const gitPinned = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'core.hooksPath',
  GIT_CONFIG_VALUE_1: '/dev/null',
  GIT_CONFIG_KEY_2: 'core.pager',
  GIT_CONFIG_VALUE_2: 'cat',
};
