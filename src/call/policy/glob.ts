import { domainToASCII } from 'node:url';
import { ConfigError } from '../../contract/error.ts';

type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any'; readonly crosses: boolean }
  | { readonly kind: 'one' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    }
  /** The next tokens, as many as `skip` says, may be left out. */
  | { readonly kind: 'maybe'; readonly skip: number }
  /** Whole folders, up to and with a slash. */
  | { readonly kind: 'folders' };

const maxAlternatives = 64;
const maxPatternChars = 1024;

/**
 * A glob as rules write it: `*` stays within a name, `**` crosses folders, `?`, `[a-z]`, `{a,b}`. Time grows with
 * text times pattern and no faster. Throws a `ConfigError` for one that is too long or has too many alternatives.
 */
export function createGlob(pattern: string): (text: string) => boolean {
  if (pattern.length > maxPatternChars)
    throw new ConfigError(`the pattern ${pattern.slice(0, 40)}… is too long`);
  const alternatives = expandBraces(pattern).map(tokensOf);
  return (text) => alternatives.some((tokens) => matches(tokens, [...text]));
}

/** The same in any case and Unicode form, as names of protected paths are compared. */
export function createPathGlob(pattern: string): (path: string) => boolean {
  const glob = createGlob(foldPath(pattern));
  return (path) => glob(foldPath(path));
}

/**
 * A host pattern: `*.example.com` fits every host below it and not `example.com` itself. Names beyond ASCII and IPv6
 * addresses fit in whichever way they are written.
 */
export function createHostGlob(pattern: string): (host: string) => boolean {
  const address = /^\[[\da-f:.]+\](?=$|:\d+$)/i.exec(pattern)?.[0];
  const glob = createGlob(
    address === undefined
      ? foldHost(pattern)
      : `${foldHost(address).replace(/[[\]]/g, '\\$&')}${pattern.slice(address.length)}`,
  );
  return (host) => glob(foldHost(host)) || glob(foldHost(host).replace(/:\d+$/, ''));
}

function foldPath(path: string): string {
  return path
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/^(\.\/+)+/, '');
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

/** Keeps the set of places in the pattern that the text so far can have led to. */
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let places = close(new Set([0]), tokens);
  for (const char of text) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (!token) continue;
      if (token.kind === 'folders' || (token.kind === 'any' && (token.crosses || char !== '/')))
        next.add(place);
      if (token.kind === 'folders' ? char === '/' : fitsChar(token, char)) next.add(place + 1);
    }
    places = close(next, tokens);
    if (places.size === 0) return false;
  }
  return places.has(tokens.length);
}

function close(places: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token?.kind === 'any' || token?.kind === 'maybe') places.add(place + 1);
    if (token?.kind === 'maybe') places.add(place + 1 + token.skip);
  }
  return places;
}

function fitsChar(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char;
  if (token.kind === 'one') return char !== '/';
  if (token.kind !== 'class' || char === '/') return false;
  return token.ranges.some(([low, high]) => low <= char && char <= high) !== token.negated;
}

function tokensOf(pattern: string): readonly Token[] {
  const chars = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string;
    const startsName = at === 0 || chars[at - 1] === '/';
    if (char === '/' && chars.slice(at + 1).join('') === '**') {
      // `secrets/**` is the folder itself too.
      tokens.push({ kind: 'maybe', skip: 2 });
      tokens.push({ kind: 'char', char: '/' }, { kind: 'any', crosses: true });
      break;
    }
    if (startsName && char === '*' && chars[at + 1] === '*' && chars[at + 2] === '/') {
      tokens.push({ kind: 'maybe', skip: 1 }, { kind: 'folders' });
      at += 2;
    } else if (char === '*') {
      const crosses = chars[at + 1] === '*';
      if (crosses) at++;
      tokens.push({ kind: 'any', crosses });
    } else if (char === '?') tokens.push({ kind: 'one' });
    else if (char === '[') at = readClass(chars, at, tokens);
    else if (char === '\\' && at + 1 < chars.length)
      tokens.push({ kind: 'char', char: chars[++at] as string });
    else tokens.push({ kind: 'char', char });
  }
  return tokens;
}

function readClass(chars: readonly string[], start: number, tokens: Token[]): number {
  const end = chars.indexOf(']', start + 2);
  if (end < 0) {
    tokens.push({ kind: 'char', char: '[' });
    return start;
  }
  const negated = chars[start + 1] === '!' || chars[start + 1] === '^';
  const inside = chars.slice(start + (negated ? 2 : 1), end);
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < inside.length; at++) {
    const low = inside[at] as string;
    const isRange = inside[at + 1] === '-' && at + 2 < inside.length;
    ranges.push([low, isRange ? (inside[at + 2] as string) : low]);
    if (isRange) at += 2;
  }
  tokens.push({ kind: 'class', negated, ranges });
  return end;
}

function expandBraces(pattern: string): readonly string[] {
  let made = [pattern];
  for (let round = 0; round < maxAlternatives; round++) {
    const next = made.flatMap((one) => {
      const found = /^([\s\S]*?)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(one);
      return found ? (found[2] as string).split(',').map((part) => `${found[1]}${part}${found[3]}`) : [one];
    });
    if (next.length > maxAlternatives)
      throw new ConfigError(`the pattern ${pattern} has too many alternatives`);
    if (next.length === made.length) return next;
    made = next;
  }
  return made;
}
