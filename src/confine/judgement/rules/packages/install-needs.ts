import { operandsOf, subcommandsOf } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';
import type { Need } from '../rule.ts';

/** What a package manager cannot do this without; nothing where it may succeed with what is here. */
export function installNeed(program: string, args: readonly Word[], always: boolean): Need | undefined {
  if (systemManagers.has(program)) return { kind: 'system' };
  const set = sets.find(([programs]) => programs.test(program));
  if (!set || args.some(({ value }) => value === undefined) || staysHere(program, args)) return undefined;
  const [, hosts, offline] = set;
  const bare = program === 'yarn' && operandsOf(args).length === 0;
  const fetches = subcommandsOf(args).some(({ value }) => fetching.test(value ?? ''));
  return always || bare || fetches ? { kind: 'network', hosts, offline } : undefined;
}

/** Does it only take away, or take what is on this machine, as it is told in so many words? */
export function staysHere(program: string, args: readonly Word[]): boolean {
  const set = sets.find(([programs]) => programs.test(program));
  if (!set || args.some(({ value }) => value === undefined)) return false;
  const words = program === 'uv' && args[0]?.value === 'pip' ? args.slice(1) : args;
  const [verb, ...rest] = words;
  // Options before the subcommand may take its name for their value: then it is not told.
  if (verb?.value === undefined || verb.prefix.startsWith('-')) return false;
  if (/^(uninstall|remove|rm|prune)$/.test(verb.value)) return true;
  if (!installing.test(verb.value)) return false;
  const [, , offline] = set;
  if (offline !== undefined && rest.some(({ value }) => value === offline)) return true;
  const operands = rest.filter(({ value }) => !switches.test(value ?? ''));
  return operands.length > 0 && operands.every(isHere);
}

function isHere({ value }: Word): boolean {
  return /^\.{1,2}(\/|\[|$)/.test(value ?? '');
}

/** Options that name nothing to fetch. */
const switches =
  /^(-e|--editable|--path|-q+|-v+|-U|--(quiet|verbose|upgrade|user|no-deps|no-build-isolation|no-cache-dir|force-reinstall|break-system-packages|disable-pip-version-check|root-user-action=ignore))$/;
const installing = /^(i|install|ci|clean-install|add|sync|update|wheel)$/;
const fetching =
  /^(i|in|ins|inst|install|ci|cit|it|ic|clean-install|install-(test|ci-test|clean|all)|add|a|upgrade|update|up|reinstall|download|get|require|req|sync|wheel|binstall|inject|publish|unpublish|deprecate|login|adduser|push|yank)$/;

/** By program: the set of hosts to list, and the word that makes it take what is here. */
const sets: readonly (readonly [RegExp, readonly string[], string | undefined])[] = [
  [/^(npm|pnpm|yarn)$/, ['npm'], '--offline'],
  [/^bun$/, ['npm'], undefined],
  [/^pip3?$/, ['pypi'], '--no-index'],
  [/^uv$/, ['pypi'], '--offline'],
  [/^(pipx|poetry|pipenv|pdm|easy_install)$/, ['pypi'], undefined],
  [/^go$/, ['go'], undefined],
  [/^cargo$/, ['crates'], '--offline'],
  [/^(gem|bundle)$/, ['rubygems.org', 'index.rubygems.org'], '--local'],
  [/^pod$/, ['cdn.cocoapods.org', 'github'], undefined],
  [/^composer$/, ['repo.packagist.org', 'api.github.com', 'codeload.github.com'], undefined],
];

/** They change the system, whose folders commands only read. */
const systemManagers: ReadonlySet<string> = new Set([
  ...['apt', 'apt-get', 'aptitude', 'yum', 'dnf', 'microdnf', 'tdnf', 'zypper', 'apk', 'port', 'snap'],
  ...['dpkg', 'rpm', 'pacman', 'emerge', 'xbps-install', 'xbps-remove', 'apt-mark', 'add-apt-repository'],
]);
