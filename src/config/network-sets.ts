import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Hosts of a package manager or a service, under one name for lists of hosts. */
export const networkSets: Readonly<Record<string, readonly string[]>> = {
  // node-gyp downloads Node's headers from nodejs.org.
  npm: ['registry.npmjs.org', 'registry.yarnpkg.com', 'repo.yarnpkg.com', 'nodejs.org'],
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  crates: ['index.crates.io', 'static.crates.io', 'crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  rubygems: ['rubygems.org', 'index.rubygems.org'],
  maven: ['repo.maven.apache.org', 'plugins.gradle.org', 'services.gradle.org', 'downloads.gradle.org'],
  github: `github.com api.github.com codeload.github.com objects.githubusercontent.com
    raw.githubusercontent.com release-assets.githubusercontent.com media.githubusercontent.com`.split(/\s+/),
};

/** The files by which a project names packages of a set. */
const manifests: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  pypi: ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
  crates: ['Cargo.toml'],
  go: ['go.mod'],
  rubygems: ['Gemfile'],
  maven: ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
};

/**
 * Sets of hosts from which the project's dependencies are installed. A registry that the project itself names is none of
 * them: whoever wrote the project could read there what a command asks for.
 */
export function registriesOf(folder: string): readonly string[] {
  return Object.entries(manifests).flatMap(([set, files]) =>
    files.some((file) => existsSync(join(folder, file))) ? [set] : [],
  );
}

/** The hosts of a list, with sets expanded. The rest of each set comes last: messages count the file's entries. */
export function hostsOf(entries: readonly string[]): readonly string[] {
  const first = entries.map((entry) => setOf(entry)?.[0] ?? entry);
  const rest = entries.flatMap((entry) => setOf(entry)?.slice(1) ?? []);
  return [...first, ...rest];
}

/** Each set in a list with its hosts, and the list's own hosts under the name of the list. */
export function namedHosts(
  entries: readonly string[],
  key: string,
): readonly { readonly name: string; readonly hosts: readonly string[] }[] {
  const own = entries.filter((entry) => !setOf(entry));
  return [
    ...entries.flatMap((name) => {
      const hosts = setOf(name);
      return hosts ? [{ name, hosts }] : [];
    }),
    ...(own.length > 0 ? [{ name: key, hosts: own }] : []),
  ];
}

function setOf(entry: string): readonly string[] | undefined {
  return Object.hasOwn(networkSets, entry) ? networkSets[entry] : undefined;
}
