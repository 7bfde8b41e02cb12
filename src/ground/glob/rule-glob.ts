import { domainToASCII } from 'node:url';
import { ConfigError } from '../../contract/error.ts';
import { foldName } from '../text/fold-name.ts';
import { expandBraces } from './braces.ts';
import { compileGlob, type GlobSyntax, unicodeClasses } from './match.ts';

const maxAlternatives = 64;
const maxPatternChars = 1024;

/** A glob of rules: `*` in a name, `**`, `?`, `[a-z]`, `{a,b}`. `ConfigError` if too long or with too many forms. */
export function createGlob(pattern: string): (text: string) => boolean {
  if (pattern.length > maxPatternChars)
    throw new ConfigError(
      `the pattern ${pattern.slice(0, 40)}… is too long`,
      `パターン ${pattern.slice(0, 40)}… が長すぎます。`,
    );
  const alternatives: ((text: string) => boolean)[] = [];
  for (const alternative of expandBraces(pattern)) {
    if (alternatives.length === maxAlternatives)
      throw new ConfigError(
        `the pattern ${pattern} has too many alternatives`,
        `パターン ${pattern} の選択肢が多すぎます。`,
      );
    alternatives.push(compile(alternative));
  }
  return (text) => alternatives.some((matches) => matches(text));
}

const syntax: GlobSyntax = { wideInNames: true, classes: unicodeClasses };

function compile(pattern: string): (text: string) => boolean {
  const below = compileGlob(pattern, syntax);
  if (!pattern.endsWith('/**')) return below;
  // `secrets/**` is the folder itself too.
  const itself = compileGlob(pattern.slice(0, -3), syntax);
  return (text) => below(text) || itself(text);
}

/** The same in any case and Unicode form, as for names of protected paths. */
export function createPathGlob(pattern: string): (path: string) => boolean {
  const glob = createFoldedGlob(pattern);
  return (path) => glob(foldPath(path));
}

/** The same for comparing one folded path with many patterns. */
export function createFoldedGlob(pattern: string): (folded: string) => boolean {
  return createGlob(foldPath(pattern));
}

/** Whether a path glob could match below this folder, by the part before its first wildcard. */
export function mayFitBelow(pattern: string, folder: string): boolean {
  const parts = foldPath(pattern).split('/');
  const wild = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const fixed = `${parts.slice(0, wild < 0 ? undefined : wild).join('/')}/`;
  const below = `${foldPath(folder)}/`;
  return fixed === '/' || fixed.startsWith(below) || (wild >= 0 && below.startsWith(fixed));
}

/** A host pattern: `*.example.com` fits hosts below it only. IDNs and IPv6 addresses fit however they are written. */
export function createHostGlob(pattern: string): (host: string) => boolean {
  const address = /^\[[\da-f:.]+\](?=$|:\d+$)/i.exec(pattern)?.[0];
  const glob = createGlob(
    address === undefined
      ? foldHost(pattern)
      : `${foldHost(address).replace(/[[\]]/g, '\\$&')}${pattern.slice(address.length)}`,
  );
  return (host) => glob(foldHost(host)) || glob(foldHost(host).replace(/:\d+$/, ''));
}

export function foldPath(path: string): string {
  return foldName(path).replace(/^(\.\/+)+/, '');
}

function foldHost(host: string): string {
  const [, name = '', port = ''] = /^([\s\S]*?)(:\d+)?$/.exec(host) ?? [];
  return asRequested(name.toLowerCase()).replace(/\.$/, '') + port;
}

/** As a URL spells it: `bücher.example` is asked for as `xn--bcher-kva.example`, `[0:0::1]` as `[::1]`. */
function asRequested(name: string): string {
  if (name.startsWith('[') && URL.canParse(`http://${name}/`)) return new URL(`http://${name}/`).hostname;
  return /[^\0-\x7f]/.test(name) ? domainToASCII(name) || name : name;
}
