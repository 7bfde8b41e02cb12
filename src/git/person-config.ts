import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../ground/or-else.ts';
import { type ConfigEntry, nameOf, printConfig } from './config-file.ts';
import { isAddress, isHarmless } from './harmless-keys.ts';

/** The settings that commands get instead of a person's own. */
export interface GivenConfig {
  /** As a configuration file. */
  readonly config: string;
  /** Patterns of files that they never add. */
  readonly ignored: string;
  /** The global attributes of files. */
  readonly attributes: string;
}

/** The same, and what was left out. */
export interface PersonConfig extends GivenConfig {
  /** Which of `commit` and `tag` the person signs. Commands have no keys. */
  readonly signs: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
  /** Names of settings that commands do not get. */
  readonly leftOut: readonly string[];
}

/**
 * Asks git itself, in a folder to which conditional settings may apply. Empty without git. Filters and merge drivers
 * run in the sandbox; one that cannot fails the command, or git would take the file unfiltered. `overHttps`: hosts that
 * commands reach over https, so no setting leads from there to ssh. `signs`: commands have commits and tags signed.
 */
export async function readPersonConfig(
  folder: string,
  environment: Environment,
  {
    overHttps = [],
    signs = false,
  }: { readonly overHttps?: readonly string[]; readonly signs?: boolean } = {},
): Promise<PersonConfig> {
  const all = scopedEntries(await listed(folder, environment));
  const own = all.filter(({ scope }) => scope === 'global' || scope === 'system').map(({ entry }) => entry);
  const carried = (entry: ConfigEntry) =>
    (isHarmless(entry) && !ofRepositories.has(entry.section)) ||
    isOwnership(entry) ||
    (runsInside(entry) && !(entry.section === 'url' && overHttps.includes(sshHostOf(entry.subsection))));
  const signing = signs ? signingIn(own, environment) : undefined;
  const kept = own.filter((entry) => carried(entry) && !entry.value.includes('\0'));
  const copied = ['excludesfile', 'attributesfile'];
  const left = own.filter(
    (entry) =>
      !(signing && signingKeys.has(nameOf(entry))) &&
      !carried(entry) &&
      !(entry.section === 'core' && copied.includes(entry.key)),
  );
  const everywhere = all.map(({ entry }) => entry);
  return {
    config: printConfig([...kept, ...strictFilters(everywhere), ...(signing?.entries ?? [])]),
    ignored: fileOf(own, 'excludesfile', 'ignore', environment),
    attributes: fileOf(own, 'attributesfile', 'attributes', environment),
    signs: signers.filter((name) => isTrue(everywhere, name, name === 'tag' ? signsTags : ['gpgsign'])),
    aliases: new Map(
      own.flatMap(({ section, subsection, key, value }) =>
        section === 'alias' ? [[subsection ?? key, value] as const] : [],
      ),
    ),
    // An address may contain a password here as well.
    leftOut: [
      ...new Set(left.map((one) => nameOf(one.section === 'url' ? { ...one, subsection: '…' } : one))),
    ],
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a person signs commits and tags; without a key the signature is made for the person's name and address. */
export async function readSigning(folder: string, environment: Environment) {
  const all = scopedEntries(await listed(folder, environment));
  const own = all.filter(({ scope }) => scope === 'global' || scope === 'system');
  return signingIn(
    own.map(({ entry }) => entry),
    environment,
  );
}

function signingIn(own: readonly ConfigEntry[], { HOME = '/nonexistent' }: Environment) {
  const last = (...names: readonly string[]) => own.findLast((entry) => names.includes(nameOf(entry)))?.value;
  const format = last('gpg.format') === 'ssh' ? 'ssh' : 'openpgp';
  const named = last('user.signingkey');
  const literal = /^(?:key::|(?=ssh-))(.+)$/.exec(named ?? '')?.[1];
  const path = named?.replace(/^~(?=\/)/, HOME) ?? '';
  const identity = `${last('user.name') ?? ''} <${last('user.email') ?? ''}>`;
  const publicOf = (file: string) => orElse(() => readFileSync(file, 'utf8').split('\n', 1)[0] ?? '', '');
  const found = [path, `${path}.pub`].map(publicOf).find((line) => isPublicKey.test(line));
  const shown = format === 'openpgp' ? (named ?? identity) : (literal ?? found ?? '').trim();
  const entries = own.flatMap((entry) => {
    const name = nameOf(entry);
    if (!signingKeys.has(name)) return [];
    // Commands do not see the file.
    return [name === 'user.signingkey' && format === 'ssh' ? { ...entry, value: `key::${shown}` } : entry];
  });
  return {
    format,
    /** As git names it in the sandbox. */
    shown,
    key: format === 'openpgp' ? shown : (literal ?? path),
    isLiteral: literal !== undefined,
    program: format === 'ssh' ? last('gpg.ssh.program') : last('gpg.program', 'gpg.openpgp.program'),
    entries,
  };
}

const isPublicKey = /^(?:ssh|ecdsa|sk)-[\w@.-]+ [\w+/]+=*(?: |$)/;
const signingKeys = new Set([
  ...['commit.gpgsign', 'tag.gpgsign', 'tag.forcesignannotated', 'gpg.format', 'user.signingkey'],
]);

const signers = ['commit', 'tag'];
const signsTags = ['gpgsign', 'forcesignannotated'];

function isTrue(entries: readonly ConfigEntry[], name: string, keys: readonly string[]): boolean {
  return keys.some((key) => {
    const last = entries.findLast((entry) => entry.section === name && entry.key === key);
    return last !== undefined && /^(true|yes|on|[1-9]\d*)$/i.test(last.value);
  });
}

/** Settings that describe one repository mean nothing in a person's settings. */
const ofRepositories: ReadonlySet<string> = new Set(['extensions', 'remote', 'submodule', 'lfs']);

function isOwnership({ section, subsection, key }: ConfigEntry): boolean {
  return section === 'safe' && subsection === undefined && key === 'directory';
}

/** Settings by which git converts files and addresses: without them its results would differ from the person's. */
function runsInside({ section, subsection, key, value }: ConfigEntry): boolean {
  if (subsection === undefined) return false;
  if (section === 'filter') return ['clean', 'smudge', 'process', 'required'].includes(key);
  if (section === 'merge') return ['name', 'driver', 'recursive'].includes(key);
  // An address may contain a password.
  const isPlain = (address: string) => isAddress(address) && !/:\/\/[^/]*@/.test(address);
  return section === 'url' && /^(push)?insteadof$/.test(key) && isPlain(subsection) && !value.includes('@');
}

/** The host of an address for ssh, `ssh://git@host:22/` or `git@host:`; empty for any other. */
function sshHostOf(address = ''): string {
  return /^(?:ssh:\/\/(?:[^@/]*@)?|(?!\w+:\/\/)(?:[^@/]*@)?)([^:/@]+)[:/]/.exec(address)?.[1] ?? '';
}

/** Makes each filter required, wherever it is set; a direction that it lacks changes nothing. */
function strictFilters(entries: readonly ConfigEntry[]): readonly ConfigEntry[] {
  const filters = Map.groupBy(
    entries.filter(({ section, subsection }) => section === 'filter' && subsection !== undefined),
    ({ subsection }) => subsection,
  );
  return [...filters].flatMap(([subsection, all]) => {
    const has = (name: string) => (all.findLast(({ key }) => key === name)?.value ?? '') !== '';
    const variable = (key: string, value: string) => ({ section: 'filter', subsection, key, value });
    const isOff = !has('process') && !has('clean') && !has('smudge');
    const missing = isOff || has('process') ? [] : ['clean', 'smudge'].filter((key) => !has(key));
    return isOff ? [] : [...missing.map((key) => variable(key, 'cat')), variable('required', 'true')];
  });
}

function scopedEntries(output: string): { readonly scope: string; readonly entry: ConfigEntry }[] {
  const fields = output.split('\0');
  const entries: { readonly scope: string; readonly entry: ConfigEntry }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', ...lines] = (fields[at + 1] ?? '').split('\n');
    const parts = name.split('.');
    if (parts.length < 2) continue;
    entries.push({
      scope: fields[at] ?? '',
      entry: {
        section: parts[0] ?? '',
        subsection: parts.length > 2 ? parts.slice(1, -1).join('.') : undefined,
        key: parts.at(-1) ?? '',
        value: lines.length > 0 ? lines.join('\n') : 'true',
      },
    });
  }
  return entries;
}

function listed(folder: string, env: Environment): Promise<string> {
  const args = ['-C', folder, 'config', '--list', '--show-scope', '--null'];
  return new Promise((resolve) => {
    execFile('git', args, { env, timeout: 2000, maxBuffer: 1024 * 1024 }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
  });
}

/** A file that the settings name, or that exists at its usual place. */
function fileOf(
  entries: readonly ConfigEntry[],
  variable: string,
  usual: string,
  { HOME = '/nonexistent', XDG_CONFIG_HOME }: Environment,
): string {
  const named = entries.findLast(({ section, key }) => section === 'core' && key === variable)?.value;
  const path =
    named?.replace(/^~(?=\/)/, HOME) ?? join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git', usual);
  return orElse(() => {
    const content = readFileSync(path, 'utf8');
    return content.length > 65_536 ? '' : content;
  }, '');
}
