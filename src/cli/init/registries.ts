import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { networkSets } from '../../config/network-sets.ts';
import { ConfigError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** Sets of hosts from which the project's dependencies are installed. */
export function registriesOf(folder: string): readonly string[] {
  return Object.entries(manifests).flatMap(([set, files]) =>
    files.some((file) => existsSync(join(folder, file))) ? [set] : [],
  );
}

const manifests: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  pypi: ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
  crates: ['Cargo.toml'],
  go: ['go.mod'],
};

/** A person's answer: names of sets, or none. Throws `ConfigError` that lists them. */
export function registriesNamed(answer: string): readonly string[] {
  const names = [...new Set(answer.split(/[\s,]+/).filter((name) => name !== ''))];
  if (names.length === 1 && names[0] === noRegistry) return [];
  const unknown = names.find((name) => !Object.hasOwn(networkSets, name));
  if (unknown === undefined) return names;
  const known = [...Object.keys(networkSets), noRegistry];
  throw new ConfigError(
    text(
      `Each must be one of ${known.join(', ')}, got ${JSON.stringify(unknown)}.`,
      `${known.join('、')} のいずれかを指定してください（指定値: ${JSON.stringify(unknown)}）。`,
    ),
  );
}

const noRegistry = 'none';
