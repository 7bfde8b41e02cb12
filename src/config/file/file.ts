import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../contract/error.ts';
import { profiles } from '../profiles.ts';
import { type ConfigFile, configSchema } from '../schema.ts';
import { hintForKey } from '../servers/client-shapes.ts';
import { configFolderOf } from '../state.ts';
import { parseJsonc } from './jsonc.ts';
import { whyUnreadable } from './why-unreadable.ts';

/** The file, checked, over the profile that a flag or the file names. Throws `ConfigError`, naming key and value. */
export function readConfig(
  named: { readonly config?: string | undefined; readonly profile?: string | undefined },
  environment: NodeJS.ProcessEnv,
  home: string,
  cwd: string,
): ConfigFile {
  const file = readConfigFile(named.config, environment, home, cwd);
  return merge(profileOf(named.profile ?? file.profile), file);
}

function readConfigFile(
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
  home: string,
  cwd: string,
): ConfigFile {
  // Never looked for in a workspace: a file that a tool can write must not decide what tools may do.
  const path = named ? resolve(cwd, named) : join(configFolderOf(environment, home), 'sekisho.jsonc');
  let words: string;
  try {
    words = readFileSync(path, 'utf8');
  } catch (error) {
    // ENOTDIR: the home folder is none, as that of service accounts.
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!named && isAbsent) return {};
    throw new ConfigError(
      `The configuration file ${path} cannot be read: ${whyUnreadable(error)}. \`sekisho init\` writes one.`,
      { cause: error },
    );
  }
  // Some editors begin a file with a byte order mark.
  const value = parseJsonc(path, words.replace(/^\ufeff/, ''));
  const parsed = configSchema.safeParse(value ?? {});
  if (parsed.success) return parsed.data as ConfigFile;
  throw new ConfigError(`${path}: ${describeProblem(parsed.error.issues[0], value)}`);
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: unknown;
  /** Of a value that may have several shapes: what is wrong with each. */
  readonly errors?: unknown;
}

/** Of several shapes the one that the value comes closest to: whose first mistake lies deepest. */
function closestOf({ errors }: Problem): Problem | undefined {
  if (!Array.isArray(errors)) return undefined;
  const firsts = errors.flatMap(([first]: readonly Problem[]) => (first ? [first] : []));
  const [closest] = firsts.toSorted((a, b) => b.path.length - a.path.length);
  return closest && closest.path.length > 0 ? closest : undefined;
}

function describeProblem(issue: Problem | undefined, value: unknown): string {
  const inner = issue && closestOf(issue);
  if (inner) return describeProblem({ ...inner, path: [...issue.path, ...inner.path] }, value);
  const key = issue?.path.map(String).join('.') ?? '';
  if (Array.isArray(issue?.keys)) {
    const unknown = String(issue.keys[0]);
    const hint = /^(?:mcpServers|servers)\b/.test(key) ? hintForKey(unknown) : '';
    return `${[key, unknown].filter(Boolean).join('.')} is not a setting.${hint}`;
  }
  let found: unknown = value;
  for (const part of issue?.path ?? []) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, part) : undefined;
  }
  if (key === '') return 'the settings must be one JSON object.';
  if (issue?.code === 'invalid_key') return `${key} is not a name that can be used here.`;
  if (found === undefined) return `${key} is missing.`;
  return `${key}: ${issue?.message ?? 'is not valid'}, got ${JSON.stringify(found)?.slice(0, 100)}.`;
}

function profileOf(name: string | undefined): ConfigFile {
  if (name === undefined) return {};
  const known = Object.keys(profiles);
  if (!Object.hasOwn(profiles, name)) {
    throw new ConfigError(`--profile must be one of ${known.join(', ')}, got ${JSON.stringify(name)}.`);
  }
  return profiles[name as keyof typeof profiles].config as ConfigFile;
}

/** The file's sections over the profile's, one level deep: a profile's layout stays when the file sets a zone. */
function merge(profile: ConfigFile, file: ConfigFile): ConfigFile {
  const merged: Record<string, unknown> = { ...profile };
  for (const [key, value] of Object.entries(file)) {
    const base = merged[key];
    merged[key] = isSection(base) && isSection(value) ? { ...base, ...value } : value;
  }
  return merged as ConfigFile;
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
