/** A text and what stands in its place, equally long. */
export interface Pair {
  readonly from: string;
  readonly to: string;
}

/**
 * Finds a text of which each character may be written in a way of its own: as it is, in either case, in percent coding, as
 * an escape of JSON or JavaScript, or as a character reference of HTML.
 */
export class Spelled {
  /** For each character the ways to write it, in lower case, each with what stands in its place. */
  readonly #ways: readonly (readonly Pair[])[];
  readonly longest: number;

  constructor({ from, to }: Pair) {
    this.#ways = [...from].map((char, at) => waysOf(char, to.charAt(at)));
    this.longest =
      this.#ways.reduce((sum, ways) => sum + Math.max(...ways.map((way) => way.from.length)), 0) + 32;
  }

  /** A pattern of its first characters, in either case. */
  get hint(): string {
    const signs = `(?:${escapes.map((each) => literal(each)).join('|')})*`;
    return this.#ways
      .slice(0, hintChars)
      .map((ways) => `(?:${ways.map(({ from }) => literal(from)).join('|')})`)
      .join(signs);
  }

  /** The bytes that it may begin with. */
  get firsts(): readonly string[] {
    return [...(this.#ways[0] ?? []).map(({ from }) => from), ...escapes].map((each) => each.charAt(0));
  }

  /** What stands in its place at that position; `begun` if the words end within it; undefined if it is not there. */
  at(lower: string, start: number): string | 'begun' | undefined {
    let at = start;
    let put = '';
    for (const ways of this.#ways) {
      for (let tries = 0; ; tries++) {
        const way = ways.find(({ from }) => lower.startsWith(from, at));
        if (way) {
          put += way.to;
          at += way.from.length;
          break;
        }
        const rest = lower.slice(at, at + longestWay);
        if (ways.some(({ from }) => from.startsWith(rest)) || escapes.some((each) => each.startsWith(rest)))
          return 'begun';
        const sign = escapes.find((each) => rest.startsWith(each));
        if (sign === undefined || tries === mostEscapes) return undefined;
        put += sign;
        at += sign.length;
      }
    }
    return put;
  }

  replaceIn(words: string, lower: string): string {
    let rest = words;
    const [ways = [], next = []] = this.#ways;
    // A single letter stands everywhere: what follows it is looked at first.
    const second = [...next.map(({ from }) => from), ...escapes].map((each) => each.charCodeAt(0));
    for (const { from } of ways) {
      for (let at = lower.indexOf(from); at !== -1; at = lower.indexOf(from, at + 1)) {
        if (!second.includes(lower.charCodeAt(at + from.length))) continue;
        const put = this.at(lower, at);
        if (put !== undefined && put !== 'begun')
          rest = rest.slice(0, at) + put + rest.slice(at + put.length);
      }
    }
    return rest;
  }
}

/** A pattern of these words. */
export function literal(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

const names: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Signs before a quotation mark or a slash; text that is quoted twice has several. */
const escapes = ['\\', '%5c'];
const mostEscapes = 4;
const longestWay = 8;
const hintChars = 4;

/** The longer ones first: `%` begins its own code. */
function waysOf(from: string, to: string): readonly Pair[] {
  const [code, other] = [from, to].map((char) => char.charCodeAt(0)) as [number, number];
  const hex = (each: number) => each.toString(16).padStart(2, '0');
  const decimal = decimalAsLong(code, other);
  return [
    { from: `%25${hex(code)}`, to: `%25${hex(other)}` },
    { from: `%${hex(code)}`, to: `%${hex(other)}` },
    { from: `\\u00${hex(code)}`, to: `\\u00${hex(other)}` },
    { from: `\\x${hex(code)}`, to: `\\x${hex(other)}` },
    { from: `&#x${hex(code)};`, to: `&#x${hex(other)};` },
    { from: `&#${code};`, to: `&#${decimal};` },
    ...(names[from] ? [{ from: names[from], to: names[from] }] : []),
    { from: from.toLowerCase(), to },
  ];
}

/** A number of as many digits, so that the length of the message stays. */
function decimalAsLong(code: number, other: number): string {
  const digits = String(code).length;
  return String(other).length > digits ? '97' : String(other).padStart(digits, '0');
}
