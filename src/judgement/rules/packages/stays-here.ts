import type { Word } from '../../words/word.ts';
import { byProgram } from './installers.ts';

/** Do its words show that it only removes packages, or uses local ones? */
export function staysHere(program: string, args: readonly Word[]): boolean {
  if (!offline.has(program) || args.some(({ value }) => value === undefined)) return false;
  const words = program === 'uv' && args[0]?.value === 'pip' ? args.slice(1) : args;
  const [verb, ...rest] = words;
  // An option before the subcommand may take it as its value, so it is not certain.
  if (verb?.value === undefined || verb.prefix.startsWith('-')) return false;
  if (/^(uninstall|remove|rm|prune)$/.test(verb.value)) return true;
  if (!installing.test(verb.value)) return false;
  const word = offline.get(program);
  if (word !== undefined && rest.some(({ value }) => value === word)) return true;
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

/** The word that makes a program use local packages, if it has one. */
const offline = byProgram({
  'npm pnpm yarn uv cargo': '--offline',
  'pip pip3': '--no-index',
  'gem bundle': '--local',
  'bun pipx poetry pipenv pdm easy_install go pod composer': undefined,
});
