import { posix } from 'node:path';
import { isInside } from '../../../ground/inside.ts';
import { orElse } from '../../../ground/or-else.ts';
import { readHead } from '../../unwrap/head.ts';
import { runners } from '../../unwrap/table.ts';
import { operandsOf, subcommandsOf } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';
import type { Scene } from '../rule.ts';
import { isNamedIn, nameIn } from './manifest.ts';

/** Programs that download a package and run it at once: the code is as new as that of an installation. */
export const packageRunners: readonly string[] = [
  ...['npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'bun', 'uvx', 'uv', 'pipx', 'go', 'deno', 'gem'],
  ...['dnx', 'pixi', 'corepack', 'nix', 'mise', 'jbang'],
];

/** Does it download and run a package that the project does not have? */
export function runsNewPackage(program: string, args: readonly Word[], scene: Scene): boolean {
  // Without network access only local programs can run.
  if (scene.confinement?.network.length === 0) return false;
  return packagesOf(program, args).some(
    (word) => !isPath(word) && !(looksHere(program, args) && isHeld(word, scene)),
  );
}

/** The words that name the downloads; empty if the line runs local programs. */
function packagesOf(program: string, given: readonly Word[]): readonly Word[] {
  if (/^(npx|pnpx|bunx|uvx)$/.test(program)) return started(program, given);
  const args = withoutValues(given);
  const verbs = subcommandsOf(args);
  const verb = verbs.find(({ value }) => verbsOf[program]?.test(value ?? ''));
  if (program === 'corepack') return verbs.slice(0, 1).filter(({ prefix }) => prefix.includes('@'));
  if (program === 'dnx') return verbs.slice(0, 1);
  // A script of the project has no version and no address.
  if (program === 'jbang') return operandsOf(args).filter((word) => /@|^https?:/.test(word.prefix));
  if (program === 'deno' && !verb) return operandsOf(args).slice(0, 1).filter(isAddress);
  if (!verb) return [];
  const [first, second] = operandsOf(args.slice(args.indexOf(verb) + 1));
  const operands = [first, second].filter((word) => word !== undefined);
  if (/^(init|innit|create)$/.test(verb.value ?? '')) return operands.slice(0, 1);
  switch (program) {
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'pipx':
      return started(program, args);
    case 'uv':
      // It starts the project's own programs, unless the word is an address.
      return started(program, args, isAddress);
    case 'go':
      // The first word may be an option's value.
      return operands.filter(({ prefix }) => /^[\w.-]+\.\w+\/.*@/.test(prefix));
    case 'mise':
      return operands.filter(({ prefix }) => prefix.includes('@'));
    case 'deno':
      return operands.slice(0, 1).filter(isAddress);
    case 'nix':
      return operands.slice(0, 1).filter(({ prefix }) => !/^[.#]/.test(prefix));
    default:
      return operands.slice(0, 1);
  }
}

/** `pnpm exec` and `yarn exec` find only installed programs. */
const verbsOf: Readonly<Record<string, RegExp>> = {
  npm: /^(exec|x|init|innit|create)$/,
  pnpm: /^(dlx|create)$/,
  yarn: /^(dlx|create)$/,
  bun: /^x$/,
  uv: /^run$/,
  pipx: /^run$/,
  go: /^run$/,
  deno: /^(run|serve|x)$/,
  gem: /^exec$/,
  pixi: /^exec$/,
  mise: /^(exec|x)$/,
  nix: /^(run|shell|develop)$/,
};

/** Options of these programs whose value is the next word, and is no download. */
const takesNext =
  /^(--(prefix|workspace|loglevel|cache|registry|userconfig|filter|dir|cwd|directory|project)|-[CFw])$/;

function withoutValues(args: readonly Word[]): readonly Word[] {
  const takes = (word: Word | undefined) => takesNext.test(word?.value ?? '');
  return args.filter((word, at) => !takes(word) && !takes(args[at - 1]));
}

/** The packages that options name, and the program that a runner starts unless they replace it. */
function started(
  program: string,
  args: readonly Word[],
  isNew: (command: Word) => boolean = () => true,
): readonly Word[] {
  const head = readHead(args, runners.get(program) ?? {});
  if (head.given.some(({ name }) => /^(no|no-install|offline)$/.test(name))) return [];
  const named = head.given.flatMap(({ name, value }) =>
    value && /^(p|package|from|with|spec)$/.test(name) && !(program === 'uvx' && name === 'p') ? [value] : [],
  );
  const replaces = head.given.some(({ name }) => /^(p|package|from|spec)$/.test(name));
  return replaces ? named : [...named, ...head.rest.slice(0, 1).filter(isNew)];
}

/** Does it use an installed package? `dlx`, `create` and the like always download. */
function looksHere(program: string, args: readonly Word[]): boolean {
  return (
    /^(npx|bunx|bun|uv)$/.test(program) ||
    (program === 'npm' &&
      subcommandsOf(withoutValues(args)).some(({ value }) => /^(exec|x)$/.test(value ?? '')))
  );
}

function isPath({ prefix }: Word): boolean {
  return /^\.{0,2}\//.test(prefix);
}

function isAddress({ prefix }: Word): boolean {
  return /^(npm|jsr|https?):/.test(prefix);
}

/** Does the project have this package in the wanted version, by its manifest or `node_modules`? */
function isHeld({ value }: Word, scene: Scene): boolean {
  if (value === undefined) return false;
  const name = nameIn(value);
  if (name === undefined) return false;
  const version = /(?<=.)@(.*)$/.exec(value)?.[1] ?? '';
  return foldersOf(scene).some((folder) => {
    const read = (path: string) => scene.read(posix.join(folder, path));
    const fits = (found: string) =>
      version === '' || found === version || found.startsWith(`${version.replace(/^[\^~]/, '')}.`);
    const installed = parsed(read(`node_modules/${name}/package.json`));
    if (installed) return fits(String(installed.version));
    if (version !== '') return false;
    const isNamed = manifests.some((file) => {
      const text = read(file);
      return text !== undefined && isNamedIn(file, text, name);
    });
    if (isNamed) return true;
    return dependenciesOf(read('package.json')).some((each) => {
      const bin = parsed(read(`node_modules/${each}/package.json`))?.bin;
      return typeof bin === 'object' && bin !== null && Object.hasOwn(bin, name);
    });
  });
}

/** The folders that the command may run in, and those above: Node searches them for packages. */
function foldersOf({ folders, roots }: Scene): readonly string[] {
  const found = new Set<string>();
  for (let folder of folders) {
    while (roots.some((root) => isInside(folder, root))) {
      found.add(folder);
      folder = posix.dirname(folder);
    }
  }
  return [...found];
}

const manifests = ['package.json', 'pyproject.toml', 'requirements.txt', 'requirements-dev.txt'];
const mostDependencies = 300;

function dependenciesOf(manifest: string | undefined): readonly string[] {
  const { dependencies, devDependencies } = parsed(manifest) ?? {};
  return [dependencies, devDependencies]
    .flatMap((section) => Object.keys(Object(section)))
    .slice(0, mostDependencies);
}

function parsed(json: string | undefined): Readonly<Record<string, unknown>> | undefined {
  // The file is half written: treat it as missing.
  return orElse(
    () => (json === undefined ? undefined : (Object(JSON.parse(json)) as Readonly<Record<string, unknown>>)),
    undefined,
  );
}
