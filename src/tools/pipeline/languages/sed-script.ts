import { type Choose, everyReading, Unreadable } from '../explore.ts';

/** The files that a sed script reads by name, or why it may not run. */
export type SedVerdict =
  | { readonly ok: true; readonly reads: readonly string[] }
  | { readonly ok: false; readonly kind: 'write' | 'exec' | 'unreadable'; readonly what: string };

/** Judges a sed script by parsing it as sed does: commands, addresses, labels, text. */
export function judgeSed(script: string): SedVerdict {
  try {
    const reads = everyReading((choose) => new Reader(script, choose).read());
    return { ok: true, reads: [...new Set(reads.flat())] };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, kind: error.kind, what: error.message };
    if (error instanceof Unreadable) return { ok: false, kind: 'unreadable', what: error.message };
    throw error;
  }
}

class Refused extends Error {
  readonly kind: 'write' | 'exec';
  constructor(kind: 'write' | 'exec', what: string) {
    super(what);
    this.name = 'Refused';
    this.kind = kind;
  }
}

/** One reading of a script; owns the position. */
class Reader {
  readonly #script: string;
  readonly #choose: Choose;
  #at = 0;
  readonly #reads: string[] = [];

  constructor(script: string, choose: Choose) {
    this.#script = script;
    this.#choose = choose;
  }

  read(): string[] {
    let depth = 0;
    for (;;) {
      this.#skip(/[\s;]/);
      const next = this.#peek();
      if (next === '') break;
      if (next === '#') this.#line();
      else if (next === '}') {
        this.#at++;
        if (--depth < 0) throw new Unreadable('a } has no {');
        this.#end();
      } else {
        this.#addresses();
        this.#skip(/[\s!]/);
        const command = this.#take();
        if (command === '{') depth++;
        else this.#command(command);
      }
    }
    if (depth > 0) throw new Unreadable('a { is not closed');
    return this.#reads;
  }

  #peek(): string {
    return this.#script[this.#at] ?? '';
  }

  #take(): string {
    return this.#script[this.#at++] ?? '';
  }

  #skip(set: RegExp): void {
    while (this.#peek() !== '' && set.test(this.#peek())) this.#at++;
  }

  #line(): string {
    const end = this.#script.indexOf('\n', this.#at);
    const line = this.#script.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#script.length : end;
    return line;
  }

  #addresses(): void {
    if (!this.#address()) return;
    this.#skip(/[ \t]/);
    if (this.#peek() !== ',') return;
    this.#at++;
    this.#skip(/[ \t]/);
    if (/[+~]/.test(this.#peek())) this.#at++;
    if (!this.#address()) throw new Unreadable('an address is missing after a comma');
  }

  #address(): boolean {
    const next = this.#peek();
    if (/\d/.test(next)) {
      this.#skip(/\d/);
      this.#skip(/[ \t]/);
      if (this.#peek() === '~') {
        this.#at++;
        this.#skip(/[ \t\d]/);
      }
      return true;
    }
    if (next === '$') {
      this.#at++;
      return true;
    }
    if (next !== '/' && next !== '\\') return false;
    if (next === '\\') this.#at++;
    this.#delimited(this.#delimiter(), true);
    this.#skip(/[IM]/);
    return true;
  }

  #delimiter(): string {
    const delimiter = this.#take();
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\')
      throw new Unreadable('a delimiter is missing');
    return delimiter;
  }

  /** Reads up to the delimiter. Old seds end at one in brackets, new ones do not: both readings are tried. */
  #delimited(delimiter: string, isRegex: boolean): void {
    let inBrackets = false;
    for (;;) {
      const next = this.#take();
      if (next === '') throw new Unreadable(`a ${delimiter} is missing`);
      if (next === '\\') {
        if (this.#take() === '') throw new Unreadable('it ends in a backslash');
      } else if (next === delimiter) {
        if (!inBrackets || !this.#choose()) return;
      } else if (next === '[' && isRegex) inBrackets = true;
      else if (next === '\n' && isRegex) throw new Unreadable(`a ${delimiter} is missing`);
    }
  }

  #command(command: string): void {
    switch (command) {
      case 's':
        this.#substitute();
        return;
      case 'y': {
        const delimiter = this.#delimiter();
        this.#delimited(delimiter, false);
        this.#delimited(delimiter, false);
        this.#end();
        return;
      }
      case 'a':
      case 'i':
      case 'c':
        this.#text();
        return;
      case ':':
      case 'b':
      case 't':
      case 'T':
        this.#label();
        return;
      case 'r':
      case 'R':
        this.#readFile();
        return;
      case 'w':
      case 'W':
        throw new Refused('write', `${command} writes to a file`);
      case 'e':
        throw new Refused('exec', 'e runs commands');
      case 'q':
      case 'Q':
      case 'l':
      case 'L':
        this.#skip(/[ \t]/);
        this.#skip(/\d/);
        this.#end();
        return;
      default:
        if (command === '' || !'=dDgGhHnNpPxzF'.includes(command)) {
          throw new Unreadable(command === '' ? 'a command is missing' : `there is no command ${command}`);
        }
        this.#end();
    }
  }

  #substitute(): void {
    const delimiter = this.#delimiter();
    this.#delimited(delimiter, true);
    this.#delimited(delimiter, false);
    for (;;) {
      const flag = this.#peek();
      if (flag === 'w') throw new Refused('write', 's///w writes to a file');
      if (flag === 'e') throw new Refused('exec', 's///e runs commands');
      if (!/[gpiImM\d]/.test(flag)) break;
      this.#at++;
    }
    this.#end();
  }

  /** After a command: blanks, then the end of the line, a semicolon, a comment or a closing brace. */
  #end(): void {
    this.#skip(/[ \t\r]/);
    const next = this.#peek();
    if (next === '' || next === '\n' || next === ';' || next === '}' || next === '#') return;
    throw new Unreadable(`there is a ${next} where a command ends`);
  }

  #label(): void {
    this.#skip(/[ \t]/);
    this.#skip(/[\w.-]/);
    this.#end();
  }

  /** Reads up to the first line end without a backslash before it. */
  #text(): void {
    for (;;) {
      const next = this.#take();
      if (next === '' || next === '\n') return;
      if (next === '\\') this.#at++;
    }
  }

  #readFile(): void {
    this.#skip(/[ \t]/);
    const name = this.#line();
    if (name === '' || name.includes('\\'))
      throw new Unreadable('the name of a file to read is missing or not plain');
    // Some seds end the name at these.
    if (/[;}]/.test(name)) throw new Unreadable('a name of a file to read must end its line');
    this.#reads.push(name);
  }
}
