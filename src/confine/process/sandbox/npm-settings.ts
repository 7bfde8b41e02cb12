import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes what of a person's own settings of npm commands are given: how it installs and what it says, never a token, an
 * address, a folder or a program. It stands for the settings of the machine, so those of a project win over it, as they
 * win over a person's. Returns the path of the file, where commands see the folder.
 */
export function writeNpmSettings(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  seenAs: string,
): string {
  writeFileSync(join(folder, 'npmrc'), harmlessLines(personsFile(environment)).join(''));
  return join(seenAs, 'npmrc');
}

/** Lines of such a file that pass: `key = value` and `key[] = value`, of keys that are known. */
export function harmlessLines(file: string): readonly string[] {
  return file.split(/\r?\n/).flatMap((line) => {
    const [, key = '', list = '', value = ''] = /^\s*([\w.-]+)(\[\])?\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return harmless.has(key) && plain.test(value) ? [`${key}${list}=${value}\n`] : [];
  });
}

/** A word, a number, a version or a short text: `${NAME}` would be a variable of the environment. */
const plain = /^[\w .,:+@^~<>=*-]{0,100}$/;

const harmless: ReadonlySet<string> = new Set(
  [
    'audit audit-level bin-links color depth engine-strict foreground-scripts format-package-lock fund',
    'fetch-retries fetch-retry-factor fetch-retry-maxtimeout fetch-retry-mintimeout fetch-timeout maxsockets',
    'git-tag-version tag tag-version-prefix ignore-scripts include omit optional production',
    'init-author-name init-author-email init-license init-private init-type init-version',
    'install-links install-strategy legacy-bundling legacy-peer-deps strict-peer-deps prefer-dedupe',
    'lockfile-version omit-lockfile-registry-resolved package-lock replace-registry-host shrinkwrap',
    'loglevel progress timing unicode update-notifier yes min-release-age',
    'offline prefer-offline prefer-online save save-bundle save-dev save-exact save-optional save-peer save-prefix save-prod',
  ].flatMap((keys) => keys.split(' ')),
);

const maxFileBytes = 65_536;

function personsFile(environment: Readonly<Record<string, string | undefined>>): string {
  const { HOME = '/nonexistent', npm_config_userconfig: named, NPM_CONFIG_USERCONFIG: shouted } = environment;
  const path = named || shouted || join(HOME, '.npmrc');
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= maxFileBytes ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
