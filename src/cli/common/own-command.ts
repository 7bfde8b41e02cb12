import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { outsideOf } from '../../config/places/outside.ts';
import { realPathOf } from '../../config/places/projects.ts';
import { isInside } from '../../ground/inside.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { isPublished } from './version.ts';

/** How this program was started; a test brings its own. */
export interface Started {
  readonly script: string;
  readonly node: string;
  readonly cwd: string;
  readonly path: string;
  readonly isPublished: boolean;
}

/** For a client in this folder, with these variables. */
export function startedIn(cwd: string, { PATH = '' }: NodeJS.ProcessEnv): Started {
  return { ...started(), cwd, path: PATH };
}

function started(): Started {
  return {
    script: process.argv[1] ?? 'sekisho',
    node: process.execPath,
    cwd: process.cwd(),
    path: process.env.PATH ?? '',
    isPublished: isPublished(),
  };
}

/** The command with which a client starts this program: npx if so started, else its path, for a client's short PATH. */
export function ownCommand(
  args: readonly string[],
  from: Started = started(),
): { readonly command: string; readonly args: readonly string[] } {
  const { node, isPublished } = from;
  const script = lastingScript(from);
  return isPublished && isOfNpx(script)
    ? { command: 'npx', args: ['-y', 'sekisho', ...args] }
    : { command: node, args: [script, ...args] };
}

/** The command that a person types here for this very program: `sekisho`, `npx sekisho`, or the whole path. */
export function ownName(from?: Started): string {
  return (from === undefined && outsideOf()?.name) || nameIn(from ?? started());
}

function nameIn(from: Started): string {
  const project = projectOf(realPathOf(from.script));
  const isInProject = project !== undefined && isInside(resolve(from.cwd), project);
  const name = programIn(from);
  return isInProject && name !== 'sekisho' && !isOfNpx(lastingScript(from)) ? 'npx sekisho' : name;
}

/** The command that works in any folder. */
export function ownProgram(from?: Started): string {
  return (from === undefined && outsideOf()?.program) || programIn(from ?? started());
}

function programIn(from: Started): string {
  const script = lastingScript(from);
  if (isOfNpx(script)) return from.isPublished ? 'npx sekisho' : byPath(from);
  return isOnPath('sekisho', script, from) ? 'sekisho' : byPath(from);
}

/** In a clone, npx makes a link to it in its cache, which the next `npm cache clean` takes away. */
function lastingScript({ script }: Started): string {
  const target = realPathOf(script);
  return isOfNpx(script) && !isOfNpx(target) ? target : script;
}

/** The address of the schema with which editors check `sekisho.jsonc`: the registry's, or the bundled file's. */
export function schemaAddress(): string {
  if (isPublished()) return 'https://unpkg.com/sekisho/docs/sekisho.schema.json';
  return pathToFileURL(join(packageFolder(), 'docs', 'sekisho.schema.json')).href;
}

/** The folder of the package that contains this program. */
export function packageFolder(): string {
  return packageOf(realPathOf(started().script)) ?? process.cwd();
}

function isOfNpx(script: string): boolean {
  return script.includes(`${sep}_npx${sep}`);
}

/** An older Node on the PATH would not start it. */
function byPath(from: Started): string {
  const node = isOnPath('node', from.node, from) ? 'node' : shellQuote(from.node);
  return `${node} ${shellQuote(lastingScript(from))}`;
}

/** Whether that name on the PATH starts this file. */
function isOnPath(name: string, file: string, { path }: Started): boolean {
  const places = path.split(delimiter).map((folder) => join(folder, name));
  // npm adds its own folders to the PATH while it runs.
  const found = places.find(
    (each) => !each.includes(`${join('node_modules', '.bin')}${sep}`) && existsSync(each),
  );
  return found !== undefined && realPathOf(found) === realPathOf(file);
}

/** The folder from which npx finds it, as the package itself or as a dependency. */
function projectOf(file: string): string | undefined {
  const folder = packageOf(file);
  const end = folder?.lastIndexOf(`${sep}node_modules${sep}`) ?? -1;
  return end < 0 ? folder : folder?.slice(0, end);
}

function packageOf(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}
