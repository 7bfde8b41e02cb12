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

/** What the caller wrote for a place of the printed text. */
export type Origins = (place: Spot) => string | undefined;

interface Source {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ahead: number;
}

/** A part of the printed text, and the part of a source that it was printed from. */
interface Origin extends Spot {
  readonly from: Spot;
  readonly source: string;
}

/** The parser keeps the text of a word without its parts past 256 levels: stop well before. */
const maxDepth = 200;

/**
 * The text as it is written anew. It keeps each command on the line where its writer put it, so that a shell's
 * `line 3:` is theirs too, and holds the bodies of here-documents back until their line ends.
 */
export class Page {
  readonly #printers: Printers;
  /** The only text that may come of it; without one it makes its own. */
  readonly #expected: string | undefined;
  readonly #origins: Origin[] = [];
  #text = '';
  #length = 0;
  #steps = 0;
  #line = 1;
  #last = '';
  #depth = 0;
  #source: Source;
  #waiting: (() => void)[] = [];
  #documents = 0;
  #isInside = false;
  #pipesDocument = false;

  constructor(source: string, printers: Printers, expected?: string) {
    this.#printers = printers;
    this.#expected = expected;
    this.#source = { text: source, starts: lineStarts(source), ahead: 0 };
  }

  finish(): { readonly text: string; readonly origins: Origins; readonly steps: number } {
    this.#endLine();
    if (this.#expected !== undefined && this.#length !== this.#expected.length) throw new Differing();
    return { text: this.#text, origins: originsIn(this.#origins), steps: this.#steps };
  }

  /** What the caller wrote there. */
  written({ pos, end }: Spot): string {
    return this.#source.text.slice(pos, end);
  }

  add(text: string): void {
    if (this.#expected === undefined) this.#text += text;
    else if (!this.#expected.startsWith(text, this.#length)) throw new Differing();
    this.#length += text.length;
    this.#steps++;
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
    const isParted = sign !== '' && /(^|[^\\])\n/.test(gap);
    if (isParted) this.#pipesDocument = false;
    else if (sign === ';' && this.#pipesDocument) this.refuse(next);
    if (isParted || (sign === '' && target > this.#line)) this.#newLine();
    else this.add(sign === ';' ? '; ' : ' ');
    const pad = this.#last === '\n' ? '\n' : '\\\n';
    while (this.#line < target) this.add(pad);
  }

  /** Writes the body of a here-document once its line ends. */
  afterLine(body: () => void): void {
    this.#documents++;
    this.#waiting.push(body);
  }

  /**
   * Writes a command and the operator that joins it with the next one. In a substitution, bash 5.2 drops the first `;`
   * after a pipe whose left side has a here-document: `$(cat <<E | cat; rm x ⏎…)` runs `cat rm x`. It keeps a new line.
   */
  joined(print: () => void, sign: string): void {
    const before = this.#documents;
    print();
    this.add(` ${sign}`);
    if (this.#isInside && sign.startsWith('|') && sign !== '||' && this.#documents > before)
      this.#pipesDocument = true;
  }

  /** Writes a part one level deeper, and remembers what it was. */
  part<Part extends Spot>(part: Part, print: (page: Page, part: Part) => void): void {
    const start = this.#open(part);
    print(this, part);
    this.#close(part, start);
  }

  /** Writes a part that means itself to every shell. */
  asWritten(part: Spot): void {
    this.#open(part);
    this.add(this.written(part));
    this.#depth--;
  }

  /** Writes words apart from each other; where nothing parted them, a shell reads one word. */
  words(words: readonly WordLike[], style: (word: WordLike) => Style): void {
    let before: WordLike | undefined;
    for (const word of words) {
      if (before) this.add(' ');
      this.assertApart(before, word);
      this.word(word, style(word));
      before = word;
    }
  }

  assertApart(before: Spot | undefined, word: Spot): void {
    if (before?.end === word.pos) this.refuse(word);
  }

  word(word: WordLike, style: Style): void {
    const start = this.#open(word);
    this.#printers.word(this, word, style);
    this.#close(word, start);
  }

  /** Writes one part of a word; `next` is the one behind it. */
  expansion(part: WordPart, next: WordPart | undefined, around: Around): void {
    const start = this.#open(part);
    this.#printers.expansion(this, part, next, around);
    this.#close(part, start);
  }

  /** A script inside of a word, with its here-documents before its closing bracket. */
  script(script: ParsedScript): void {
    const outer = this.#source;
    const waiting = this.#waiting;
    const [documents, isInside, pipesDocument] = [this.#documents, this.#isInside, this.#pipesDocument];
    const text = script.source ?? outer.text;
    const starts = script.source === undefined ? outer.starts : lineStarts(text);
    const [error] = script.errors ?? [];
    if (error) throw new Unprintable('parse-error', around(text, error.pos));
    this.#source = { text, starts, ahead: this.#line - lineAt(starts, script.commands[0]?.pos ?? 0) };
    this.#waiting = [];
    this.#isInside = true;
    this.#pipesDocument = false;
    this.#printers.script(this, script);
    this.#endLine();
    this.#source = outer;
    this.#waiting = waiting;
    this.#documents = documents;
    this.#isInside = isInside;
    this.#pipesDocument = pipesDocument;
  }

  /** Refuses what has no form that every reader takes alike. */
  refuse(spot: Spot, rule = 'unclear', named?: Text): never {
    throw new Unprintable(rule, this.written(spot), named);
  }

  #open(part: Spot): number {
    if (++this.#depth > maxDepth) this.refuse(part, 'too-deep');
    return this.#length;
  }

  #close(from: Spot, pos: number): void {
    this.#depth--;
    if (this.#expected === undefined)
      this.#origins.push({ pos, end: this.#length, from, source: this.#source.text });
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

/** Another text came of it than was expected. */
export class Differing extends Error {}

/** Finds places in the order in which they ended. */
function originsIn(origins: readonly Origin[]): Origins {
  return ({ pos, end }) => {
    let low = 0;
    let high = origins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((origins[middle]?.end ?? 0) <= end) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; origins[at]?.end === end; at--) {
      const { from, source } = origins[at] as Origin;
      if (origins[at]?.pos === pos) return source.slice(from.pos, from.end);
    }
    return undefined;
  };
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
