import { homedir } from 'node:os';
import { posix } from 'node:path';
import { isInside } from '../../../ground/inside.ts';
import type { Word } from '../../words/word.ts';
import type { Scene } from '../rule.ts';

/** The whole folder that a recursive command affects: a root, a home, the system's, or above. Only literal words. */
export function wholeFolder(word: Word, scene: Scene): string | undefined {
  const path = pathOf(word, scene);
  if (path === undefined) return undefined;
  const kept = ['/', homedir(), ...scene.roots].map((folder) => trimmed(posix.normalize(folder)));
  const isWhole = systemFolder.test(path) || kept.some((folder) => isInside(folder, path));
  return isWhole ? path : undefined;
}

/** Is the path outside all roots? Files in /tmp belong to the session. */
export function isBeyond(path: string, { roots }: Scene): boolean {
  return !/^\/tmp(\/|$)/.test(path) && !roots.some((root) => isInside(path, root));
}

/** The absolute path of a literal word; a wildcard counts as its folder. */
function pathOf(word: Word, { folders, moves }: Scene): string | undefined {
  const written =
    word.value ?? /^"?\$\{?HOME\}?"?(\/[\w./*-]*)?"?$/.exec(word.text)?.[0].replace(/^"?\$\{?HOME\}?"?/, '~');
  if (written === undefined) return undefined;
  const isHome = /^~(\/|$|"$)/.test(written) && (word.isPattern || word.value === undefined);
  const named = isHome ? homedir() + written.slice(1).replace(/"$/, '') : written;
  const folder = withoutWildcards(named, word);
  if (folder === undefined) return undefined;
  if (folder.startsWith('/')) return trimmed(posix.normalize(folder).replace(rootAlias, '/'));
  const [start, ...others] = folders;
  if (moves || start === undefined || others.length > 0) return undefined;
  return trimmed(posix.resolve(start, folder));
}

/** `/etc/*` names all of /etc, but `*.o` not all of its folder. */
function withoutWildcards(path: string, { isPattern, value }: Word): string | undefined {
  if (!isPattern && value !== undefined) return path;
  const parts = path.split('/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  if (first < 0) return path;
  if (!parts.slice(first).every((part) => /^[*.?]*$/.test(part))) return undefined;
  return parts.slice(0, first).join('/') || (path.startsWith('/') ? '/' : '.');
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** `/proc/self/root` is another name of `/`. */
const rootAlias = /^(\/proc\/(self|thread-self|\d+)(\/task\/\d+)?\/root)+(\/|$)/;

const systemFolder =
  /^\/(bin|boot|dev|etc|home|lib|lib32|lib64|libx32|media|tmp|mnt|opt|proc|root|run|sbin|srv|sys|usr|var|users|system|library|applications|private|private\/(etc|var)|usr\/(bin|sbin|lib|lib64|local|share|include)|var\/(lib|log|db|spool|mail)|nix|snap)?$/i;

/** Is the path a device of the machine, or bash's own network path? */
export function deviceOf({ value, prefix }: Word): 'device' | 'network' | undefined {
  const path = posix
    .normalize(value ?? prefix)
    .replace(rootAlias, '/')
    .replace(openFolder, '');
  if (/^\/dev\/(tcp|udp)\//.test(path)) return ownNetwork.test(path) ? undefined : 'network';
  if (path.startsWith('/dev/') && !plainDevice.test(path)) return 'device';
  return /^\/(proc\/(sysrq-trigger|sys\/|kcore)|sys\/)/.test(path) ? 'device' : undefined;
}

/** A path below a folder that the command has open. */
const openFolder = /^\/dev\/fd\/\d+(?=\/)/;

/** A port of this machine, as seen by commands. */
const ownNetwork = /^\/dev\/(tcp|udp)\/(localhost|127(\.\d{1,3}){3}|::1)\/\w+$/;

/** All paths below /dev are devices, except these. */
const plainDevice =
  /^\/dev\/(null|zero|full|u?random|tty|std(in|out|err)|fd(\/\d*)?|shm(\/.*)?|pts\/\d*|ptmx|mqueue\/.*|console)$/;
