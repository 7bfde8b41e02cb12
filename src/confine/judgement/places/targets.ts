import { homedir } from 'node:os';
import { posix } from 'node:path';
import type { Scene } from '../rules/rule.ts';
import { candidateValues, fileNameOf, possibleValues, type Variables } from '../variables/values.ts';
import { hasTilde, literalWord, type Piece, type Word, wordOf } from '../words/word.ts';
import { throughLinks } from './links.ts';

export const movesFolder: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd', 'chdir']);
const home = wordOf([{ kind: 'literal', text: '~', quoted: false }], '~');

/** Where `cd` with these words goes. */
export function folderIn(args: readonly Word[]): Word {
  return args.find((word) => !/^-[LPe@]+$|^--$/.test(word.value ?? '')) ?? home;
}

/** How much a path takes with it when it is removed or changed with all that is below it. */
export type Reach = 'everything' | 'inside' | 'unknown';

const maxPlaces = 64;
const globs = /[*?[\]]/;

/**
 * Every folder that a command may run in, given the words of each `cd`; nothing where that is not known. Order is
 * not followed: each way down may be taken once, each way up as often as it goes.
 */
export function foldersAfter(
  start: string,
  words: readonly Word[],
  variables: Variables,
): readonly string[] | undefined {
  const values = new Set<string>();
  for (const word of words) {
    if (word.value === '-') continue;
    const known = pathValues(word, variables);
    if (!known) return undefined;
    for (const value of known) values.add(value);
  }
  const places = new Map([
    [posix.normalize(start), { folder: posix.normalize(start), taken: new Set<string>() }],
  ]);
  for (const { folder, taken } of places.values()) {
    for (const value of values) {
      const goesDown = !value.startsWith('/') && !value.split('/').includes('..');
      if (goesDown && taken.has(value)) continue;
      const next = {
        folder: posix.resolve(folder, value),
        taken: goesDown ? new Set([...taken, value]) : taken,
      };
      const key = [next.folder, ...[...next.taken].sort()].join('\0');
      if (!places.has(key)) places.set(key, next);
    }
    if (places.size > maxPlaces) return undefined;
  }
  return [...new Set([...places.values()].map(({ folder }) => folder))];
}

/** A folder below the one that the shell is in. */
export function goesDown({ value }: Word): boolean {
  return value !== undefined && /^[^/~-]/.test(value) && !value.split('/').includes('..');
}

/** The same, seen from a command that stands below these folders. */
export function sceneIn(scene: Scene, entered: readonly Word[]): Scene {
  if (entered.length === 0 || !entered.every(goesDown)) return scene;
  const below = entered.map(({ value }) => value ?? '');
  return { ...scene, folders: scene.folders?.map((folder) => posix.resolve(folder, ...below)) };
}

/** The same, seen from a command that only these folders led to, one after the other; nothing where one is not known. */
export function sceneAt(scene: Scene, start: string, entered: readonly Word[]): Scene | undefined {
  const values = entered.map(({ value }) => value);
  if (!values.every((value) => value !== undefined && /^[^~-]/.test(value))) return undefined;
  return { ...scene, folders: [posix.resolve(start, ...(values as string[]))] };
}

/** What a recursive command takes when it is given this operand. */
export function reachOf(word: Word, scene: Scene): Reach {
  // find's own rule says whether it may start there.
  if (word.below) {
    const known = word.below.every(
      (start) =>
        reachOf(start, scene) === 'inside' || (start.value !== undefined && !/^[/~]/.test(start.value)),
    );
    return known ? 'inside' : 'unknown';
  }
  const name = fileNameOf(word, scene.variables);
  if (name === 'new') return 'inside';
  if (name === 'found') {
    const reaches = foundIn(word, scene).map((one) => reachOf(one, scene));
    return reaches.includes('everything')
      ? 'everything'
      : reaches.every((reach) => reach === 'inside')
        ? 'inside'
        : 'unknown';
  }
  const paths = pathsOf(word, scene);
  const kept = ['/', homedir(), ...scene.roots].map((path) => posix.normalize(path).replace(/(.)\/$/, '$1'));
  const takes = (path: string) =>
    systemFolder(path) ||
    kept.some((root) => root === path || root.startsWith(path === '/' ? '/' : `${path}/`));
  if (paths) return paths.some(takes) ? 'everything' : 'inside';
  const suspected = candidateValues(word, scene.variables).filter((value) => value.startsWith('/'));
  return suspected.some((value) => takes(trimmed(posix.normalize(value.replace(/\/[*.?]+$/, '/')))))
    ? 'everything'
    : 'unknown';
}

/** What a variable may hold that names of files are put into. */
function foundIn(word: Word, { variables }: Scene): readonly Word[] {
  const variable = nameOfVariable(word);
  const written = variables.seen(variable).filter((value) => value !== '');
  return [...variables.globs(variable), ...written.map(literalWord)];
}

/** Would it take a home, a folder of the system, or another that no root holds? What is in /tmp is the session's own. */
export function takesBeyond(word: Word, scene: Scene): boolean {
  if (reachOf(word, scene) !== 'everything') return false;
  if (fileNameOf(word, scene.variables) === 'found')
    return foundIn(word, scene).some((one) => takesBeyond(one, scene));
  const isWithin = (path: string) =>
    /^\/tmp(\/|$)/.test(path) || scene.roots.some((root) => `${path}/`.startsWith(`${root}/`));
  return pathsOf(word, scene)?.every(isWithin) !== true;
}

/** Absolute paths that a word may name; a wildcard counts as the folder that it stands in. */
export function pathsOf(word: Word, scene: Scene): readonly string[] | undefined {
  const named = pathValues(word, scene.variables);
  const values = named ?? globValues(word, scene.variables);
  if (!values) return undefined;
  const here = values.map((value) => value.replace(workingAlias, '.'));
  const absolute = here.every((value) => value.startsWith('/'));
  const folders = absolute ? ['/'] : scene.folders;
  return folders?.flatMap((folder) =>
    here.map((value) => {
      const path = canonical(posix.resolve(folder, value));
      // A link that is named, and not gone through, is itself what is meant.
      const isItself = named && !value.endsWith('/') && scene.links.some(({ from }) => from === path);
      return isItself ? path : throughLinks(path, scene.links);
    }),
  );
}

/** A glob takes part of its folder; one that is nothing but wildcards takes the folder. */
function globValues(word: Word, variables: Variables): readonly string[] | undefined {
  if (!word.pieces.some((piece) => piece.kind === 'glob')) return undefined;
  const marked = word.pieces.map(
    (piece): Piece => (piece.kind === 'glob' ? { kind: 'literal', text: '\0', quoted: true } : piece),
  );
  const texts = possibleValues(wordOf(marked, word.text), variables);
  const folders = texts?.map((text) => globFolder(hasTilde(word) ? expandTilde(text) : text));
  return folders?.every((folder) => folder !== undefined) ? folders : undefined;
}

function globFolder(home: string | undefined): string | undefined {
  if (home === undefined) return undefined;
  const parts = home.split('/');
  const first = parts.findIndex((part) => part.includes('\0'));
  const folder = parts.slice(0, first).join('/') || (home.startsWith('/') ? '/' : '.');
  const rest = parts.slice(first);
  if (rest.some((part) => part === '..')) return undefined;
  // A wildcard that stands right in a folder of the system, or above a root, may name what must stay.
  const onlyWild =
    rest.every((part) => /^[\0.]*$/.test(part)) ||
    (systemFolder(trimmed(posix.normalize(folder))) && !/^\/(var\/)?tmp\/?$/.test(folder));
  return onlyWild ? folder : `${folder}/${rest.join('/').replaceAll('\0', 'x')}`;
}

function pathValues(word: Word, variables: Variables): readonly string[] | undefined {
  if (hasTilde(word)) {
    const expanded = word.value === undefined ? undefined : expandTilde(word.value);
    return expanded === undefined ? undefined : [expanded];
  }
  const values = possibleValues(word, variables)?.filter((value) => value !== '' || word.value !== undefined);
  return values?.some((value) => globs.test(value) && word.value === undefined) ? undefined : values;
}

function nameOfVariable({ pieces: [piece] }: Word): string {
  return piece?.kind === 'variable' ? piece.name : '';
}

function expandTilde(value: string): string | undefined {
  if (value === '~' || value.startsWith('~/')) return homedir() + value.slice(1);
  if (/^~\w+/.test(value))
    return value.replace(/^~\w+/, (user) => (user === '~root' ? '/root' : `/home/${user.slice(1)}`));
  return undefined;
}

/** Folders of the system itself. */
function systemFolder(path: string): boolean {
  return /^\/(bin|boot|dev|etc|home|lib|lib32|lib64|libx32|media|tmp|mnt|opt|proc|root|run|sbin|srv|sys|usr|var|users|system|library|applications|private|private\/(etc|var)|usr\/(bin|sbin|lib|lib64|local|share|include)|var\/(lib|log|db|spool|mail)|nix|snap)?$/i.test(
    path,
  );
}

function canonical(path: string): string {
  return trimmed(`${path}/`.replace(rootAlias, ''));
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Does a word, after a marker such as dd's `of=`, name a device, or bash's own way to the network? */
export function isDevice(word: Word, scene: Scene, marker = ''): 'device' | 'network' | undefined {
  const values = possibleValues(word, scene.variables) ?? [
    word.prefix,
    ...candidateValues(word, scene.variables),
  ];
  for (const marked of values) {
    const value = marked.startsWith(marker) ? marked.slice(marker.length) : marked;
    for (const folder of value.startsWith('/') ? ['/'] : (scene.folders ?? ['/'])) {
      const path = posix.resolve(folder, value).replace(rootAlias, '');
      if (/^\/dev\/(tcp|udp)\//.test(path)) return ownNetwork.test(path) ? undefined : 'network';
      if (path.startsWith('/dev/') && !plainDevice.test(path)) return 'device';
      if (/^\/(proc\/(sysrq-trigger|sys\/|kcore)|sys\/)/.test(path)) return 'device';
    }
  }
  return undefined;
}

/** A port of this machine, as commands see it. */
export const ownNetwork = /^\/dev\/(tcp|udp)\/(localhost|127(\.\d{1,3}){3}|::1)\/\w+$/;

/** `/proc/self/root` is `/` by another name. */
const rootAlias = /^(\/proc\/(self|thread-self|\d+)(\/task\/\d+)?\/root)+(?=\/)/;

/** The working folder by another name. */
const workingAlias = /^\/proc\/(self|thread-self|\d+)(\/task\/\d+)?\/cwd(?=\/|$)/;

/** Everything below /dev is a device unless it is one of these. */
const plainDevice =
  /^\/dev\/(null|zero|full|u?random|tty|std(in|out|err)|fd(\/\d*)?|shm(\/.*)?|pts\/\d*|ptmx|mqueue\/.*|console)$/;
