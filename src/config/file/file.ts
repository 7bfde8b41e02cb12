import { readFileSync } from 'node:fs';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type * as z from 'zod';
import { ConfigError, oneOf } from '../../contract/error.ts';
import { describeIssue } from '../../contract/text/describe-issue.ts';
import { type Text, text, verbatim } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { isRecord } from '../../ground/is-record.ts';
import { configPathOf } from '../places/state.ts';
import { type ProfileName, profiles } from '../profiles.ts';
import { type ConfigFile, configSchema } from '../schema.ts';
import { hintForKey } from '../servers/client-shapes.ts';
import { parseJsonc } from './jsonc.ts';
import { whyUnreadable } from './why-unreadable.ts';

/** The configuration file as written, validated. */
export interface WrittenConfig {
  readonly path: string;
  readonly file: ConfigFile;
  readonly json: string;
}

/**
 * Combines, by rising precedence: the profile (named by a flag, the project or the file), the file, and the project's
 * own settings; with the places of the rules. A project's rules are added to the person's.
 */
export function configFor(
  { path, file, json }: WrittenConfig,
  profile: string | undefined,
  project: string | undefined,
): { readonly config: ConfigFile; readonly rulesAt: readonly string[] } {
  const own = project === undefined ? undefined : file.projects?.[project];
  const settings = merge(merge(profileOf(profile ?? own?.profile ?? file.profile), file), own ?? {});
  const rules = [...(file.rules ?? []), ...(own?.rules ?? [])];
  const rulesAt = [
    ...(file.rules ? rulePlaces(path, json) : []),
    ...(own?.rules ? rulePlaces(path, json, ['projects', project ?? '', 'rules']) : []),
  ];
  return { config: rules.length === 0 ? settings : { ...settings, rules }, rulesAt };
}

/** Reads the named file, or the person's own. Throws `ConfigError`, naming key and value. */
export function readConfigFile(
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
  home: string,
  cwd: string,
): WrittenConfig {
  // Never searched for in a workspace: a file that tools can write must not decide what tools may do.
  const path = configPathOf(named, environment, home, cwd);
  let words: string;
  try {
    words = readFileSync(path, 'utf8');
  } catch (error) {
    // ENOTDIR: the home of a service account may not be a folder.
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(errnoCode(error) ?? '');
    if (!named && isAbsent) return { path, file: {}, json: '' };
    throw new ConfigError(
      `The configuration file ${path} cannot be read: ${whyUnreadable(error).en}. \`sekisho init\` writes one.`,
      `設定ファイル ${path} を読み込めません: ${whyUnreadable(error).ja}。\`sekisho init\` で作成できます。`,
      { cause: error },
    );
  }
  // Some editors begin a file with a byte order mark.
  const json = words.replace(/^\ufeff/, '');
  const value = parseJsonc(path, json);
  // Parsed once per start: compiling a parser, zod's default, would take longer than parsing.
  const parsed = configSchema.safeParse(value ?? {}, { jitless: true });
  if (parsed.success) return { path, file: parsed.data as ConfigFile, json };
  const problem = describeProblem(parsed.error.issues[0], value);
  throw new ConfigError(`${path}: ${problem.en}`, `${path}: ${problem.ja}`);
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: unknown;
  /** The problems with each alternative of a union. */
  readonly errors?: unknown;
}

/** The best match of a union's alternatives: the one whose first problem is deepest, or that has the fewest. */
function closestOf({ errors }: Problem): Problem | undefined {
  if (!Array.isArray(errors)) return undefined;
  const shapes = errors.toSorted((a: readonly Problem[], b: readonly Problem[]) => a.length - b.length);
  const firsts = shapes.flatMap(([first]: readonly Problem[]) => (first ? [first] : []));
  const [closest] = firsts.toSorted((a, b) => b.path.length - a.path.length);
  return closest && closest.path.length > 0 ? closest : undefined;
}

function describeProblem(issue: Problem | undefined, value: unknown): Text {
  const inner = issue && closestOf(issue);
  if (inner) return describeProblem({ ...inner, path: [...issue.path, ...inner.path] }, value);
  const key = issue?.path.map(String).join('.') ?? '';
  if (Array.isArray(issue?.keys)) {
    const unknown = String(issue.keys[0]);
    const hint = /^(?:mcpServers|servers)\b/.test(key) ? hintForKey(unknown) : verbatim('');
    const name = [key, unknown].filter(Boolean).join('.');
    return text(`${name} is not a setting.${hint.en}`, `${name} という設定はありません。${hint.ja}`);
  }
  let found: unknown = value;
  for (const part of issue?.path ?? []) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, part) : undefined;
  }
  if (key === '')
    return text('the settings must be one JSON object.', '設定は 1 つの JSON オブジェクトで書いてください。');
  if (issue?.code === 'invalid_key')
    return text(`${key} is not a name that can be used here.`, `${key} はここでは名前に使えません。`);
  if (found === undefined) return text(`${key} is missing.`, `${key} がありません。`);
  const got = JSON.stringify(found)?.slice(0, 100);
  const words = describeIssue(issue as z.core.$ZodIssue);
  // Prefer our own message; zod's default messages begin with these words.
  const message = issue?.message ?? '';
  const en = /^(?:Invalid|Too (?:small|big)|Unrecognized)\b/.test(message) ? words.en : message;
  return text(`${key}: ${en}, got ${got}.`, `${key}: ${words.ja}（指定値: ${got}）。`);
}

function profileOf(name: string | undefined): ConfigFile {
  if (name === undefined) return {};
  const known = Object.keys(profiles) as ProfileName[];
  return profiles[oneOf('--profile', name, known)].config as ConfigFile;
}

/** Merges the file's sections into the profile's, one level deep: a profile's layout stays if the file sets a zone. */
function merge(profile: ConfigFile, file: ConfigFile): ConfigFile {
  const merged: Record<string, unknown> = { ...profile };
  for (const [key, value] of Object.entries(file)) {
    const base = merged[key];
    merged[key] = isRecord(base) && isRecord(value) ? { ...base, ...value } : value;
  }
  return merged as ConfigFile;
}

/** The place of each rule under `key` of a configuration file, as `FILE:LINE`, in the file's order. */
export function rulePlaces(
  path: string,
  words: string,
  key: readonly string[] = ['rules'],
): readonly string[] {
  const tree = parseTree(words, [], { allowTrailingComma: true });
  const rules = tree && findNodeAtLocation(tree, [...key]);
  let line = 1;
  let counted = 0;
  return (rules?.children ?? []).map(({ offset }) => {
    line += words.slice(counted, offset).split('\n').length - 1;
    counted = offset;
    return `${path}:${line}`;
  });
}
