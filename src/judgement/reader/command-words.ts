import { readOptions } from '../words/options.ts';
import { partOf, type Word } from '../words/word.ts';
import type { Use } from './reading.ts';

/** The program that a word names: `"$HOME/bin/x"` names x, and so does `$(command -v x)`. */
export function nameIn(word: Word): string | undefined {
  const { value, text, isPattern } = word;
  if (value !== undefined) {
    if (!isPattern) return value;
    return /^~[\w.-]*\//.test(value) && !/[*?[{]/.test(value) ? value : undefined;
  }
  const found = located.exec(text)?.[1];
  if (found) return found;
  const path = text.replace(/["']/g, '');
  return /^\$(?:\w+|\{[^}]*\}|\(.*\))\/(?:[\w.@+-]+\/)*[\w.+-]*\w$/s.test(path) ? path : undefined;
}

/** Commands that print the path of a program: `$(command -v x)`. */
const located =
  /^"?(?:\$\(|`)(?:which|command -v|type -[pP]) ([\w.+-]+)(?: \|\| (?:which|command -v) [\w.+-]+)?(?: 2>\/dev\/null)?(?:\)|`)"?$/;

/** The variable's name in `"$PY"`. */
export function variableIn({ value, text }: Word): string | undefined {
  return value === undefined ? /^"?\$(?:(\w+)|\{(\w+)\})"?$/.exec(text)?.slice(1).join('') : undefined;
}

/** Is the word `"$@"`, `$*`, `$1` or `"${@:2}"`? As the first word it runs a command from the arguments. */
export function isOwnArguments({ value, text }: Word): boolean {
  return value === undefined && /^"?\$(?:[@*1]|\{[@*1](?::\d+)?\})"?$/.test(text);
}

interface Assigned {
  readonly name: string;
  /** Undefined if it comes from elsewhere. */
  readonly value: string | undefined;
}

/** Variables that a builtin sets: `read`, `printf -v`, `mapfile`, `export` after another command. */
export function assigned({ program, args, via }: Pick<Use, 'program' | 'args' | 'via'>): readonly Assigned[] {
  switch (program) {
    case 'read': {
      const { operands, given } = readOptions(args, { valued: 'adinNptu' });
      return [
        ...open(operands),
        ...open(given.map(({ name, value }) => (name === 'a' ? value : undefined))),
        reply,
      ];
    }
    case 'mapfile':
    case 'readarray':
      return open(readOptions(args, { valued: 'dnOsuCc' }).operands);
    case 'getopts':
      return open([args[1]]);
    case 'printf':
      return args[0]?.value === '-v' ? open([args[1]]) : [];
    case 'unset':
      return args.flatMap(({ value }) => (value === undefined ? [] : [{ name: value, value: '' }]));
    case 'local':
    case 'declare':
    case 'typeset':
      // With -n the name refers to another variable: neither value is known.
      if (args.some(({ prefix }) => /^-\w*n/.test(prefix)))
        return args.flatMap(({ prefix }) => open(prefix.split('=')));
      return via.length > 0 ? given(args) : [];
    case 'export':
    case 'readonly':
      return via.length > 0 ? given(args) : [];
    default:
      return [];
  }
}

const reply: Assigned = { name: 'REPLY', value: undefined };

function open(words: readonly (Word | string | undefined)[]): readonly Assigned[] {
  return words.flatMap((word) => {
    const name = /^[A-Za-z_]\w*/.exec(typeof word === 'string' ? word : (word?.prefix ?? ''))?.[0];
    return name === undefined ? [] : [{ name, value: undefined }];
  });
}

/** Assignments are syntax in a plain command; after `command` and the like they are words. */
function given(args: readonly Word[]): readonly Assigned[] {
  return args.flatMap((word) => {
    const equals = word.prefix.indexOf('=');
    const name = word.prefix.slice(0, Math.max(0, equals));
    return /^[A-Za-z_]\w*$/.test(name) ? [{ name, value: partOf(word, equals + 1).value }] : [];
  });
}
