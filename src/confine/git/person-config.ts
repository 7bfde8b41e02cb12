import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigEntry, printConfig } from './config-file.ts';
import { isHarmless } from './harmless-keys.ts';

/** What of a person's own settings commands are given: who they are and how their git behaves, never what it runs. */
export interface PersonConfig {
  /** In the form of a configuration file. */
  readonly config: string;
  /** Patterns of files that they never add. */
  readonly ignored: string;
}

/** Asks git itself, in a folder where conditions of the settings may hold. Empty where there is no git. */
export async function readPersonConfig(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PersonConfig> {
  const entries = entriesOf(await listed(folder, environment));
  const kept = entries.filter(
    (entry) => (isHarmless(entry) && !ofRepositories.has(entry.section)) || isOwnership(entry),
  );
  return {
    config: printConfig(kept.filter(({ value }) => !/["\\\0\r\n]/.test(value))),
    ignored: ignoredBy(entries, environment),
  };
}

/** What describes one repository says nothing in the settings of a person. */
const ofRepositories: ReadonlySet<string> = new Set(['extensions', 'remote', 'submodule', 'lfs']);

function isOwnership({ section, subsection, key }: ConfigEntry): boolean {
  return section === 'safe' && subsection === undefined && key === 'directory';
}

function entriesOf(output: string): ConfigEntry[] {
  const fields = output.split('\0');
  const entries: ConfigEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at] !== 'global' && fields[at] !== 'system') continue;
    const [name = '', ...lines] = (fields[at + 1] ?? '').split('\n');
    const parts = name.split('.');
    if (parts.length < 2) continue;
    entries.push({
      section: parts[0] ?? '',
      subsection: parts.length > 2 ? parts.slice(1, -1).join('.') : undefined,
      key: parts.at(-1) ?? '',
      value: lines.length > 0 ? lines.join('\n') : 'true',
    });
  }
  return entries;
}

function listed(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const args = ['-C', folder, 'config', '--list', '--show-scope', '--null'];
  return new Promise((resolve) => {
    execFile('git', args, { env, timeout: 2000, maxBuffer: 1024 * 1024 }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
  });
}

function ignoredBy(
  entries: readonly ConfigEntry[],
  { HOME = '/nonexistent', XDG_CONFIG_HOME }: Readonly<Record<string, string | undefined>>,
): string {
  const named = entries.findLast(({ section, key }) => section === 'core' && key === 'excludesfile')?.value;
  const path =
    named?.replace(/^~(?=\/)/, HOME) ?? join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git/ignore');
  try {
    const patterns = readFileSync(path, 'utf8');
    return patterns.length > 65_536 ? '' : patterns;
  } catch {
    return '';
  }
}
