import { type GivenOption, type OptionGrammar, optionsNamed, readOption } from '../words/options.ts';
import { subcommandsOf } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';

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
