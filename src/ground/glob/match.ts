import { type GlobSyntax, type Token, tokensOf } from './tokens.ts';

/**
 * Makes a matcher of a glob without braces. It keeps the set of places in the pattern that the text so far can have
 * led to, so time grows with text times pattern and no faster, whatever either is made of.
 */
export function compileGlob(pattern: string, syntax: GlobSyntax): (text: string) => boolean {
  const tokens = tokensOf(pattern, syntax);
  const start = plainRun(tokens);
  const end = plainRun(tokens.toReversed()).split('').reverse().join('');
  const within = longestRun(tokens);
  const matches = matcherOf(tokens);
  // Most texts fail by their ends, or by what they do not hold anywhere, at no cost.
  return (text) => text.endsWith(end) && text.startsWith(start) && text.includes(within) && matches(text);
}

function longestRun(tokens: readonly Token[]): string {
  return tokens
    .map((_, at) => plainRun(tokens.slice(at)))
    .reduce((a, b) => (b.length > a.length ? b : a), '');
}

function plainRun(tokens: readonly Token[]): string {
  let run = '';
  for (const token of tokens) {
    if (token.kind !== 'char' || token.char.length > 1) break;
    run += token.char;
  }
  return run;
}

/** The places in a pattern that a text has led to, and where each character that came leads from there. */
interface Reached {
  readonly places: ReadonlySet<number>;
  readonly after: Map<string, Reached>;
}

/** What is remembered of a pattern at most; a hostile one can lead to more. */
const mostRemembered = 2000;

function matcherOf(tokens: readonly Token[]): (text: string) => boolean {
  let known = new Map<string, Reached>();
  let remembered = 0;

  function reachedBy(places: ReadonlySet<number>): Reached {
    const key = [...places].join();
    const there = known.get(key) ?? { places, after: new Map() };
    known.set(key, there);
    return there;
  }

  function follow(from: Reached, char: string): Reached {
    if (++remembered > mostRemembered) {
      known = new Map();
      remembered = 0;
    }
    const to = reachedBy(placesAfter(tokens, from.places, char));
    from.after.set(char, to);
    return to;
  }

  return (text) => {
    let here = reachedBy(enter(tokens, 0, new Set()));
    for (const char of text) {
      here = here.after.get(char) ?? follow(here, char);
      if (here.places.size === 0) return false;
    }
    return here.places.has(tokens.length);
  };
}

function placesAfter(tokens: readonly Token[], places: ReadonlySet<number>, char: string): Set<number> {
  const next = new Set<number>();
  for (const place of places) {
    const token = tokens[place];
    if (token === undefined) continue;
    if (token.kind === 'star' ? char !== '/' : token.kind === 'all') enter(tokens, place, next);
    // Within a folder's name, what follows the folders is not reached.
    if (token.kind === 'folders') next.add(place);
    if (takes(token, char)) enter(tokens, place + 1, next);
  }
  return next;
}

/** Adds a place, and those behind it that nothing need be read for. */
function enter(tokens: readonly Token[], place: number, places: Set<number>): Set<number> {
  for (let at = place; ; at++) {
    places.add(at);
    const kind = tokens[at]?.kind;
    if (kind !== 'star' && kind !== 'all' && kind !== 'folders') return places;
  }
}

/** Does this character lead past the token? */
function takes(token: Token, char: string): boolean {
  switch (token.kind) {
    case 'char':
      return token.char === char;
    case 'one':
      return char !== '/';
    case 'set':
      return char !== '/' && token.has(char);
    default:
      return token.kind === 'folders' && char === '/';
  }
}
