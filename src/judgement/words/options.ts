import { mayBeOption, partOf, type Word } from './word.ts';

/** The options whose value is the next word; all others are switches. */
export interface OptionGrammar {
  /** Short letters with a value: `-o FILE`, `-oFILE`. */
  readonly valued?: string | undefined;
  /** Long names with a value that may be the next word. */
  readonly longValued?: readonly string[] | undefined;
}

export interface GivenOption {
  readonly name: string;
  readonly long: boolean;
  /** The value as a word; a cut part keeps the known prefix. */
  readonly value: Word | undefined;
}

export interface Options {
  readonly given: readonly GivenOption[];
  readonly operands: readonly Word[];
  /** A word that may become any option at run time. */
  readonly unsure: Word | undefined;
}

/** Reads arguments as getopt_long does: bundles, `--long=value`, options after operands, `--`. */
export function readOptions(words: readonly Word[], grammar: OptionGrammar = {}): Options {
  const given: GivenOption[] = [];
  const operands: Word[] = [];
  let unsure: Word | undefined;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index];
    if (!word) break;
    if (word.value === '--') {
      index++;
      break;
    }
    if (mayBeOption(word) && !/^--[\w-]+=/.test(word.prefix)) {
      unsure ??= word;
      if (word.prefix === '') operands.push(word);
    }
    if (!word.prefix.startsWith('-') || word.value === '-') {
      if (word.prefix !== '' || word.value !== undefined) operands.push(word);
      continue;
    }
    index += readOption(words, index, grammar, given);
  }
  operands.push(...words.slice(index));
  return { given, operands, unsure };
}

/** Reads one option; returns the number of further words that it takes. */
export function readOption(
  words: readonly Word[],
  index: number,
  { valued = '', longValued = [] }: OptionGrammar,
  given: GivenOption[],
): number {
  const word = words[index] as Word;
  if (word.prefix.startsWith('--')) {
    const equals = word.prefix.indexOf('=');
    const name = word.prefix.slice(2, equals < 0 ? undefined : equals);
    const takesNext = equals < 0 && longValued.some((long) => long.startsWith(name));
    const value = takesNext ? words[index + 1] : equals < 0 ? undefined : partOf(word, equals + 1);
    given.push({ name, long: true, value });
    return takesNext ? 1 : 0;
  }
  for (let at = 1; at < word.prefix.length; at++) {
    const letter = word.prefix.charAt(at);
    if (!valued.includes(letter)) {
      given.push({ name: letter, long: false, value: undefined });
      continue;
    }
    const isAttached = at + 1 < word.prefix.length || word.value === undefined;
    given.push({ name: letter, long: false, value: isAttached ? partOf(word, at + 1) : words[index + 1] });
    return isAttached ? 0 : 1;
  }
  return 0;
}

/** Is one of these letters or long names given? Long names may be abbreviated, as in GNU tools and git. */
export function hasOption(
  options: Pick<Options, 'given'>,
  letters: string,
  longNames: readonly string[] = [],
): boolean {
  return optionsNamed(options, letters, longNames).length > 0;
}

export function optionsNamed(
  options: Pick<Options, 'given'>,
  letters: string,
  longNames: readonly string[] = [],
): readonly GivenOption[] {
  return options.given.filter((option) =>
    option.long
      ? option.name !== '' && longNames.some((name) => name.startsWith(option.name))
      : letters.includes(option.name),
  );
}
