import type { GuardReason } from '../../contract/capabilities/pipeline.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { shellQuote } from '../../ground/shell-quote.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import type { Word } from './words.ts';

/** A row of a command's option table. Options outside the table are refused. */
export interface OptionRow {
  /** Every spelling, `-n` and `--lines`; the first is passed on. */
  readonly flags: readonly string[];
  /** The value: none, any text, a number, a text only after `=`, a file to read. Default: none. */
  readonly value?: 'none' | 'text' | 'number' | 'optional' | 'file' | undefined;
  /** A value must match it. */
  readonly form?: RegExp | undefined;
  /** Known, and refused. */
  readonly refused?: Refusal | undefined;
}

export interface Refusal {
  readonly reason: GuardReason;
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

/** Rows with something in common, from their spellings: `-b|--bytes -v`. By default, they take no value. */
export function rowsOf(spellings: string, common: Omit<OptionRow, 'flags'> = {}): OptionRow[] {
  return spellings
    .trim()
    .split(/\s+/)
    .map((flags) => ({ ...common, flags: flags.split('|') }));
}

export interface ParsedOption {
  readonly row: OptionRow;
  readonly flag: string;
  readonly value?: string | undefined;
}

export interface ParsedArguments {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Word[];
}

/** Parses a command's words by its table. Throws DISALLOWED_FLAG for an unlisted option. */
export function parseOptions(table: OptionTable, given: readonly Word[]): ParsedArguments {
  let words = given;
  const options: ParsedOption[] = [];
  const operands: Word[] = [];
  let index = 0;

  const without = (count: number, at: number, kept: readonly Word[] = []): Word[] => [
    ...words.slice(0, at),
    ...kept,
    ...words.slice(at + count),
  ];

  function take(
    row: OptionRow,
    flag: string,
    attached: string | undefined,
    at: number,
    kept: readonly Word[] = [],
  ): void {
    const kind = row.value ?? 'none';
    let value = attached;
    let count = 1;
    if (kind === 'none' && attached !== undefined) {
      throw disallowed(table, `${flag}=${attached}`, [{ words: [...without(1, at, kept)] }]);
    }
    if (kind !== 'none' && kind !== 'optional' && value === undefined) {
      const next = words[index + 1];
      if (!next) {
        throw new GuardViolation(
          'PARSE_ERROR',
          text(`${table.command} ${flag} needs a value.`, `${table.command} ${flag} には値が必要です。`),
          [commandOf(table, without(1, at, kept))],
        );
      }
      value = next.text;
      index++;
      count = 2;
    }
    if (row.refused) {
      const { reason, because, instead } = row.refused;
      const rest = without(count, at, kept);
      const remedy = instead ? instead(rest, value, at + kept.length) : commandOf(table, rest);
      throw new GuardViolation(reason, because, remedy ? [remedy] : []);
    }
    const form = row.form ?? (kind === 'number' ? /^\d+$/ : undefined);
    if (value !== undefined && form && !form.test(value)) {
      throw new GuardViolation(
        'PARSE_ERROR',
        text(
          `${table.command} ${flag} does not take '${value}'.`,
          `${table.command} ${flag} に '${value}' は指定できません。`,
        ),
        [commandOf(table, without(count, at, kept))],
      );
    }
    options.push({ row, flag, ...(value === undefined ? {} : { value }) });
  }

  for (; index < words.length; index++) {
    const word = words[index] as Word;
    const value = word.text;
    const at = index;
    if (value === '--') {
      operands.push(...words.slice(index + 1));
      break;
    }
    if (!value.startsWith('-') || value === '-') {
      operands.push(word);
      if (table.stopsAtOperand) {
        operands.push(...words.slice(index + 1));
        break;
      }
    } else if (value.startsWith('--') || table.wordFlags) {
      const equals = table.wordFlags ? -1 : value.indexOf('=');
      const flag = equals < 0 ? value : value.slice(0, equals);
      const row = table.rows.find((candidate) => candidate.flags.includes(flag));
      if (!row) throw unknownLong(table, flag, value, without(1, at), words, at);
      take(row, flag, equals < 0 ? undefined : value.slice(equals + 1), at);
    } else if (table.numeric && /^-\d+$/.test(value)) {
      const row = table.rows.find((candidate) => candidate.flags.includes(table.numeric ?? ''));
      if (row) options.push({ row, flag: table.numeric, value: value.slice(1) });
    } else if (table.numeric && /^-\d+[a-z]+$/.test(value)) {
      words = [...words.slice(0, at), ...numbered(value), ...words.slice(at + 1)];
      index--;
    } else {
      bundle(word, at);
    }
  }
  return { options, operands };

  /** `-nrk2` is `-n -r -k 2`; the first that takes a value takes the rest. */
  function bundle(word: Word, at: number): void {
    const letters = word.text.slice(1);
    for (let position = 0; position < letters.length; position++) {
      const flag = `-${letters[position]}`;
      const row = table.rows.find((candidate) => candidate.flags.includes(flag));
      const rest = letters.slice(position + 1);
      if (!row) {
        const others = letters.slice(0, position) + rest;
        const kept: Word[] = others === '' ? [] : [plain(`-${others}`)];
        throw disallowed(table, flag, [
          { words: [...words.slice(0, at), ...kept, ...words.slice(at + 1)] },
          { words: without(1, at) },
        ]);
      }
      if ((row.value ?? 'none') === 'none' || row.value === 'optional') {
        if (row.refused && letters.length > 1) refuseInBundle(row.refused, letters, position, at);
        take(row, flag, undefined, at);
        continue;
      }
      const before = letters.slice(0, position);
      take(row, flag, rest === '' ? undefined : rest, at, before === '' ? [] : [plain(`-${before}`)]);
      return;
    }
  }

  function refuseInBundle(refused: Refusal, letters: string, position: number, at: number): never {
    const kept = plain(`-${letters.slice(0, position)}${letters.slice(position + 1)}`);
    const rest = [...words.slice(0, at), kept, ...words.slice(at + 1)];
    const remedy = refused.instead ? refused.instead(rest, undefined, at + 1) : commandOf(table, rest);
    throw new GuardViolation(refused.reason, refused.because, remedy ? [remedy] : []);
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
export function commandOf(table: { readonly command: string }, words: readonly Word[]): Remedy {
  return { pipeline: [table.command, ...words.map((word) => word.raw)].join(' ') };
}

function unknownLong(
  table: OptionTable,
  flag: string,
  given: string,
  without: readonly Word[],
  words: readonly Word[],
  at: number,
): GuardViolation {
  if (table.instead) {
    const remedy = table.instead(words);
    return disallowed(table, flag, [], remedy);
  }
  // Without these flags the command would do something else than was asked.
  if (flag === '--help' || flag === '--version') return disallowed(table, flag, []);
  const spellings = table.rows.flatMap((row) => row.flags).filter((name) => name.startsWith(flag));
  const [only] = spellings;
  if (!table.wordFlags && flag.length > 2 && spellings.length === 1 && only !== undefined) {
    const full = plain(only + given.slice(flag.length));
    return disallowed(table, flag, [
      { words: [...words.slice(0, at), full, ...words.slice(at + 1)] },
      { words: without },
    ]);
  }
  return disallowed(table, flag, [{ words: without }]);
}

function disallowed(
  table: OptionTable,
  flag: string,
  remedies: readonly { readonly words: readonly Word[] }[],
  instead?: Remedy,
): GuardViolation {
  const known = table.rows.filter((row) => !row.refused).flatMap((row) => row.flags);
  const list = known.slice(0, 60).join(' ');
  return new GuardViolation(
    'DISALLOWED_FLAG',
    text(
      `${table.command} takes no ${flag} here. It takes: ${list}`,
      `${table.command} の ${flag} はここでは使えません。使えるもの: ${list}`,
    ),
    instead
      ? [instead]
      : remedies.length === 0
        ? [{ words: text('Use only these options.', '使えるのは上のオプションです。') }]
        : remedies.map((remedy) => commandOf(table, remedy.words)),
  );
}
