import { type GlobSyntax, type Token, tokensOf } from './tokens.ts';

/**
 * Makes a matcher of a glob without braces. It tracks the set of pattern positions that the text may have reached, so
 * time is at most proportional to text times pattern, whatever they contain.
 */
export function compileGlob(pattern: string, syntax: GlobSyntax): (text: string) => boolean {
  const tokens = tokensOf(pattern, syntax);
  const start = plainRun(tokens);
  const end = plainRun(tokens.toReversed()).split('').reverse().join('');
  const within = longestRun(tokens);
  const matches = matcherOf(tokens);
  // Most texts fail these cheap checks.
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

/** The pattern positions that a text has reached, and the next state for each character seen so far. */
interface Reached {
  readonly places: ReadonlySet<number>;
  readonly after: Map<string, Reached>;
}

/** The most states to cache; a hostile pattern can have more. */
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
    // Inside a folder's name, the tokens after the folders cannot match yet.
    if (token.kind === 'folders') next.add(place);
    if (takes(token, char)) enter(tokens, place + 1, next);
  }
  return next;
}

/** Adds a position, and those after it that match the empty string. */
function enter(tokens: readonly Token[], place: number, places: Set<number>): Set<number> {
  for (let at = place; ; at++) {
    places.add(at);
    const kind = tokens[at]?.kind;
    if (kind !== 'star' && kind !== 'all' && kind !== 'folders') return places;
  }
}

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
