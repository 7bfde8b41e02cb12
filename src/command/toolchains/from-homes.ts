import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import type { Collection } from './collection.ts';
import { clones, type KnownToolchain, knownToolchains, versionVariables } from './known.ts';
import { secretsIn } from './secrets.ts';

export interface FoundToolchain {
  readonly name: string;
  readonly path: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Takes toolchains from their variables, otherwise from their usual paths. */
export function takeHomes(collection: Collection, environment: Environment) {
  const found: FoundToolchain[] = [];
  const inRoots: string[] = [];
  const variables: Record<string, string> = {};
  const { HOME: home } = environment;
  const servedHome = home !== undefined && collection.prove(home).kind === 'seen' ? home : undefined;

  for (const known of knownToolchains) {
    const path = placesOf(known, environment).find((place) => existsSync(join(place, known.mark)));
    if (path === undefined) continue;
    const shown = (known.shown ?? ['.']).filter((name) => existsSync(join(path, name)));
    const verdicts = shown.map((name) => collection.take(join(path, name), secretsOf(known, name)));
    if (!verdicts.some(({ kind }) => kind === 'outside' || kind === 'seen')) continue;
    if (verdicts.some(({ kind }) => kind === 'outside')) {
      // The config file of a clone has no settings that a program would miss.
      const named = (known.secrets ?? []).filter((pattern) => !clones.includes(pattern));
      for (const secret of secretsIn({ real: path, secrets: named })) {
        collection.leaveOut(secret, mayHoldCredentials);
      }
    }
    found.push({ name: known.name, path });
    const [variable] = known.variables;
    if (variable !== undefined && !known.writesThere) variables[variable] = path;
    // In a project a toolchain belongs to the project; in a home folder the person's next shell runs it.
    if (servedHome !== undefined && known.homes.length > 0 && isInside(path, servedHome)) {
      inRoots.push(...verdicts.flatMap((verdict) => (verdict.kind === 'seen' ? [verdict.real] : [])));
    }
  }
  // Login scripts put these two folders into PATH.
  const login = servedHome === undefined ? [] : [join(servedHome, 'bin'), join(servedHome, '.local/bin')];
  for (const folder of login) {
    const verdict = collection.prove(folder);
    if (verdict.kind === 'seen') inRoots.push(verdict.real);
  }
  return { found, inRoots, variables: { ...versionsIn(environment), ...variables } };
}

/** For commands without a sandbox: the server's own variables, unchanged. */
export function toldVariables(environment: Environment): Readonly<Record<string, string>> {
  const names = knownToolchains.flatMap(({ variables }) => variables);
  const told = names.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value.includes('\0') ? [] : [[name, value]];
  });
  return { ...versionsIn(environment), ...Object.fromEntries(told) };
}

/** Its patterns relative to a part of it. */
function secretsOf({ secrets = [] }: KnownToolchain, part: string): readonly string[] {
  if (part === '.') return secrets;
  return secrets.flatMap((pattern) =>
    pattern.startsWith(`${part}/`) ? [pattern.slice(part.length + 1)] : [],
  );
}

const mayHoldCredentials = text('it may contain credentials', '認証情報を含む可能性があります');

function placesOf({ variables, homes }: KnownToolchain, environment: Environment): readonly string[] {
  const { HOME: home = '', XDG_DATA_HOME: data = '' } = environment;
  const told = variables.flatMap((name) => environment[name] ?? []);
  const usual = homes.map((place) =>
    place.startsWith('data:')
      ? join(isAbsolute(data) ? data : join(home, '.local/share'), place.slice('data:'.length))
      : join(home, place),
  );
  return [...told, ...(isAbsolute(home) ? usual : [])].filter(
    (place) => isAbsolute(place) && !place.includes('\0'),
  );
}

function versionsIn(environment: Environment): Readonly<Record<string, string>> {
  const chosen = Object.entries(environment).flatMap(([name, value = '']) =>
    versionVariables.test(name) && /^[\w.:+@-]{1,200}$/.test(value) ? [[name, value]] : [],
  );
  return Object.fromEntries(chosen);
}
