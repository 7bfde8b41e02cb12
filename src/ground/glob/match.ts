import { createRequire } from 'node:module';
import { lazy } from '../waiting/once.ts';

export interface GlobSyntax {
  /** Whether a `**` that is only a part of a name still crosses slashes. */
  readonly wideInNames?: boolean;
  /** The characters of each POSIX class, e.g. `[:alpha:]`, as a regular expression lists them in a set. */
  readonly classes: ReadonlyMap<string, string>;
  /** Throws for a `[` without its `]`, which is otherwise literal. */
  readonly onOpenSet?: () => never;
}

/**
 * Makes a matcher of a glob (POSIX fnmatch, and `**`) without braces: `*`, `?`, `[a-z]`, `[!a]`, `[[:alpha:]]`; a
 * backslash quotes the next. It takes time in proportion to text times pattern, whatever they contain.
 */
export function compileGlob(pattern: string, syntax: GlobSyntax): (text: string) => boolean {
  const { source, runs } = translated(pattern, syntax);
  const [start = '', end = ''] = [runs[0], runs.at(-1)];
  const within = runs.reduce((a, b) => (b.length > a.length ? b : a), '');
  const regex = lazy(() => {
    const { RE2JS } = engine();
    return RE2JS.compile(source, RE2JS.DOTALL);
  });
  // Most texts fail these cheap checks.
  return (text) =>
    text.endsWith(end) && text.startsWith(start) && text.includes(within) && regex().matches(text);
}

/** Loaded when a text may match for the first time: a start needs none. */
const engine = lazy(() => createRequire(import.meta.url)('re2js') as typeof import('re2js'));

/** Translates a glob to a regular expression, and lists the literal texts between its wildcards. */
function translated(pattern: string, syntax: GlobSyntax) {
  const chars = [...pattern];
  const runs = [''];
  let source = '';
  const wild = (part: string) => {
    source += part;
    runs.push('');
  };
  const literal = (char: string) => {
    source += written(char);
    runs.push((runs.pop() ?? '') + char);
  };
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? '';
    if (char === '*') {
      const startsName = at === 0 || chars[at - 1] === '/';
      const isWide = chars[at + 1] === '*';
      const after = chars[at + 2];
      if (isWide && startsName && after === '/') {
        // Whole folders with their slashes, or none.
        wild('(?:.*/)?');
        at += 2;
      } else {
        const crosses = isWide && (syntax.wideInNames === true || (startsName && after === undefined));
        wild(crosses ? '.*' : '[^/]*');
        if (isWide) at += 1;
      }
    } else if (char === '?') wild('[^/]');
    else if (char === '[') {
      const set = setAt(chars, at, syntax.classes);
      if (!set) syntax.onOpenSet?.();
      if (set) wild(set.source);
      else literal(char);
      at = set?.end ?? at;
    } else if (char === '\\' && at + 1 < chars.length) literal(chars[++at] ?? '');
    else literal(char);
  }
  return { source, runs };
}

/** A set, which never holds a slash. */
function setAt(chars: readonly string[], open: number, classes: GlobSyntax['classes']) {
  const isNegated = chars[open + 1] === '!' || chars[open + 1] === '^';
  const first = open + (isNegated ? 2 : 1);
  let held = '';
  for (let at = first; at < chars.length; at++) {
    // A leading `]` is a member.
    if (chars[at] === ']' && at > first) {
      if (isNegated) return { source: `[^/${held}]`, end: at };
      return { source: held === '' ? nothing : `[${held}]`, end: at };
    }
    const [name = '', known] =
      chars[at] === '[' ? (/^\[:([a-z]+):\]/.exec(chars.slice(at, at + 12).join('')) ?? []) : [];
    const members = classes.get(known ?? '');
    if (members !== undefined) {
      held += members;
      at += name.length - 1;
      continue;
    }
    if (chars[at] === '\\' && at + 1 < chars.length) at += 1;
    const from = chars[at] ?? '';
    let to = from;
    if (chars[at + 1] === '-' && chars[at + 2] !== undefined && chars[at + 2] !== ']') {
      at += 2;
      if (chars[at] === '\\' && at + 1 < chars.length) at += 1;
      to = chars[at] ?? '';
    }
    held += rangesOf(codeOf(from), codeOf(to));
  }
  return undefined;
}

/** A range without the slash; empty if its end comes before its start. */
function rangesOf(from: number, to: number): string {
  const slash = codeOf('/');
  if (from > to) return '';
  if (from > slash || to < slash) return `${hex(from)}-${hex(to)}`;
  return rangesOf(from, slash - 1) + rangesOf(slash + 1, to);
}

function written(char: string): string {
  return /\w/.test(char) ? char : hex(codeOf(char));
}

function hex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

const nothing = '[^\\x{0}-\\x{10ffff}]';

/** The characters of `[:alpha:]` etc. in the C locale of shells. */
export const asciiClasses: ReadonlyMap<string, string> = new Map([
  ['alpha', 'a-zA-Z'],
  ['digit', '0-9'],
  ['alnum', 'a-zA-Z0-9'],
  ['lower', 'a-z'],
  ['upper', 'A-Z'],
  ['word', '0-9A-Za-z_'],
  ['xdigit', '0-9a-fA-F'],
  ['punct', '!-.:-@\\x{5b}-\\x{60}{-~'],
  ['space', '\\t-\\r '],
]);

/** The same with the letters of every script, as in a UTF-8 locale. */
export const unicodeClasses: ReadonlyMap<string, string> = new Map([
  ...asciiClasses,
  ['alpha', '\\p{L}'],
  ['alnum', '\\p{L}0-9'],
  ['lower', '\\p{Ll}'],
  ['upper', '\\p{Lu}'],
  ['space', '\\t-\\r\\p{Z}\\x{feff}'],
]);
