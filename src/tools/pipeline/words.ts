import { type Text, text } from '../../contract/text/text.ts';
import { GuardViolation } from './guard.ts';

/** A word of a command line. */
export interface Word {
  /** The command's argument: quotes removed, `$` kept. */
  readonly text: string;
  /** The source text, with quotes. */
  readonly raw: string;
  /** Set if an unquoted `*`, `?`, `[` or `{a,b}` asks for names; quoted ones are escaped by a backslash. */
  readonly pattern?: string | undefined;
  /** A substitution or variable that a shell would have expanded. */
  readonly dynamic?: string | undefined;
  /** Starts with an unquoted `~`. */
  readonly home?: boolean | undefined;
  readonly quoted: boolean;
  /** One of several names that a pattern matched. */
  readonly globbed?: boolean | undefined;
  /** No blank before it: part of the same run of characters as the token before. */
  readonly glued?: boolean | undefined;
  /** The first of its stage, with no blank on either side of the pipe. */
  readonly afterPipe?: boolean | undefined;
}

/** An operator of the shell, or the end of the line. */
export interface Operator {
  readonly operator: string;
  /** Digits before a redirection: the 2 of `2>`. */
  readonly descriptor?: string | undefined;
  readonly glued?: boolean | undefined;
}

export type Token = Word | Operator;

/** Splits a command line into words and operators by POSIX quoting. Judges nothing. */
export function tokenize(line: string): Token[] {
  return new Lexer(line).tokens();
}

const operators = ['<<<', '<<-', '&>>', '<<', '>>', '<&', '>&', '<>', '>|', '&&', '||', '|&', '&>', ';;'];
const operatorStart = new Set(['<', '>', '&', '|', ';', '(', ')', '\n']);
const globStart = new Set(['*', '?', '[', '{']);

/** Scans the line once; owns the position and the word being built. */
class Lexer {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
  }

  tokens(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      const before = this.#at;
      this.#skipBlanks();
      const glued = this.#at === before && before > 0;
      const next = this.#line[this.#at];
      if (next === undefined) return tokens;
      if (next === '#') {
        while (this.#at < this.#line.length && this.#line[this.#at] !== '\n') this.#at++;
      } else if (operatorStart.has(next)) {
        tokens.push({ ...this.#operator(), glued });
      } else {
        const word = this.#word();
        const after = this.#line[this.#at];
        if ((after === '<' || after === '>') && /^\d+$/.test(word.raw)) {
          tokens.push({ ...this.#operator(), descriptor: word.text, glued });
        } else {
          tokens.push({ ...word, glued });
        }
      }
    }
  }

  #skipBlanks(): void {
    for (;;) {
      const next = this.#line[this.#at];
      if (next === ' ' || next === '\t' || next === '\r') this.#at++;
      else if (next === '\\' && this.#line[this.#at + 1] === '\n') this.#at += 2;
      else return;
    }
  }

  #operator(): Operator {
    const rest = this.#line.slice(this.#at, this.#at + 3);
    const long = operators.find((operator) => rest.startsWith(operator));
    const operator = long ?? rest.charAt(0);
    this.#at += operator.length;
    return { operator };
  }

  #word(): Word {
    const start = this.#at;
    const word = {
      text: '',
      pattern: '',
      isGlob: false,
      quoted: false,
      dynamic: undefined as string | undefined,
    };
    for (;;) {
      const next = this.#line[this.#at];
      if (next === undefined || next === ' ' || next === '\t' || next === '\r' || operatorStart.has(next))
        break;
      if (next === '\\') this.#escaped(word);
      else if (next === "'") this.#single(word);
      else if (next === '"') this.#double(word);
      else if (next === '$' || next === '`') word.dynamic = this.#dollar(word, false) ?? word.dynamic;
      else {
        if (globStart.has(next)) word.isGlob = true;
        word.text += next;
        word.pattern += next;
        this.#at++;
      }
    }
    const raw = this.#line.slice(start, this.#at);
    return {
      text: word.text,
      raw,
      quoted: word.quoted,
      ...(word.isGlob ? { pattern: word.pattern } : {}),
      ...(word.dynamic === undefined ? {} : { dynamic: word.dynamic }),
      ...(/^~[\w.-]*(\/|$)/.test(raw) ? { home: true } : {}),
    };
  }

  #escaped(word: Building): void {
    const next = this.#line[this.#at + 1];
    if (next === undefined)
      throw unfinished(text('a backslash at the end', '末尾のバックスラッシュ'), `${this.#line}\\`);
    this.#at += 2;
    if (next === '\n') return;
    word.quoted = true;
    literal(word, next);
  }

  #single(word: Building): void {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) throw unfinished(text("an open '", '閉じていない引用符'), `${this.#line}'`);
    word.quoted = true;
    literal(word, this.#line.slice(this.#at + 1, end));
    this.#at = end + 1;
  }

  #double(word: Building): void {
    word.quoted = true;
    this.#at++;
    for (;;) {
      const next = this.#line[this.#at];
      if (next === undefined) throw unfinished(text('an open "', '閉じていない引用符'), `${this.#line}"`);
      if (next === '"') break;
      if (next === '\\') {
        const after = this.#line[this.#at + 1] ?? '';
        this.#at += 2;
        if (after === '\n') continue;
        literal(word, '$`"\\'.includes(after) && after !== '' ? after : `\\${after}`);
      } else if (next === '$' || next === '`') {
        word.dynamic = this.#dollar(word, true) ?? word.dynamic;
      } else {
        literal(word, next);
        this.#at++;
      }
    }
    this.#at++;
  }

  /** Takes a `$…` or a backtick as text; returns the text that a shell would have expanded. */
  #dollar(word: Building, inQuotes: boolean): string | undefined {
    const rest = this.#line.slice(this.#at);
    const coded = inQuotes ? null : /^\$'((?:[^'\\]|\\.)*)'/s.exec(rest);
    if (coded) {
      word.quoted = true;
      this.#at += coded[0].length;
      literal(word, unescaped(coded[1] ?? '').replaceAll('\0', ''));
      return coded[0];
    }
    if (!inQuotes && rest.startsWith('$"')) {
      // A translated text (`$"…"`): its quotes are read like any others.
      this.#at++;
      return '$"';
    }
    const found =
      /^`[^`]*`?/.exec(rest) ??
      /^\$\((?:[^()]|\([^()]*\))*\)?/.exec(rest) ??
      /^\$(?:\{[^}]*\}?|[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(rest) ??
      (inQuotes ? null : /^\$(?=')/.exec(rest));
    const taken = found?.[0] ?? '$';
    this.#at += taken.length;
    literal(word, taken);
    return found?.[0];
  }
}

interface Building {
  text: string;
  pattern: string;
  quoted: boolean;
  dynamic: string | undefined;
}

function literal(word: Building, characters: string): void {
  word.text += characters;
  word.pattern += characters.replace(/[\\*?[\]{},!^-]/g, '\\$&');
}

function unfinished(where: Text, repaired: string): GuardViolation {
  return new GuardViolation(
    'PARSE_ERROR',
    `The command ends inside ${where.en}.`,
    `コマンドが途中で終わっています (${where.ja})。`,
    [repaired],
  );
}

export function isWord(token: Token | undefined): token is Word {
  return token !== undefined && 'raw' in token;
}

/** Words and operators as written, with a blank between them. */
export function rawOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (isWord(token) ? token.raw : `${token.descriptor ?? ''}${token.operator}`))
    .join(' ')
    .trim();
}

/** Backslash escapes as printf, echo -e and `$'…'` read them. */
export function unescaped(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|[0-7]{1,4}|.)/gs, (whole, code: string) => {
    if (/^[xu]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8) & 0xff);
    return letters[code] ?? whole;
  });
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '\\': '\\',
  '"': '"',
  "'": "'",
};
