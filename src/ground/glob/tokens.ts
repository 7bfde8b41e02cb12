export type Token =
  | { readonly kind: 'char'; readonly char: string }
  /** Any one character of a name. */
  | { readonly kind: 'one' }
  | { readonly kind: 'set'; readonly has: (char: string) => boolean }
  /** Anything within one name. */
  | { readonly kind: 'star' }
  /** Anything, including slashes. */
  | { readonly kind: 'all' }
  /** Whole folders with their slashes, or none. */
  | { readonly kind: 'folders' };

export interface GlobSyntax {
  /** Whether a `**` that is only a part of a name still crosses slashes. */
  readonly wideInNames?: boolean;
  /** The characters of each POSIX class, e.g. `[:alpha:]`. */
  readonly classes: ReadonlyMap<string, RegExp>;
  /** Throws for a `[` without its `]`, which is otherwise literal. */
  readonly onOpenSet?: () => never;
}

/** Parses a glob (POSIX fnmatch, and `**`): `*`, `?`, `[a-z]`, `[!a]`, `[[:alpha:]]`; a backslash quotes the next. */
export function tokensOf(pattern: string, syntax: GlobSyntax): readonly Token[] {
  const chars = [...pattern];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? '';
    if (char === '*') {
      const startsName = at === 0 || chars[at - 1] === '/';
      const isWide = chars[at + 1] === '*';
      const after = chars[at + 2];
      if (isWide && startsName && after === '/') {
        tokens.push({ kind: 'folders' });
        at += 2;
      } else {
        const crosses = isWide && (syntax.wideInNames === true || (startsName && after === undefined));
        tokens.push({ kind: crosses ? 'all' : 'star' });
        if (isWide) at += 1;
      }
    } else if (char === '?') tokens.push({ kind: 'one' });
    else if (char === '[') {
      const set = setAt(chars, at, syntax.classes);
      if (!set) syntax.onOpenSet?.();
      tokens.push(set ? { kind: 'set', has: set.has } : { kind: 'char', char });
      at = set?.end ?? at;
    } else if (char === '\\' && at + 1 < chars.length) tokens.push({ kind: 'char', char: chars[++at] ?? '' });
    else tokens.push({ kind: 'char', char });
  }
  return tokens;
}

function setAt(chars: readonly string[], open: number, classes: GlobSyntax['classes']) {
  const isNegated = chars[open + 1] === '!' || chars[open + 1] === '^';
  const first = open + (isNegated ? 2 : 1);
  const tests: ((char: string) => boolean)[] = [];
  for (let at = first; at < chars.length; at++) {
    // A leading `]` is a member.
    if (chars[at] === ']' && at > first)
      return { has: (char: string) => tests.some((test) => test(char)) !== isNegated, end: at };
    const [written = '', name = ''] =
      chars[at] === '[' ? (/^\[:([a-z]+):\]/.exec(chars.slice(at, at + 12).join('')) ?? []) : [];
    const known = classes.get(name);
    if (known) {
      tests.push((char) => known.test(char));
      at += written.length - 1;
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
    tests.push((char) => from <= char && char <= to);
  }
  return undefined;
}

/** The characters of `[:alpha:]` etc. in the C locale of shells. */
export const asciiClasses: ReadonlyMap<string, RegExp> = new Map([
  ['alpha', /[a-z]/i],
  ['digit', /\d/],
  ['alnum', /[a-z\d]/i],
  ['lower', /[a-z]/],
  ['upper', /[A-Z]/],
  ['word', /\w/],
  ['xdigit', /[\da-f]/i],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[\t-\r ]/],
]);

/** The same with the letters of every script, as in a UTF-8 locale. */
export const unicodeClasses: ReadonlyMap<string, RegExp> = new Map([
  ...asciiClasses,
  ['alpha', /\p{L}/u],
  ['alnum', /[\p{L}\d]/u],
  ['lower', /\p{Ll}/u],
  ['upper', /\p{Lu}/u],
  ['space', /\s/],
]);
