import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text.ts';
import { namedClasses } from './named-classes.ts';

/**
 * Makes a matcher of paths: `*` and `?` stay within a name, `**` crosses folders, `[a-z]` and `[!a]` are classes,
 * `{a,b}` alternatives, `\` takes the next character as it is. Linear: no pattern can make it look back further
 * than its last star. Throws `invalid_parameter`.
 */
export function createGlob(
  pattern: string,
  field: 'pattern' | 'glob' = 'pattern',
): (path: string) => boolean {
  try {
    return compileAll(pattern);
  } catch (error) {
    if (!(error instanceof BadGlob)) throw error;
    const { en, ja } = error.problem;
    throw new ToolError('invalid_parameter', text(`The glob ${en}.`, `グロブ${ja}。`), {
      suggestion: error.suggestion,
      details: { field },
    });
  }
}

function compileAll(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/^(?:\.\/)+/, '');
  if (trimmed === '' || trimmed.startsWith('/') || trimmed.split('/').includes('..')) {
    throw badGlob(text('must be relative and stay inside', 'は相対パスで、範囲の中でなければなりません'));
  }
  if (trimmed.startsWith('!')) {
    throw badGlob(
      text(
        'begins with !, and leaving files out is not possible here',
        'が ! で始まっています。除外の指定はできません',
      ),
      text(
        'Say what to find, or write \\! for a name that begins so.',
        '探すものを書くか、! で始まる名前なら \\! と書いてください。',
      ),
    );
  }
  const alternatives = expandBraces(trimmed.endsWith('/') ? `${trimmed}**` : trimmed).map(compile);
  const [only] = alternatives;
  return alternatives.length === 1 && only ? only : (path) => alternatives.some((matches) => matches(path));
}

type Token =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** The tokens of one name, or `**`. */
type Segment = readonly Token[] | 'folders';

function compile(pattern: string): (path: string) => boolean {
  const segments: Segment[] = splitSegments(pattern).map((part) =>
    part === '**' ? 'folders' : tokensOf(part),
  );
  const suffix = literalEnd(segments.at(-1));
  const prefix = literalStart(segments);
  return (path) =>
    path.endsWith(suffix) && path.startsWith(prefix) && matchFolders(segments, path.split('/'));
}

/** `**` takes as few names as it can; a mismatch goes back to the last `**` only. */
function matchFolders(segments: readonly Segment[], names: readonly string[]): boolean {
  let segment = 0;
  let name = 0;
  let retrySegment = -1;
  let retryName = -1;
  while (name < names.length) {
    const wanted = segments[segment];
    if (wanted === 'folders') {
      // At the end it takes all that is left, which is at least one name: `src/**` is not `src` itself.
      if (segment === segments.length - 1) return true;
      retrySegment = ++segment;
      retryName = name;
    } else if (wanted !== undefined && matchName(wanted, names[name] ?? '')) {
      segment++;
      name++;
    } else if (retrySegment >= 0) {
      segment = retrySegment;
      name = ++retryName;
    } else {
      return false;
    }
  }
  return segment === segments.length;
}

function matchName(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let at = 0;
  let retryToken = -1;
  let retryAt = -1;
  while (at < name.length) {
    const wanted = tokens[token];
    const character = String.fromCodePoint(name.codePointAt(at) ?? 0);
    if (wanted?.kind === 'star') {
      if (token === tokens.length - 1) return true;
      retryToken = ++token;
      retryAt = at;
    } else if (wanted !== undefined && fits(wanted, character)) {
      token++;
      at += character.length;
    } else if (retryToken >= 0) {
      token = retryToken;
      retryAt += (name.codePointAt(retryAt) ?? 0) > 0xffff ? 2 : 1;
      at = retryAt;
    } else {
      return false;
    }
  }
  while (tokens[token]?.kind === 'star') token++;
  return token === tokens.length;
}

function fits(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'literal':
      return token.character === character;
    case 'class':
      return token.ranges.some(([from, to]) => character >= from && character <= to) !== token.negated;
    default:
      return true;
  }
}

function tokensOf(part: string): Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(part);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') {
      tokens.push({ kind: 'any' });
    } else if (character === '[') {
      const { token, end } = classAt(characters, at);
      tokens.push(token);
      at = end;
    } else if (character === '\\' && at + 1 < characters.length) {
      tokens.push({ kind: 'literal', character: characters[++at] ?? '' });
    } else {
      tokens.push({ kind: 'literal', character });
    }
  }
  return tokens;
}

function classAt(
  characters: readonly string[],
  open: number,
): { readonly token: Token; readonly end: number } {
  const negated = characters[open + 1] === '!' || characters[open + 1] === '^';
  const first = open + (negated ? 2 : 1);
  const ranges: (readonly [string, string])[] = [];
  let at = first;
  // A `]` that comes first is a member.
  for (; at < characters.length && (characters[at] !== ']' || at === first); at++) {
    const named = characters[at] === '[' ? namedClassAt(characters, at) : undefined;
    if (named) {
      ranges.push(...named.ranges);
      at = named.end;
      continue;
    }
    if (characters[at] === '\\' && at + 1 < characters.length) at++;
    const from = characters[at] ?? '';
    const to = characters[at + 2];
    if (characters[at + 1] === '-' && to !== undefined && to !== ']') {
      ranges.push([from, to]);
      at += 2;
    } else {
      ranges.push([from, from]);
    }
  }
  if (at >= characters.length) throw badGlob(text('has a [ without its ]', 'の [ が閉じていません'));
  return { token: { kind: 'class', negated, ranges }, end: at };
}

/** `[:alpha:]` and its like, which stand within a class. */
function namedClassAt(characters: readonly string[], open: number) {
  const [written, name = ''] = /^\[:([a-z]+):\]/.exec(characters.slice(open, open + 12).join('')) ?? [];
  const ranges = namedClasses.get(name);
  return written && ranges ? { ranges, end: open + written.length - 1 } : undefined;
}

/** At slashes that no class holds. */
function splitSegments(pattern: string): string[] {
  return pattern
    .split('/')
    .filter((part, index, parts) => part !== '' && !(part === '**' && parts[index - 1] === '**'));
}

/** `{a,b{c,d}}` becomes three patterns; a pattern that would become too many is refused. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const brace = firstBrace(next);
    if (!brace) done.push(next);
    else for (const choice of brace.choices.toReversed()) waiting.push(brace.before + choice + brace.after);
    if (done.length + waiting.length > maxAlternatives) {
      throw badGlob(
        text(`has more than ${maxAlternatives} alternatives`, `の選択肢が ${maxAlternatives} を超えています`),
      );
    }
  }
  return done;
}

const maxAlternatives = 200;

function firstBrace(pattern: string) {
  const commas: number[] = [];
  let open = -1;
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (inClass) inClass = character !== ']' || pattern[at - 1] === ':';
    else if (character === '[') inClass = pattern.includes(']', at + 2);
    else if (character === '{' && depth++ === 0) open = at;
    else if (character === ',' && depth === 1) commas.push(at);
    else if (character === '}' && depth > 0 && --depth === 0) {
      const edges = [open, ...commas, at];
      return {
        before: pattern.slice(0, open),
        after: pattern.slice(at + 1),
        choices: edges.slice(1).map((edge, index) => pattern.slice((edges[index] ?? 0) + 1, edge)),
      };
    }
  }
  if (depth > 0) throw badGlob(text('has a { without its }', 'の { が閉じていません'));
  return undefined;
}

/** What every match ends with: most paths fail here, at no cost. */
function literalEnd(segment: Segment | undefined): string {
  if (segment === undefined || segment === 'folders') return '';
  let end = '';
  for (const token of segment.toReversed()) {
    if (token.kind !== 'literal') break;
    end = token.character + end;
  }
  return end;
}

function literalStart(segments: readonly Segment[]): string {
  let start = '';
  for (const segment of segments.slice(0, -1)) {
    if (segment === 'folders' || segment.some((token) => token.kind !== 'literal')) break;
    start += `${segment.map((token) => (token.kind === 'literal' ? token.character : '')).join('')}/`;
  }
  return start;
}

class BadGlob extends Error {
  readonly problem: Text;
  readonly suggestion: Text;

  constructor(problem: Text, suggestion: Text) {
    super(problem.en);
    this.problem = problem;
    this.suggestion = suggestion;
  }
}

function badGlob(
  problem: Text,
  suggestion: Text = text('Write it like src/**/*.ts.', 'src/**/*.ts のように書いてください。'),
): BadGlob {
  return new BadGlob(problem, suggestion);
}
