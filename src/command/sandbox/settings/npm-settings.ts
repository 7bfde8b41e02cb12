import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUpTo } from './bundle.ts';

/**
 * Writes the harmless part of a person's npm settings for commands: how it installs and reports, its registries and
 * certificate authorities. Leaves out tokens, addresses with a token, folders and programs, and proxies too, since
 * commands have their own. The file takes the place of the machine's settings, so a project's settings override it, as
 * they override a person's. Returns its path as commands see it.
 */
export function writeNpmSettings(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  seenAs: string,
): string {
  const file = personsFile(environment);
  const lines = [...harmlessLines(file)];
  const authorities = authoritiesOf(file);
  if (authorities !== '') {
    writeFileSync(join(folder, 'npm-authorities.pem'), authorities);
    lines.push(`cafile=${join(seenAs, 'npm-authorities.pem')}\n`);
  }
  writeFileSync(join(folder, 'npmrc'), lines.join(''));
  return join(seenAs, 'npmrc');
}

/** The harmless lines of such a file: `key = value` and `key[] = value` with known keys. */
export function harmlessLines(file: string): readonly string[] {
  return settingsIn(file).flatMap(({ key, list, value }) => {
    const passes = isRegistry.test(key) ? isPlainAddress(value) : harmless.has(key) && plain.test(value);
    return passes ? [`${key}${list}=${value}\n`] : [];
  });
}

function settingsIn(file: string) {
  return file.split(/\r?\n/).flatMap((line) => {
    const [, key = '', list = '', value = ''] = /^\s*([@\w.:/-]+)(\[\])?\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return key === '' ? [] : [{ key, list, value: /^"(.*)"$/.exec(value)?.[1] ?? value }];
  });
}

/** `registry`, for a scope too: without it a company's packages would be looked up in the public registry. */
const isRegistry = /^(?:@[\w.-]+:)?registry$/;

/** An address may contain a password, a token in its query, or a variable. */
function isPlainAddress(value: string): boolean {
  return /^https?:\/\/[\w.-]+(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/.test(value) && value.length <= 500;
}

/** Takes only certificates from the file and from files that it names: a private key may be beside them. */
function authoritiesOf(file: string): string {
  const texts = settingsIn(file).map(({ key, value }) => {
    if (key === 'ca') return value.replaceAll('\\n', '\n');
    return key === 'cafile' && value.startsWith('/') ? readUpTo(value, maxAuthoritiesBytes) : '';
  });
  return [...texts.join('\n').matchAll(certificate)].map(([found]) => `${found}\n`).join('');
}

const certificate = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

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
const maxAuthoritiesBytes = 1_048_576;

function personsFile(environment: Readonly<Record<string, string | undefined>>): string {
  const { HOME = '/nonexistent', npm_config_userconfig: named, NPM_CONFIG_USERCONFIG: shouted } = environment;
  return readUpTo(named || shouted || join(HOME, '.npmrc'), maxFileBytes);
}
