import type { ParsedScript, WordPart } from 'unbash';
import type { Text } from '../../../contract/text/text.ts';

/** A command that cannot be written anew; `rule` says why, `excerpt` where. */
export class Unprintable extends Error {
  readonly rule: string;
  readonly excerpt: string;
  readonly named: Text | undefined;

  constructor(rule: string, excerpt: string, named?: Text) {
    super(rule);
    this.rule = rule;
    this.excerpt = excerpt;
    this.named = named;
  }
}

export interface Spot {
  readonly pos: number;
  readonly end: number;
}

/** Where a word stands, which decides what in it means more than itself. */
export type Style =
  | 'word'
  | 'element'
  | 'operand'
  | 'quoted-operand'
  | 'pattern'
  | 'replacement'
  | 'subscript'
  | 'regex';

/** What is around an expansion: quotes in it mean another thing in each. */
export type Around = 'bare' | 'quotes' | 'document';

/** A word, or what the parser keeps like one. */
export interface WordLike extends Spot {
  readonly text: string;
  readonly parts?: readonly WordPart[] | undefined;
}

/** Writers of what nests in each other. */
export interface Printers {
  script(page: Page, script: ParsedScript): void;
  word(page: Page, word: WordLike, style: Style): void;
  expansion(page: Page, part: WordPart, next: WordPart | undefined, around: Around): void;
}

/** What the caller wrote, by the place in the printed text that stands for it. */
export type Origins = ReadonlyMap<number, string>;

/** One number for a place: no text here is as long as this. */
export function placeOf(start: number, end: number): number {
  return start * 2 ** 24 + end;
}

/** The parser keeps the text of a word without its parts past 256 levels: stop well before. */
const maxDepth = 200;

/**
 * The text as it is written anew. It keeps each command on the line where its writer put it, so that a shell's
 * `line 3:` is theirs too, and holds the bodies of here-documents back until their line ends.
 */
export class Page {
  readonly #chunks: string[] = [];
  /** What the caller wrote, by the place in the printed text that stands for it. */
  readonly #origins = new Map<number, string>();
  readonly #printers: Printers;
  #length = 0;
  #line = 1;
  #last = '';
  #depth = 0;
  #source: { readonly text: string; readonly starts: readonly number[]; readonly ahead: number };
  #waiting: (() => void)[] = [];

  constructor(source: string, printers: Printers) {
    this.#printers = printers;
    this.#source = { text: source, starts: lineStarts(source), ahead: 0 };
  }

  finish(): { readonly text: string; readonly origins: Origins; readonly steps: number } {
    this.#endLine();
    return { text: this.#chunks.join(''), origins: this.#origins, steps: this.#chunks.length };
  }

  /** What the caller wrote there. */
  written({ pos, end }: Spot): string {
    return this.#source.text.slice(pos, end);
  }

  add(text: string): void {
    this.#chunks.push(text);
    this.#length += text.length;
    if (text !== '') this.#last = text.charAt(text.length - 1);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
  }

  /** A bracket around commands: `((` and `))` would be arithmetic. */
  bracket(text: '(' | '((' | ')'): void {
    if (this.#last === text.charAt(0)) this.add(' ');
    this.add(text);
  }

  /**
   * Parts `next` from what stood before, on the line where it stood. A line is kept whole, as a shell drops the rest
   * of it after some errors; behind an operator (`&&`) a new one changes nothing.
   */
  separate(before: Spot | undefined, next: Spot, sign: ';' | '&' | ''): void {
    const target = lineAt(this.#source.starts, next.pos) + this.#source.ahead;
    const gap = sign === '' || !before ? '' : this.written({ pos: before.end, end: next.pos });
    if (sign === '' ? target > this.#line : /(^|[^\\])\n/.test(gap)) this.#newLine();
    else this.add(sign === ';' ? '; ' : ' ');
    const pad = this.#last === '\n' ? '\n' : '\\\n';
    while (this.#line < target) this.add(pad);
  }

  /** Writes the body of a here-document once its line ends. */
  afterLine(body: () => void): void {
    this.#waiting.push(body);
  }

  /** Writes a part one level deeper, and remembers what it was. */
  part(spot: Spot, print: () => void): void {
    if (++this.#depth > maxDepth) this.refuse(spot, 'too-deep');
    const start = this.#length;
    print();
    this.#origins.set(placeOf(start, this.#length), this.written(spot));
    this.#depth--;
  }

  /** Writes words apart from each other; where nothing parted them, a shell reads one word. */
  words(words: readonly WordLike[], style: (word: WordLike) => Style): void {
    for (const [at, word] of words.entries()) {
      if (at > 0) this.add(' ');
      this.assertApart(words[at - 1], word);
      this.word(word, style(word));
    }
  }

  assertApart(before: Spot | undefined, word: Spot): void {
    if (before?.end === word.pos) this.refuse(word);
  }

  word(word: WordLike, style: Style): void {
    this.part(word, () => this.#printers.word(this, word, style));
  }

  /** Writes one part of a word; `next` is the one behind it. */
  expansion(part: WordPart, next: WordPart | undefined, around: Around): void {
    this.part(part, () => this.#printers.expansion(this, part, next, around));
  }

  /** A script inside of a word, with its here-documents before its closing bracket. */
  script(script: ParsedScript): void {
    const outer = this.#source;
    const waiting = this.#waiting;
    const text = script.source ?? outer.text;
    const starts = script.source === undefined ? outer.starts : lineStarts(text);
    const [error] = script.errors ?? [];
    if (error) throw new Unprintable('parse-error', around(text, error.pos));
    this.#source = { text, starts, ahead: this.#line - lineAt(starts, script.commands[0]?.pos ?? 0) };
    this.#waiting = [];
    this.#printers.script(this, script);
    this.#endLine();
    this.#source = outer;
    this.#waiting = waiting;
  }

  /** Refuses what has no form that every reader takes alike. */
  refuse(spot: Spot, rule = 'unclear', named?: Text): never {
    throw new Unprintable(rule, this.written(spot), named);
  }

  #newLine(): void {
    this.add('\n');
    const bodies = this.#waiting;
    this.#waiting = [];
    for (const body of bodies) body();
  }

  #endLine(): void {
    if (this.#waiting.length > 0) this.#newLine();
  }
}

/** The text around a place, for a message. */
export function around(text: string, pos: number): string {
  return text.slice(Math.max(0, pos - 20), pos + 40);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], pos: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= pos) low = middle;
    else high = middle;
  }
  return low + 1;
}
