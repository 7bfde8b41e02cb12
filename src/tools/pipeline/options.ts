import type { GuardReason } from '../../contract/capabilities/pipeline.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import type { Word } from './words.ts';

/** A row of a command's option table. Options outside the table are refused. */
export interface OptionRow {
  /** Every spelling, `-n` and `--lines`; the first is passed on. */
  readonly flags: readonly string[];
  /** The value: none, any text, a text only after `=`, or a file to read. */
  readonly value: 'none' | 'text' | 'optional' | 'file';
  /** A value must match it. */
  readonly form?: RegExp | undefined;
  /** Known, and refused. */
  readonly refused?: Refusal | undefined;
}

export interface Refusal {
  /** Default: DISALLOWED_FLAG. */
  readonly reason?: GuardReason | undefined;
  readonly because: Text;
  /** The command without the flag, given the remaining words and the flag's index; default: just those words. */
  readonly instead?:
    | ((words: readonly Word[], value: string | undefined, at: number) => Remedy | undefined)
    | undefined;
}

export interface OptionTable {
  readonly command: string;
  readonly rows: readonly OptionRow[];
  /** The flag that `-5` stands for. */
  readonly numeric?: string | undefined;
  /** Whether options end at the first operand. */
  readonly stopsAtOperand?: boolean | undefined;
  /** Single-dash words are long options (find): no bundles. */
  readonly wordFlags?: boolean | undefined;
  /** The alternative to an unlisted flag whose value would remain without it; given all words. */
  readonly instead?: ((words: readonly Word[]) => Remedy | undefined) | undefined;
}

/**
 * The rows of a table: spellings joined by `|`, with blanks between rows. `-v` takes no value, `-e=` any, `-m=#` a number,
 * `-f=@` a file to read, `--sort=kind` one in the form `forms.kind`, `--color[=when]` one only after `=`. A row that ends
 * in `!why` is refused for the reason `refusals.why`.
 */
export function rowsOf<Form extends string = never, Why extends string = never>(
  table: string,
  forms?: Readonly<Record<Form, RegExp>>,
  refusals?: Readonly<Record<Why, Text | Refusal>>,
): OptionRow[] {
  const formOf = new Map<string, RegExp>([['#', /^\d+$/], ...Object.entries<RegExp>(forms ?? {})]);
  const refusalOf = new Map(Object.entries<Text | Refusal>(refusals ?? {}));
  return table
    .trim()
    .split(/\s+/)
    .map((written) => {
      const [, flags = '', bracket, kind, why = ''] =
        /^(.+?)(?:(\[)?=([\w#@]*)\]?)?(?:!(\w+))?$/.exec(written) ?? [];
      const refused = refusalOf.get(why);
      return {
        flags: flags.split('|'),
        value: kind === undefined ? 'none' : bracket ? 'optional' : kind === '@' ? 'file' : 'text',
        form: formOf.get(kind ?? ''),
        refused: refused && 'en' in refused ? { because: refused } : refused,
      };
    });
}

export interface ParsedOption {
  readonly row: OptionRow;
  readonly flag: string;
  readonly value?: string | undefined;
}

export interface ParsedArguments {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Word[];
  /** Whether an option was given, by the first spelling of its row. */
  has(flag: string): boolean;
  /** The values of an option, by the first spelling of its row. */
  all(flag: string): readonly string[];
}

/** Parses a command's words by its table. Throws DISALLOWED_FLAG for an unlisted option. */
export function parseOptions(table: OptionTable, words: readonly Word[]): ParsedArguments {
  return new OptionReader(table, words).read();
}

/** Reads the words once; owns the position and the results so far. */
class OptionReader {
  readonly #table: OptionTable;
  readonly #options: ParsedOption[] = [];
  readonly #operands: Word[] = [];
  #words: readonly Word[];
  /** The word that is read. */
  #at = 0;
  /** The one to read after it and its value. */
  #next = 0;

  constructor(table: OptionTable, words: readonly Word[]) {
    this.#table = table;
    this.#words = words;
  }

  read(): ParsedArguments {
    const { numeric, stopsAtOperand, wordFlags } = this.#table;
    while (this.#next < this.#words.length) {
      this.#at = this.#next++;
      const word = this.#words[this.#at] as Word;
      const isOperand = !word.text.startsWith('-') || word.text === '-';
      if (isOperand) this.#operands.push(word);
      if (word.text === '--' || (isOperand && stopsAtOperand)) {
        this.#operands.push(...this.#words.slice(this.#next));
        break;
      }
      if (isOperand) continue;
      if (word.text.startsWith('--') || wordFlags) this.#long(word.text);
      else if (numeric && /^-\d+$/.test(word.text)) this.#take(numeric, word.text.slice(1));
      else if (numeric && /^-\d+[a-z]+$/.test(word.text)) {
        this.#words = this.#without(1, numbered(word.text));
        this.#next = this.#at;
      } else this.#bundle(word.text.slice(1));
    }
    const options = this.#options;
    const named = (flag: string) => options.filter(({ row }) => row.flags[0] === flag);
    return {
      options,
      operands: this.#operands,
      has: (flag) => named(flag).length > 0,
      all: (flag) => named(flag).flatMap(({ value }) => (value === undefined ? [] : [value])),
    };
  }

  #rowOf(flag: string): OptionRow | undefined {
    return this.#table.rows.find(({ flags }) => flags.includes(flag));
  }

  /** The words without this one and those after it, `count` together, but with others in their place. */
  #without(count: number, kept: readonly Word[] = []): Word[] {
    return [...this.#words.slice(0, this.#at), ...kept, ...this.#words.slice(this.#at + count)];
  }

  #long(written: string): void {
    const { wordFlags, instead, rows } = this.#table;
    const equals = wordFlags ? -1 : written.indexOf('=');
    const flag = equals < 0 ? written : written.slice(0, equals);
    if (this.#rowOf(flag)) {
      this.#take(flag, equals < 0 ? undefined : written.slice(equals + 1));
      return;
    }
    if (instead) throw this.#disallowed(flag, this.#commandWithout([]));
    // Without these flags the command would do something else than was asked.
    if (flag === '--help' || flag === '--version') throw this.#disallowed(flag, []);
    const [only, ...more] = rows.flatMap((row) => row.flags).filter((name) => name.startsWith(flag));
    const isShort = !wordFlags && flag.length > 2 && only !== undefined && more.length === 0;
    const full = isShort ? [this.#without(1, [plain(only + written.slice(flag.length))])] : [];
    throw this.#disallowed(flag, this.#commands([...full, this.#without(1)]));
  }

  /** `-nrk2` is `-n -r -k 2`; the first that takes a value takes the rest. */
  #bundle(letters: string): void {
    for (let position = 0; position < letters.length; position++) {
      const flag = `-${letters[position]}`;
      const row = this.#rowOf(flag);
      const before = letters.slice(0, position);
      const rest = letters.slice(position + 1);
      const kept = (others: string) => (others === '' ? [] : [plain(`-${others}`)]);
      if (!row) {
        const commands = [this.#without(1, kept(before + rest)), this.#without(1)];
        throw this.#disallowed(flag, this.#commands(commands));
      }
      if (row.value !== 'none' && row.value !== 'optional') {
        this.#take(flag, rest === '' ? undefined : rest, kept(before));
        return;
      }
      this.#take(flag, undefined, kept(before + rest));
    }
  }

  /** Takes an option of the table; `kept` is the rest of its bundle, for suggestions. */
  #take(flag: string, attached: string | undefined, kept: readonly Word[] = []): void {
    const { command } = this.#table;
    const row = this.#rowOf(flag) as OptionRow;
    let value = attached;
    if (row.value === 'none' && attached !== undefined)
      throw this.#disallowed(`${flag}=${attached}`, this.#commands([this.#without(1, kept)]));
    if (row.value !== 'none' && row.value !== 'optional' && value === undefined) {
      value = this.#words[this.#next++]?.text;
      if (value === undefined)
        throw new GuardViolation(
          'PARSE_ERROR',
          `${command} ${flag} needs a value.`,
          `${command} ${flag} には値が必要です。`,
          this.#commandWithout(this.#without(1, kept)),
        );
    }
    const rest = this.#without(this.#next - this.#at, kept);
    if (row.refused) {
      const { reason = 'DISALLOWED_FLAG', because, instead } = row.refused;
      const remedy = instead ? instead(rest, value, this.#at + kept.length) : commandOf(this.#table, rest);
      throw new GuardViolation(reason, because, remedy === undefined ? [] : [remedy]);
    }
    if (value !== undefined && row.form?.test(value) === false)
      throw new GuardViolation(
        'PARSE_ERROR',
        `${command} ${flag} does not take '${value}'.`,
        `${command} ${flag} に '${value}' は指定できません。`,
        this.#commandWithout(rest),
      );
    this.#options.push({ row, flag, ...(value === undefined ? {} : { value }) });
  }

  /** The command without an option, if it would not do something else then. */
  #commandWithout(rest: readonly Word[]): Remedy[] {
    const { instead } = this.#table;
    if (!instead) return this.#commands([rest]);
    const remedy = instead(this.#words);
    return remedy === undefined ? [] : [remedy];
  }

  #commands(all: readonly (readonly Word[])[]): Remedy[] {
    return all.map((words) => commandOf(this.#table, words));
  }

  #disallowed(flag: string, remedies: readonly Remedy[]): GuardViolation {
    const { command, rows } = this.#table;
    const known = rows.filter((row) => !row.refused).flatMap((row) => row.flags);
    const list = known.slice(0, 60).join(' ');
    return new GuardViolation(
      'DISALLOWED_FLAG',
      `${command} takes no ${flag} here. It takes: ${list}`,
      `${command} の ${flag} はここでは使えません。使えるもの: ${list}`,
      remedies.length > 0 ? remedies : [text('Use only these options.', '使えるのは上のオプションです。')],
    );
  }
}

/** `-100f` is `-100 -f`, and `-5c` is `-c5`. */
function numbered(value: string): Word[] {
  const [, count = '', letters = ''] = /^-(\d+)([a-z]+)$/.exec(value) ?? [];
  if (letters === 'c') return [plain(`-c${count}`)];
  return letters === 'l' ? [plain(`-n${count}`)] : [plain(`-${count}`), plain(`-${letters}`)];
}

/** A word of our own. */
export function plain(value: string): Word {
  return { text: value, raw: shellQuote(value), quoted: true };
}

/** The command with other words, as a remedy. */
export function commandOf(table: { readonly command: string }, words: readonly Word[]): string {
  return [table.command, ...words.map((word) => word.raw)].join(' ');
}
