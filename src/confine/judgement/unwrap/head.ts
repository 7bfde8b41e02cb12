import type { GivenOption } from '../words/options.ts';
import { subcommandsOf } from '../words/subcommands.ts';
import { isOneField, partOf, type Word } from '../words/word.ts';
import type { WrapperGrammar } from './table.ts';

export interface WrapperHead {
  readonly given: readonly GivenOption[];
  readonly operands: readonly Word[];
  readonly assignments: readonly Word[];
  /** The command that the wrapper runs; empty if it runs none. */
  readonly rest: readonly Word[];
}

/**
 * Reads a wrapper's own words. Returns the word that cannot be read where an option is unknown or a word is not
 * static: then nobody can say where the command begins.
 */
export function readHead(words: readonly Word[], grammar: WrapperGrammar): WrapperHead | Word {
  const given: GivenOption[] = [];
  const assignments: Word[] = [];
  let index = 0;
  if (grammar.verbs) {
    const first = grammar.groups?.includes(words[0]?.value ?? '') ? 1 : 0;
    const verb = subcommandsOf(words.slice(first)).find(({ value }) => grammar.verbs?.includes(value ?? ''));
    if (!verb) return { given, operands: [], assignments, rest: [] };
    index = words.indexOf(verb) + 1;
  }
  for (; index < words.length; index++) {
    const word = words[index] as Word;
    if (grammar.assignments && /^[^-=][^=]*=/.test(word.prefix)) {
      if (!isOneField(word)) return word;
      assignments.push(word);
      continue;
    }
    if (word.value === '--') {
      index++;
      break;
    }
    if (!word.prefix.startsWith('-') || word.value === '-') {
      if (word.value === undefined && word.prefix === '') return word;
      break;
    }
    const used = readOption(words, index, grammar, given);
    if (used === undefined) return word;
    index += used;
  }
  while (grammar.assignments && /^[^=]+=/.test(words[index]?.prefix ?? '')) {
    const word = words[index++] as Word;
    if (!isOneField(word)) return word;
    assignments.push(word);
  }
  const operands = words.slice(index, index + (grammar.operands ?? 0));
  const unknown = operands.find((word) => word.value === undefined);
  if (unknown) return unknown;
  return { given, operands, assignments, rest: words.slice(index + (grammar.operands ?? 0)) };
}

/** Reads one option; says how many further words it took, or nothing if it cannot be read. */
function readOption(
  words: readonly Word[],
  index: number,
  grammar: WrapperGrammar,
  given: GivenOption[],
): number | undefined {
  const word = words[index] as Word;
  if (word.prefix.startsWith('--')) {
    const equals = word.prefix.indexOf('=');
    if (equals < 0 && word.value === undefined) return undefined;
    const name = word.prefix.slice(2, equals < 0 ? undefined : equals);
    const valued = (grammar.longValued ?? []).some((long) => long.startsWith(name));
    if (!valued && !(grammar.long ?? []).some((long) => long.startsWith(name))) return undefined;
    if (equals >= 0 && !isOneField(word)) return undefined;
    const takesNext = valued && equals < 0;
    given.push({
      name,
      long: true,
      value: takesNext ? words[index + 1] : equals < 0 ? undefined : partOf(word, equals + 1),
    });
    return takesNext ? nextIsOne(words[index + 1]) : 0;
  }
  for (let at = 1; at < word.prefix.length; at++) {
    const letter = word.prefix.charAt(at);
    if ((grammar.flags ?? '').includes(letter)) {
      given.push({ name: letter, long: false, value: undefined });
      continue;
    }
    const attached = at + 1 < word.prefix.length || word.value === undefined;
    if (attached && !isOneField(word)) return undefined;
    if ((grammar.attached ?? '').includes(letter)) {
      given.push({ name: letter, long: false, value: attached ? partOf(word, at + 1) : undefined });
      return 0;
    }
    if (!(grammar.valued ?? '').includes(letter)) return undefined;
    given.push({ name: letter, long: false, value: attached ? partOf(word, at + 1) : words[index + 1] });
    return attached ? 0 : nextIsOne(words[index + 1]);
  }
  return word.value === undefined ? undefined : 0;
}

/** A value that may become no word or several would shift all that follows. */
function nextIsOne(word: Word | undefined): number | undefined {
  return word === undefined || isOneField(word) ? 1 : undefined;
}
