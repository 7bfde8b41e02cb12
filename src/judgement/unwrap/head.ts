import { type GivenOption, type OptionGrammar, optionsNamed } from '../words/options.ts';
import { subcommandsOf } from '../words/subcommands.ts';
import { partOf, type Word } from '../words/word.ts';

/** How a program that runs another one is written: its own options, then operands, then the command. */
export interface WrapperGrammar extends OptionGrammar {
  /** Words between the options and the command. */
  readonly operands?: number;
  /** NAME=value words may precede the command. */
  readonly assignments?: boolean;
  /** A first word that is required: `bundle exec`, `uv run`. */
  readonly verbs?: readonly string[];
  /** The words are joined and passed to a shell. */
  readonly joined?: boolean;
}

export interface WrapperHead {
  readonly given: readonly GivenOption[];
  readonly assignments: readonly Word[];
  /** The command that the wrapper runs; empty if it runs none. */
  readonly rest: readonly Word[];
}

/** Reads a wrapper's own words. An option that the grammar lacks counts as a switch. */
export function readHead(words: readonly Word[], grammar: WrapperGrammar): WrapperHead {
  const given: GivenOption[] = [];
  const assignments: Word[] = [];
  let index = 0;
  if (grammar.verbs) {
    const verb = subcommandsOf(words).find(({ value }) => grammar.verbs?.includes(value ?? ''));
    if (!verb) return { given, assignments, rest: [] };
    index = words.indexOf(verb) + 1;
  }
  for (; index < words.length; index++) {
    const word = words[index] as Word;
    if (grammar.assignments && isAssignment(word)) assignments.push(word);
    else if (word.value === '--') {
      index++;
      break;
    } else if (word.prefix.startsWith('-') && word.value !== '-')
      index += readOption(words, index, grammar, given);
    else break;
  }
  for (; grammar.assignments && words[index] && isAssignment(words[index] as Word); index++)
    assignments.push(words[index] as Word);
  return { given, assignments, rest: words.slice(index + (grammar.operands ?? 0)) };
}

/** The value of the first of these options. */
export function givenValue(head: WrapperHead, letters: string, names: readonly string[]): Word | undefined {
  return optionsNamed({ given: head.given }, letters, names).find(({ value }) => value)?.value;
}

function isAssignment({ prefix }: Word): boolean {
  return /^[^-=][^=]*=/.test(prefix);
}

/** Reads one option; returns the number of further words that it takes. */
function readOption(
  words: readonly Word[],
  index: number,
  { valued = '', longValued = [] }: WrapperGrammar,
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
